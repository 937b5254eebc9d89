//! Where and how a bot plays: what `run` was given, else what the environment says, else the default.

use std::time::Duration;

use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{ClientTlsConfig, Endpoint};

use crate::error::Error;
use crate::folder;
use crate::session::VERSION;
use crate::tls;
use crate::v1;

/// Where `fairdeal serve` listens.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:7447";

/// Where and how a bot plays. What is `None` comes from the environment, as hosted bots find it.
///
/// ```
/// use fairdeal::Options;
///
/// let options = Options { matches: 1, ..Options::default() };
/// ```
#[derive(Clone)]
pub struct Options {
    /// The referee, `host:port` or `unix:/path`; FAIRDEAL_ADDRESS, or else 127.0.0.1:7447.
    pub address: Option<String>,
    /// What the entry may speak by; FAIRDEAL_TOKEN.
    pub token: Option<String>,
    /// The entry that plays; FAIRDEAL_ENTRY, or else the name of the bot's type or function.
    pub entry: Option<String>,
    /// Tells several sessions of one entry apart; FAIRDEAL_INSTANCE.
    pub instance: Option<String>,
    /// The games that the bot plays; empty: every game.
    pub games: Vec<String>,
    /// How many tables the bot plays at once; 64 by default.
    pub tables: u32,
    /// How many matches the bot plays; 0, the default: no limit.
    pub matches: u32,
    /// What [`Decision::chance`](crate::Decision::chance) draws from; FAIRDEAL_SEED.
    pub seed: Option<String>,
    /// A file with the certificates to trust, for TLS; FAIRDEAL_CA.
    pub ca: Option<String>,
    /// A file with the bot's own certificate, for mutual TLS; FAIRDEAL_CERT.
    pub cert: Option<String>,
    /// A file with the key of `cert`; FAIRDEAL_KEY.
    pub key: Option<String>,
    /// A file to which lines are appended that show afterwards what the bot was told and answered, or
    /// with a slash at the end a folder of such files; empty: none. FAIRDEAL_KEEP, or else
    /// ~/.local/state/fairdeal/kept/ENTRY/.
    pub keep: Option<String>,
    /// Whether what has one legal answer is played without a call of [`Bot::act`](crate::Bot::act); it is not by default.
    pub play_forced: bool,
    /// How long to wait for the referee; 30 seconds by default.
    pub connect_timeout: Duration,
    /// How long to dial a lost referee again, zero for never; 60 seconds by default.
    pub reconnect_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: None,
            token: None,
            entry: None,
            instance: None,
            games: Vec::new(),
            tables: 64,
            matches: 0,
            seed: None,
            ca: None,
            cert: None,
            key: None,
            keep: None,
            play_forced: false,
            connect_timeout: Duration::from_secs(30),
            reconnect_timeout: Duration::from_secs(60),
        }
    }
}

/// Options with every question settled.
pub(crate) struct Settings {
    /// Where the bot begins.
    pub(crate) home: String,
    /// Where it is, or goes next.
    pub(crate) address: String,
    tls: Option<ClientTlsConfig>,
    /// What dials the address; options of the channel are still to be set.
    pub(crate) endpoint: Endpoint,
    pub(crate) has_tls: bool,
    pub(crate) has_cert: bool,
    /// The value of the metadata `authorization`.
    pub(crate) authorization: Option<AsciiMetadataValue>,
    pub(crate) hello: v1::Hello,
    pub(crate) seed: String,
    pub(crate) keep: String,
    pub(crate) connect_timeout: f64,
    pub(crate) reconnect_timeout: f64,
}

impl Settings {
    /// Returns the settings; `name` is the bot's own, used when no entry is set.
    ///
    /// # Errors
    ///
    /// `BadSetting`: one of them is invalid; the text names it.
    pub(crate) fn settle(
        options: &Options,
        name: &str,
        wants_events: bool,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let found = |given: &Option<String>, variable: &str, default: &str| {
            given.clone().or_else(|| environment(variable)).unwrap_or_else(|| default.to_owned())
        };
        let address = found(&options.address, "FAIRDEAL_ADDRESS", DEFAULT_ADDRESS);
        let token = found(&options.token, "FAIRDEAL_TOKEN", "");
        let seed = found(&options.seed, "FAIRDEAL_SEED", "");
        let ca = found(&options.ca, "FAIRDEAL_CA", "");
        let cert = found(&options.cert, "FAIRDEAL_CERT", "");
        let key = found(&options.key, "FAIRDEAL_KEY", "");
        let entry = found(&options.entry, "FAIRDEAL_ENTRY", name);
        let keep = found(&options.keep, "FAIRDEAL_KEEP", &folder::usual(&entry, &environment));
        let tls = tls::load(&ca, &cert, &key)?;
        let has_tls = tls.is_some();
        let endpoint = endpoint(&address, tls.clone())?;
        if options.tables < 1 {
            return bad(format!("tables {}: must be 1 or more", options.tables));
        }
        let authorization = authorization(&token)?;
        if !seed.is_ascii() {
            return bad(format!("seed '{}': must be ASCII", seed.escape_debug()));
        }
        let hello = v1::Hello {
            versions: vec![VERSION],
            entry,
            instance: found(&options.instance, "FAIRDEAL_INSTANCE", ""),
            games: options.games.clone(),
            tables: options.tables,
            matches: options.matches,
            events: wants_events,
            resume: Vec::new(),
            agent: concat!("fairdeal-rust/", env!("CARGO_PKG_VERSION")).to_owned(),
            redirects: true,
        };
        Ok(Self {
            home: address.clone(),
            address,
            tls,
            endpoint,
            has_tls,
            has_cert: !cert.is_empty(),
            authorization,
            hello,
            seed,
            keep,
            connect_timeout: options.connect_timeout.as_secs_f64(),
            reconnect_timeout: options.reconnect_timeout.as_secs_f64(),
        })
    }

    /// Has the next stream go where a referee sends the bot; empty: where it began.
    ///
    /// # Errors
    ///
    /// `BadSetting`: that is no address.
    pub(crate) fn go_to(&mut self, sent_to: &str) -> Result<(), Error> {
        let address = place_of(sent_to, &self.home);
        self.endpoint = endpoint(&address, self.tls.clone())?;
        self.address = address;
        Ok(())
    }
}

/// Returns the address that a bot is sent to by a referee which it dialled at `address`.
fn place_of(sent_to: &str, address: &str) -> String {
    match address.rsplit_once(':') {
        Some((host, _)) if sent_to.starts_with(':') => format!("{host}{sent_to}"),
        _ if sent_to.is_empty() => address.to_owned(),
        _ => sent_to.to_owned(),
    }
}

fn endpoint(address: &str, tls: Option<ClientTlsConfig>) -> Result<Endpoint, Error> {
    if address.is_empty() {
        return bad(format!("the address is empty: give one, such as {DEFAULT_ADDRESS} or unix:/path"));
    }
    let wrong = || {
        let quoted = address.escape_debug();
        Error::BadSetting(format!("address '{quoted}': must be HOST:PORT or unix:/PATH"))
    };
    if let Some(path) = address.strip_prefix("unix:") {
        if path.is_empty() {
            return Err(wrong());
        }
        if tls.is_some() {
            return bad(format!("address {address}: no TLS over a Unix socket; leave ca (FAIRDEAL_CA) out"));
        }
        return Endpoint::from_shared(address.to_owned()).map_err(|_| wrong());
    }
    let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
    let is_number = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
    let is_host = !host.is_empty()
        && !host.contains(['/', '?', '#', '@'])
        && (!host.contains(':') || (host.starts_with('[') && host.ends_with(']')));
    if !is_number || !is_host {
        return Err(wrong());
    }
    if !port.parse::<u16>().is_ok_and(|port| port > 0) {
        return bad(format!("address '{address}': the port must be 1 to 65535"));
    }
    let scheme = if tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{address}")).map_err(|_| wrong())?;
    match tls {
        Some(config) => endpoint.tls_config(config).map_err(|_| wrong()),
        None => Ok(endpoint),
    }
}

fn authorization(token: &str) -> Result<Option<AsciiMetadataValue>, Error> {
    if !token.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return bad("token: must be printable ASCII".to_owned());
    }
    if token.is_empty() {
        return Ok(None);
    }
    let value = format!("Bearer {token}");
    value.parse().map(Some).or_else(|_| bad("token: must be printable ASCII".to_owned()))
}

fn bad<T>(text: String) -> Result<T, Error> {
    Err(Error::BadSetting(text))
}

#[cfg(test)]
mod tests;
