//! The server: the page's files, what can be run, and one run at a time.
//!
//! It is made for the one who sits in front of it, and trusts nobody else. It serves who names it by its own
//! name only, so that no page of another site reaches it under a name of that site's. It takes what is to be
//! run as JSON only, which such a page cannot send without asking first. And everything has a limit.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use heist::net::{TcpListener, TcpStream};
use heist::task;
use heist::time::{sleep, timeout};
use heist_rt::hyper::HeistTimer;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::words::cores;

use super::scenarios::{Scenario, scenarios};
use super::setup::{LIMITS, Limits, Setup};
use super::{assets, runs};

/// The longest body of a request.
const MOST_BYTES: usize = 16 * 1024;

/// Connections at a time. Who comes on top of that has to wait.
const MOST_CONNECTIONS: usize = 64;

/// Requests that wait for another's run to end.
const MOST_WAITING: usize = 4;

/// How long one of them waits.
const WAIT: Duration = Duration::from_secs(10);

/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);

/// No script but the page's own.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/// What the connections share.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    host: IpAddr,
    /// One, for the one whose run is under way.
    turn: Arc<Semaphore>,
    waiting: AtomicUsize,
}

type Reply = Response<Full<Bytes>>;

/// Something that is refused, with the sentence that says why.
#[derive(Debug)]
struct Refusal(StatusCode, String);

fn refuse<T>(status: StatusCode, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(status, why.into()))
}

/// Serves who comes, for ever.
pub async fn serve(listener: TcpListener, host: IpAddr) -> Infallible {
    let turn = Arc::new(Semaphore::new(1));
    let server = Arc::new(Server { host, turn, waiting: AtomicUsize::new(0) });
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let place = room.clone().acquire_owned().await.expect("it is never closed");
        let stream = accept(&listener).await;
        task::spawn(serve_connection(server.clone(), stream, place));
    }
}

/// The next connection. That one fails is no reason to end.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            return stream;
        }
        // Out of descriptors, perhaps: others may close some.
        sleep(Duration::from_millis(50)).await;
    }
}

async fn serve_connection(server: Arc<Server>, stream: TcpStream, _place: OwnedSemaphorePermit) {
    let service = service_fn(|request| {
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(HeistTimer)
        .header_read_timeout(ARRIVAL)
        .max_buf_size(MOST_BYTES * 2)
        .serve_connection(stream, service);
    // A browser that goes away is none of our business.
    let _ = connection.await;
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        match self.find_answer(request).await {
            Ok(reply) => reply,
            Err(Refusal(status, error)) => json(status, &serde_json::json!({ "error": error })),
        }
    }

    async fn find_answer(&self, request: Request<Incoming>) -> Result<Reply, Refusal> {
        check_host(request.headers(), self.host)?;
        match (request.uri().path(), request.method()) {
            ("/api/about", &Method::GET) => Ok(json(StatusCode::OK, &About::new())),
            ("/api/run", &Method::POST) => self.run(request).await,
            ("/api/about", _) => Ok(wrong_method("GET")),
            ("/api/run", _) => Ok(wrong_method("POST")),
            (path, method) => match assets::find(path) {
                None => refuse(StatusCode::NOT_FOUND, "There is nothing here; the page is at `/`."),
                Some(_) if method != Method::GET && method != Method::HEAD => Ok(wrong_method("GET")),
                Some(asset) => Ok(reply(StatusCode::OK, asset.mime, asset.text)),
            },
        }
    }

    async fn run(&self, request: Request<Incoming>) -> Result<Reply, Refusal> {
        check_is_json(request.headers())?;
        let body = read(request.into_body()).await?;
        let setup = Setup::parse(&body).or_else(|why| refuse(StatusCode::BAD_REQUEST, why))?;
        let turn = self.wait_for_turn().await?;
        // The turn is over when the run is, also if nobody waits for it any more.
        let run = task::spawn_blocking(move || {
            let recording = runs::record(&setup);
            drop(turn);
            recording
        });
        match run.await {
            Ok(Ok(recording)) => Ok(json(StatusCode::OK, &recording)),
            Ok(Err(error)) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
            Err(_) => {
                refuse(StatusCode::INTERNAL_SERVER_ERROR, "The run failed; the server's output says why.")
            }
        }
    }

    /// Waits until no other run is under way, unless too many do.
    async fn wait_for_turn(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        const BUSY: &str = "Another run is under way, and others wait for it; try again in a moment.";
        let _queued =
            Queued::new(&self.waiting).map_or_else(|| refuse(StatusCode::TOO_MANY_REQUESTS, BUSY), Ok)?;
        match timeout(WAIT, self.turn.clone().acquire_owned()).await {
            Ok(turn) => Ok(turn.expect("it is never closed")),
            Err(_) => refuse(StatusCode::TOO_MANY_REQUESTS, BUSY),
        }
    }
}

/// One of those who wait for their turn.
struct Queued<'a>(&'a AtomicUsize);

impl<'a> Queued<'a> {
    fn new(waiting: &'a AtomicUsize) -> Option<Self> {
        let queued = Queued(waiting);
        // Who is too much leaves the queue again, on return.
        (waiting.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(queued)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Serialize)]
struct About {
    version: &'static str,
    cores: usize,
    limits: Limits,
    scenarios: Vec<Scenario>,
}

impl About {
    fn new() -> Self {
        About { version: env!("CARGO_PKG_VERSION"), cores: cores(), limits: LIMITS, scenarios: scenarios() }
    }
}

/// Whether a request names this server by its own name. A page from elsewhere can have its own name lead here
/// (DNS rebinding), but then that is the name it asks for.
fn check_host(headers: &HeaderMap, host: IpAddr) -> Result<(), Refusal> {
    let named = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if is_own_name(named, host) {
        return Ok(());
    }
    refuse(StatusCode::FORBIDDEN, "This server answers to `localhost` and to its own address only.")
}

fn is_own_name(named: &str, host: IpAddr) -> bool {
    let name = match named.parse::<SocketAddr>() {
        Ok(address) => return is_own_address(address.ip(), host),
        Err(_) => named.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(named, |(name, _)| name),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    match address.parse() {
        Ok(address) => is_own_address(address, host),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Who listens on all addresses is known by any; they cannot be made to lead elsewhere.
fn is_own_address(address: IpAddr, host: IpAddr) -> bool {
    address.is_loopback() || address == host || host.is_unspecified()
}

fn check_is_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "A set-up is sent with the content type `application/json`.")
}

async fn read(body: Incoming) -> Result<Bytes, Refusal> {
    match timeout(ARRIVAL, Limited::new(body, MOST_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            refuse(StatusCode::PAYLOAD_TOO_LARGE, "A set-up may have 16 KiB at most.")
        }
        Ok(Err(_)) => refuse(StatusCode::BAD_REQUEST, "The set-up did not arrive."),
        Err(_) => refuse(StatusCode::REQUEST_TIMEOUT, "The set-up took too long to arrive."),
    }
}

fn wrong_method(allowed: &'static str) -> Reply {
    let error = format!("Here the method has to be {allowed}.");
    let mut reply = json(StatusCode::METHOD_NOT_ALLOWED, &serde_json::json!({ "error": error }));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    reply
}

fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    let text = serde_json::to_vec(value).expect("plain data");
    reply(status, "application/json; charset=utf-8", text)
}

fn reply(status: StatusCode, mime: &'static str, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    *reply.status_mut() = status;
    let headers = [
        (CONTENT_TYPE, mime),
        // The next build may have another page.
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("content-security-policy"), POLICY),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (HeaderName::from_static("referrer-policy"), "no-referrer"),
    ];
    for (name, value) in headers {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const LAN: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 168, 1, 7));
    const ALL: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

    #[test]
    fn the_server_answers_to_its_own_names() {
        let own = [
            "localhost",
            "localhost:7878",
            "LOCALHOST:1",
            "127.0.0.1",
            "127.0.0.1:7878",
            "[::1]:7878",
            "[::1]",
        ];
        for name in own {
            assert!(is_own_name(name, HERE), "{name}");
        }
        assert!(is_own_name("192.168.1.7:7878", LAN));
        assert!(is_own_name("10.0.0.1:7878", ALL));
    }

    #[test]
    fn the_server_does_not_answer_to_names_that_others_made_up() {
        let foreign =
            ["", "example.com", "example.com:7878", "localhost.example.com", "127.0.0.1.example.com:7878"];
        for name in foreign {
            assert!(!is_own_name(name, HERE) && !is_own_name(name, ALL), "{name}");
        }
        assert!(!is_own_name("192.168.1.7:7878", HERE));
        assert!(!is_own_name("10.0.0.1", LAN));
    }
}
