//! tokio-tungstenite on Tokio's traits, async-tungstenite on those of futures: the same streams have both.

use futures::{SinkExt, StreamExt, TryStreamExt, future};
use heist::task;
use heist_ecosystem::{pair, run};

/// What either library does, word for word.
macro_rules! echoes {
    ($library:ident) => {
        run(|| async {
            use $library::{accept_async, client_async, tungstenite::Message};

            let (near, far) = pair().await?;
            let server = task::spawn(async move {
                let (sink, messages) = accept_async(far).await?.split();
                let echoed =
                    messages.try_filter(|message| future::ready(message.is_text() || message.is_binary()));
                echoed.forward(sink).await
            });
            let (mut socket, answer) = client_async("ws://localhost/", near).await?;
            assert_eq!(answer.status(), 101);
            for len in [0, 1, 125, 126, 70_000] {
                let message = Message::text("x".repeat(len));
                socket.send(message.clone()).await?;
                assert!(socket.next().await.ok_or("closed")?? == message);
            }
            socket.close(None).await?;
            while let Some(message) = socket.next().await {
                assert!(message?.is_close());
            }
            server.await??;
            Ok(())
        })
    };
}

#[test]
fn messages_come_back_by_the_traits_of_tokio() {
    echoes!(tokio_tungstenite);
}

#[test]
fn messages_come_back_by_the_traits_of_futures() {
    echoes!(async_tungstenite);
}
