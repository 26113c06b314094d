//! Encrypted connections to the server: `sslmode=require` in the address. The server's certificate is always checked: against the file of
//! `sslrootcert`, or against the authorities that browsers trust.

use crate::store::StoreError;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const ROOTS: &str = "sslrootcert";

/// Takes the file with certificates out of an address: the driver does not know that parameter.
pub(super) fn split_roots(url: &str) -> (String, Option<PathBuf>) {
    let Some((server, query)) = url.split_once('?') else { return (url.to_owned(), None) };
    let (mut others, mut roots) = (Vec::new(), None);
    for parameter in query.split('&') {
        match parameter.split_once('=') {
            Some((ROOTS, path)) => {
                roots = Some(PathBuf::from(&*percent_encoding::percent_decode_str(path).decode_utf8_lossy()));
            }
            _ => others.push(parameter),
        }
    }
    (format!("{server}?{}", others.join("&")), roots)
}

/// Begins encrypted connections.
#[derive(Clone)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    pub(super) fn new(roots: Option<PathBuf>) -> Result<Self, StoreError> {
        let unusable = |error: String| {
            StoreError::Unavailable(format!("the certificates of {ROOTS} cannot be used: {error}"))
        };
        let mut trusted = RootCertStore::empty();
        match roots {
            None => trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(path) => {
                let certificates =
                    CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
                    trusted.add(certificate).map_err(|error| unusable(error.to_string()))?;
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(error.to_string()))?
            .with_root_certificates(trusted)
            .with_no_client_auth();
        Ok(Self { config: Arc::new(config) })
    }
}

/// An address of a server, and how to speak with it.
pub(super) struct Connect {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = io::Error;

    fn make_tls_connect(&mut self, name: &str) -> io::Result<Connect> {
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        Ok(Connect { config: Arc::clone(&self.config), name })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connect {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(
            async move { TlsConnector::from(self.config).connect(self.name, stream).await.map(Encrypted) },
        )
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_taken_out_of_the_address() {
        let split = |url: &str| split_roots(url);
        assert_eq!(split("postgres://a@b/c"), ("postgres://a@b/c".to_owned(), None));
        let (url, roots) = split("postgres://a@b/c?sslmode=require&sslrootcert=/x%20y.pem&keepalives=1");
        assert_eq!(url, "postgres://a@b/c?sslmode=require&keepalives=1");
        assert_eq!(roots, Some("/x y.pem".into()));
    }
}
