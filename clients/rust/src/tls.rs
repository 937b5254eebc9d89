//! The files for TLS, read and checked before anything is dialled.

use std::fs;

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::error::{Error, cause};

/// Reads the files that are named and returns what a channel takes; `None` without any.
///
/// # Errors
///
/// `BadSetting`: one is missing, cannot be read, or holds something else.
pub(crate) fn load(ca: &str, cert: &str, key: &str) -> Result<Option<ClientTlsConfig>, Error> {
    if !cert.is_empty() && key.is_empty() {
        return bad(format!("cert {cert}: its key is missing; give it as key or FAIRDEAL_KEY"));
    }
    if !key.is_empty() && cert.is_empty() {
        return bad(format!("key {key}: its certificate is missing; give it as cert or FAIRDEAL_CERT"));
    }
    if !cert.is_empty() && ca.is_empty() {
        return bad(format!(
            "cert {cert}: the certificates to trust are missing; give them as ca or FAIRDEAL_CA"
        ));
    }
    if ca.is_empty() {
        return Ok(None);
    }
    let trusted = read("CA", ca)?;
    if !holds_certificates(&trusted) {
        return bad(format!("CA file {ca}: holds no certificates in PEM"));
    }
    let config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(trusted));
    if cert.is_empty() {
        return Ok(Some(config));
    }
    let (certificate, private_key) = (read("cert", cert)?, read("key", key)?);
    let is_pair = holds_certificates(&certificate)
        && PrivateKeyDer::from_pem_slice(&private_key).is_ok()
        // that they belong together shows when they are put to use
        && is_usable(&config.clone().identity(Identity::from_pem(&certificate, &private_key)));
    if !is_pair {
        return bad(format!(
            "cert file {cert} and key file {key}: are not a certificate and its key in PEM, \
             without a password"
        ));
    }
    Ok(Some(config.identity(Identity::from_pem(certificate, private_key))))
}

fn holds_certificates(pem: &[u8]) -> bool {
    let mut all = CertificateDer::pem_slice_iter(pem).peekable();
    all.peek().is_some() && all.all(|each| each.is_ok())
}

fn is_usable(config: &ClientTlsConfig) -> bool {
    Endpoint::from_static("https://localhost").tls_config(config.clone()).is_ok()
}

fn read(name: &str, path: &str) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| Error::BadSetting(format!("{name} file {path}: {}", cause(&error))))
}

fn bad<T>(text: String) -> Result<T, Error> {
    Err(Error::BadSetting(text))
}
