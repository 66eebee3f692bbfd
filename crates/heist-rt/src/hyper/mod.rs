//! What hyper 1 asks of a runtime: a [`HeistExecutor`], a [`HeistTimer`], and its `Read` and `Write`.
//!
//! The streams of [`net`](crate::net) and their halves have hyper's traits themselves, so a connection needs
//! no wrapper. [`HeistIo`] is for what has the traits of `futures-io`, such as a TLS stream, and for what
//! hyper gives back after an upgrade.
//!
//! ```
//! use heist_rt::{hyper::HeistTimer, net::{TcpListener, TcpStream}, task};
//! use http_body_util::{BodyExt, Empty};
//! use hyper::{Request, Response, body::{Bytes, Incoming}, client, server, service::service_fn};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! heist_rt::block_on(async {
//!     let listener = TcpListener::bind("127.0.0.1:0").await?;
//!     let address = listener.local_addr()?;
//!     task::spawn(async move {
//!         let (stream, _) = listener.accept().await.unwrap();
//!         let echo = service_fn(async |request: Request<Incoming>| {
//!             Ok::<_, hyper::Error>(Response::new(request.into_body()))
//!         });
//!         server::conn::http1::Builder::new().timer(HeistTimer).serve_connection(stream, echo).await
//!     });
//!
//!     let stream = TcpStream::connect(address).await?;
//!     let (mut sender, connection) = client::conn::http1::handshake(stream).await?;
//!     task::spawn(connection);
//!     let answer = sender.send_request(Request::new(Empty::<Bytes>::new())).await?;
//!     assert!(answer.status().is_success());
//!     assert!(answer.collect().await?.to_bytes().is_empty());
//!     Ok(())
//! })
//! # }
//! ```

mod io;
mod stream;

pub use io::HeistIo;

pub(crate) use stream::poll_read;

use crate::{
    task,
    time::{self, Instant},
};
use ::hyper::rt::{Executor, Sleep, Timer};
use std::{future::Future, pin::Pin, time::Duration};

/// Runs hyper's futures as tasks of the runtime that is current when hyper spawns them, the global one
/// outside of any.
///
/// HTTP/2 needs it, for its streams.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeistExecutor;

impl<F> Executor<F> for HeistExecutor
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        task::spawn(future);
    }
}

/// The timers of [`time`], for hyper's timeouts.
///
/// They belong to the runtime that is current when hyper sets them, and follow its clock, also if that was
/// [paused](time::pause).
#[derive(Clone, Copy, Debug, Default)]
pub struct HeistTimer;

impl Timer for HeistTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(time::sleep(duration))
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(time::sleep_until(deadline.into()))
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }

    /// Moves the timer, without a new one; one that is not ours is replaced.
    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, new_deadline: std::time::Instant) {
        match sleep.as_mut().downcast_mut_pin::<time::Sleep>() {
            Some(ours) => ours.reset(new_deadline.into()),
            None => *sleep = self.sleep_until(new_deadline),
        }
    }
}

impl Sleep for time::Sleep {}
