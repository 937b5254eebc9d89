//! Opening the stream of a session, and what its end means.

use std::error::Error as _;
use std::pin::Pin;
use std::time::Duration;

use prost::bytes::{Buf, Bytes};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstEncoder;

use crate::error::{Error, Rejection, cause};
use crate::settings::Settings;
use crate::v1;

// servers end connections that ping more often than every five minutes, unless set otherwise
const KEEPALIVE_TIME: Duration = Duration::from_secs(310);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_RECEIVED_BYTES: usize = 1 << 20;
const PLAY: PathAndQuery = PathAndQuery::from_static("/fairdeal.v1.PlayService/Play");

// reasons that another attempt cannot change
const FINAL_REASONS: [&str; 8] = [
    "MISSING_TOKEN",
    "WRONG_SEAT",
    "WRONG_ROLE",
    "ENDED_BY_ORGANISER",
    "UNSUPPORTED_VERSION",
    "PROTOCOL_VIOLATION",
    "MESSAGE_TOO_LARGE",
    "REPLACED",
];

// reasons that may soon be gone, so that even a bot that was not welcomed yet dials again
const BUSY_REASONS: [&str; 2] = ["RATE_LIMITED", "TOO_MANY_SESSIONS"];

/// What ended a stream.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) error: Error,
    /// Set where nobody answers at the address just now.
    pub(crate) absence: Option<Absence>,
}

/// What the network says of a referee that is not there.
#[derive(Debug)]
pub(crate) struct Absence {
    pub(crate) why: String,
    /// Whether a server accepted the connection and closed it without a message.
    pub(crate) hung_up: bool,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self { error, absence: None }
    }
}

impl Broken {
    fn not_there(address: &str, why: String, hung_up: bool) -> Self {
        let error = Error::CannotConnect(format!("no referee answers at {address}: {why}"));
        Self { error, absence: Some(Absence { why, hung_up }) }
    }

    /// Returns whether a bot that was not welcomed yet has reason to dial again: nobody is there, or too many.
    pub(crate) fn is_passing(&self) -> bool {
        let is_busy = matches!(&self.error, Error::Rejected(rejection)
            if BUSY_REASONS.contains(&rejection.reason.as_str()));
        is_busy || self.absence.is_some()
    }

    /// Returns whether a bot that plays, or one that does not, has no reason to dial again.
    pub(crate) fn is_final(&self, is_playing: bool) -> bool {
        if matches!(self.error, Error::Protocol(_)) {
            return true;
        }
        let (Error::Rejected(rejection) | Error::Replaced(rejection)) = &self.error else {
            return false;
        };
        let reason = rejection.reason.as_str();
        FINAL_REASONS.contains(&reason) || (reason == "SHUTTING_DOWN" && !is_playing)
    }
}

/// Dials the referee, for so long at most.
pub(crate) async fn dial(settings: &Settings, patience: Duration) -> Result<Channel, Broken> {
    let endpoint = settings
        .endpoint
        .clone()
        .http2_keep_alive_interval(KEEPALIVE_TIME)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT);
    match tokio::time::timeout(patience, endpoint.connect()).await {
        Ok(Ok(channel)) => Ok(channel),
        Ok(Err(error)) => Err(Broken::not_there(&settings.address, cause(&error), false)),
        Err(_) => {
            let why = format!("no answer within {} s", patience.as_secs_f64());
            Err(Broken::not_there(&settings.address, why, false))
        }
    }
}

type Opening = Pin<Box<dyn Future<Output = Result<Streaming<Bytes>, Status>> + Send>>;

/// The referee's side of a stream; the referee may open it late.
pub(crate) enum Incoming {
    Opening(Opening),
    Open(Box<Streaming<Bytes>>),
}

impl Incoming {
    /// Returns the next frame, `None` at the end. Nothing is lost when the call is dropped and made again.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Status> {
        loop {
            match self {
                Self::Opening(opening) => {
                    let streaming = opening.await?;
                    *self = Self::Open(Box::new(streaming));
                }
                Self::Open(streaming) => return streaming.message().await,
            }
        }
    }
}

/// Requests are messages, and frames stay the bytes as which they came: what a bot keeps is made of them.
struct Frames;

impl Codec for Frames {
    type Encode = v1::PlayRequest;
    type Decode = Bytes;
    type Encoder = ProstEncoder<v1::PlayRequest>;
    type Decoder = Self;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Decoder for Frames {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(source.copy_to_bytes(source.remaining())))
    }
}

/// Opens the stream of a session: what is sent to the sender goes out, its end half-closes the stream.
pub(crate) fn open(channel: Channel, settings: &Settings) -> (mpsc::Sender<v1::PlayRequest>, Incoming) {
    // one frame waits at most: what comes up until it is taken shares the next one
    let (sender, receiver) = mpsc::channel(1);
    let mut request = Request::new(ReceiverStream::new(receiver));
    if let Some(authorization) = &settings.authorization {
        request.metadata_mut().insert("authorization", authorization.clone());
    }
    let mut client = Grpc::new(channel).max_decoding_message_size(MAX_RECEIVED_BYTES);
    let opening = async move {
        client.ready().await.map_err(|error| Status::from_error(error.into()))?;
        client.streaming(request, PLAY, Frames).await.map(tonic::Response::into_inner)
    };
    (sender, Incoming::Opening(Box::pin(opening)))
}

/// Returns what a stream's status means for the bot, which the referee has welcomed or not.
pub(crate) fn meaning(status: &Status, address: &str, welcomed: bool) -> Broken {
    let trailing = |name: &str| {
        let value = status.metadata().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let (reason, incident) = (trailing("fairdeal-reason"), trailing("fairdeal-incident"));
    // only what goes wrong on this side of the wire has a cause
    let network = status.source().map(cause);
    let text = match &network {
        Some(why) => why.clone(),
        None if status.message().is_empty() => status.code().description().to_owned(),
        None => status.message().to_owned(),
    };
    if !reason.is_empty() {
        let text = format!("the referee at {address} ended the session: {text} ({reason})");
        let is_replaced = reason == "REPLACED";
        let rejection = Rejection { text, reason, incident };
        let error = if is_replaced { Error::Replaced(rejection) } else { Error::Rejected(rejection) };
        return error.into();
    }
    if status.code() == Code::Unimplemented {
        return Error::CannotConnect(format!("{address} answers, but it is not a referee: {text}")).into();
    }
    if !welcomed && (network.is_some() || status.code() == Code::Unavailable) {
        return Broken::not_there(address, text, network.is_some());
    }
    Error::ConnectionLost(format!("the session with the referee at {address} broke: {text}")).into()
}

#[cfg(test)]
mod tests;
