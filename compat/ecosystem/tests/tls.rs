//! tokio-rustls on heist's streams, and hyper on top of it.

use bytes::Bytes;
use heist::{net::TcpStream, task};
use heist_ecosystem::{Outcome, pair, pattern, run};
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming, header, service::service_fn};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::{
    TlsAcceptor, TlsConnector, client, rustls,
    rustls::{ClientConfig, RootCertStore, ServerConfig, pki_types::PrivateKeyDer},
    server,
};

/// A server and a client that trusts it alone.
fn ends() -> Outcome<(TlsAcceptor, TlsConnector)> {
    let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let certificate = identity.cert.der().clone();
    let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der())?;
    let server =
        ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate.clone()], key)?;
    let mut roots = RootCertStore::empty();
    roots.add(certificate)?;
    let client = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Ok((TlsAcceptor::from(Arc::new(server)), TlsConnector::from(Arc::new(client))))
}

async fn handshake() -> Outcome<(server::TlsStream<TcpStream>, client::TlsStream<TcpStream>)> {
    let (acceptor, connector) = ends()?;
    let (near, far) = pair().await?;
    let accepted = task::spawn(acceptor.accept(far));
    let client = connector.connect("localhost".try_into()?, near).await?;
    Ok((accepted.await??, client))
}

#[test]
fn all_bytes_come_back_through_tls() {
    run(|| async {
        let (mut server, client) = handshake().await?;
        let echo = task::spawn(async move {
            let (mut reader, mut writer) = tokio::io::split(&mut server);
            tokio::io::copy(&mut reader, &mut writer).await?;
            server.shutdown().await
        });
        let (mut reader, mut writer) = tokio::io::split(client);
        let sent = pattern(1 << 20);
        let sends = task::spawn({
            let sent = sent.clone();
            async move {
                writer.write_all(&sent).await?;
                writer.shutdown().await
            }
        });
        let mut received = Vec::new();
        reader.read_to_end(&mut received).await?;
        sends.await??;
        echo.await??;
        assert!(received == sent);
        Ok(())
    });
}

#[test]
fn a_peer_that_nobody_vouches_for_is_refused() {
    run(|| async {
        let ((acceptor, _), (_, connector)) = (ends()?, ends()?);
        let (near, far) = pair().await?;
        let accepted = task::spawn(acceptor.accept(far));
        let error = connector.connect("localhost".try_into()?, near).await.unwrap_err();
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
        assert!(matches!(cause, Some(rustls::Error::InvalidCertificate(_))), "{error:?}");
        assert!(accepted.await?.is_err());
        Ok(())
    });
}

#[test]
fn hyper_serves_over_tls() {
    async fn echo(request: Request<Incoming>) -> Outcome<Response<Incoming>> {
        Ok(Response::new(request.into_body()))
    }

    run(|| async {
        let (server, client) = handshake().await?;
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(server), service_fn(echo));
        let served = task::spawn(connection);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(client)).await?;
        task::spawn(connection);
        let body = Bytes::from(pattern(100_000));
        for _ in 0..3 {
            let request =
                Request::post("/").header(header::HOST, "localhost").body(Full::new(body.clone()))?;
            sender.ready().await?;
            let answer = sender.send_request(request).await?;
            assert!(answer.collect().await?.to_bytes() == body);
        }
        drop(sender);
        served.await??;
        Ok(())
    });
}
