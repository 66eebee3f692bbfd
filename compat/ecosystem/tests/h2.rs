//! h2 without hyper: streams of one connection, with flow control.

use bytes::Bytes;
use h2::{RecvStream, SendStream};
use heist::task::{self, JoinSet};
use heist_ecosystem::{Outcome, pair, pattern, run};
use http::{Request, Response};
use std::future::poll_fn;

/// Sends all of `data`, as far at a time as the peer lets it.
async fn send(stream: &mut SendStream<Bytes>, mut data: Bytes) -> Outcome {
    while !data.is_empty() {
        stream.reserve_capacity(data.len());
        let room = poll_fn(|context| stream.poll_capacity(context)).await.ok_or("closed")??;
        stream.send_data(data.split_to(room.min(data.len())), false)?;
    }
    Ok(stream.send_data(Bytes::new(), true)?)
}

async fn receive(stream: &mut RecvStream) -> Outcome<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(data) = stream.data().await {
        let data = data?;
        stream.flow_control().release_capacity(data.len())?;
        all.extend_from_slice(&data);
    }
    Ok(all)
}

#[test]
fn many_streams_share_a_connection() {
    run(|| async {
        let (near, far) = pair().await?;
        let server = task::spawn(async move {
            let mut connection = h2::server::handshake(far).await?;
            let mut answers = JoinSet::new();
            while let Some(request) = connection.accept().await {
                let (request, mut respond) = request?;
                answers.spawn(async move {
                    let data = receive(&mut request.into_body()).await?;
                    let mut stream = respond.send_response(Response::new(()), false)?;
                    send(&mut stream, data.into()).await
                });
            }
            for answer in answers.join_all().await {
                answer?;
            }
            Outcome::Ok(())
        });

        let (sender, connection) = h2::client::handshake(near).await?;
        let connection = task::spawn(connection);
        let mut requests = JoinSet::new();
        for i in 0..20 {
            let sender = sender.clone();
            requests.spawn(async move {
                let request = Request::post("http://localhost/").body(())?;
                let (answer, mut stream) = sender.ready().await?.send_request(request, false)?;
                let data = Bytes::from(pattern(10_000 * i));
                send(&mut stream, data.clone()).await?;
                assert!(receive(&mut answer.await?.into_body()).await? == data);
                Outcome::Ok(())
            });
        }
        for request in requests.join_all().await {
            request?;
        }
        drop(sender);
        connection.await??;
        server.await??;
        Ok(())
    });
}
