//! What can go wrong for a bot.

use std::fmt;

/// Anything that ends a session other than its own end; the text is one line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An invalid setting; the text names it and what is allowed.
    BadSetting(String),
    /// No referee answers at the address.
    CannotConnect(String),
    /// The session broke: the referee, or the way to it, is gone.
    ConnectionLost(String),
    /// The referee sent something that this version does not understand.
    Protocol(String),
    /// The referee refused the session or ended it.
    Rejected(Rejection),
    /// A newer session of the same entry and instance took over.
    Replaced(Rejection),
}

/// Why the referee refused a session or ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The same in words.
    pub text: String,
    /// One of the protocol's stable reasons, such as `MISSING_TOKEN`.
    pub reason: String,
    /// What names the occurrence in the referee's log; empty if nothing does.
    pub incident: String,
}

pub(crate) const AS_IT_SHOULD_BE: &str = "is a referee of the same version of fairdeal";

impl Error {
    /// Adds the address and a remedy to a protocol error.
    pub(crate) fn at(self, address: &str) -> Self {
        match self {
            Self::Protocol(text) => Self::Protocol(format!("{text}; check that {address} {AS_IT_SHOULD_BE}")),
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSetting(text)
            | Self::CannotConnect(text)
            | Self::ConnectionLost(text)
            | Self::Protocol(text) => f.write_str(text),
            Self::Rejected(rejection) | Self::Replaced(rejection) => f.write_str(&rejection.text),
        }
    }
}

impl std::error::Error for Error {}

/// Returns what an error of the system comes down to, without its number.
pub(crate) fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    let text = root.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
