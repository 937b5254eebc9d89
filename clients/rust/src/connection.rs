//! A session over gRPC: an end to every wait, and back when the stream breaks.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tonic::transport::Channel;

use crate::backoff::{Backoff, LASTING, LONGEST_DELAY};
use crate::bot::{lines_of, tell};
use crate::error::{AS_IT_SHOULD_BE, Error, Rejection};
use crate::ledger::Ledger;
use crate::session::{Reply, Session};
use crate::settings::Settings;
use crate::stream::{self, Absence, Broken};
use crate::updates::Update;
use crate::v1;

const GOODBYE: Duration = Duration::from_secs(3); // how long the end of a session may take
const ANSWER: Duration = Duration::from_secs(3); // how long to wait for the referee to say that no more comes
const UNHEARD_GOODBYE: Duration = Duration::from_millis(200); // the same where nothing was heard of the referee
const SILENT_HEARTBEATS: u32 = 3; // after so many heartbeats without a frame the referee counts as gone
const LEAST_PATIENCE: f64 = 1.0; // the last attempt needs time to find out why it fails
const LONGEST_DIALLING: Duration = Duration::from_secs(5); // how long one attempt may take
const LONGEST_FIRST_DELAY: f64 = 1.0; // a referee that is just starting should be found soon
const SHARING: Duration = Duration::from_millis(1); // how long an answer waits for others to go with it
const MOVES: u32 = 4; // how often a bot that was just sent on is sent on again before it waits a moment
const MOMENT: f64 = 1.0; // seconds
const SILENCE: f64 = 2.0; // after so long without a referee, a line says why

// how an error looks when nothing listens at the address
const NOBODY_THERE: [&str; 6] =
    ["refused", "unreachable", "No route", "failed to lookup", "no answer within", "timed out"];

/// What connects a session with the bot, which plays in a thread of its own.
pub(crate) struct Links {
    /// What the bot is told, in order.
    pub(crate) updates: std::sync::mpsc::Sender<Vec<Update>>,
    /// What the bot answers.
    pub(crate) replies: mpsc::UnboundedReceiver<Reply>,
    /// How often the process was asked to end.
    pub(crate) stop: watch::Receiver<u32>,
}

/// One session of a bot, from the first dialling to its end.
pub(crate) struct Connection {
    settings: Settings,
    session: Session,
    links: Links,
    started: Instant,
    welcomed_at: f64,
    was_lost: bool,
    /// Whether the referee has sent the bot to where it is.
    is_sent: bool,
    moves: u32,
    has_told: bool,
    /// How many decisions the bot has still to answer.
    asked: usize,
    /// Until when the referee may say that no more matches come.
    unanswered: Option<Instant>,
}

impl Connection {
    pub(crate) fn new(settings: Settings, ledger: Ledger, links: Links) -> Self {
        let session = Session::new(settings.hello.clone(), settings.seed.clone(), ledger);
        let started = Instant::now();
        Self {
            settings,
            session,
            links,
            started,
            welcomed_at: 0.0,
            was_lost: false,
            is_sent: false,
            moves: 0,
            has_told: false,
            asked: 0,
            unanswered: None,
        }
    }

    /// Connects and plays until the session ends; when told to stop, says goodbye first.
    pub(crate) async fn run(mut self) -> Result<(), Error> {
        let reconnect_timeout = self.settings.reconnect_timeout;
        let mut arrival = Backoff::new(self.now(), self.settings.connect_timeout, LONGEST_FIRST_DELAY);
        let mut comeback: Option<Backoff> = None;
        loop {
            let left = comeback.as_ref().unwrap_or(&arrival).left(self.now());
            let Some(broken) = self.over_stream(left).await? else { return Ok(()) };
            let now = self.now();
            if self.session.welcomed {
                let schedule =
                    comeback.get_or_insert_with(|| Backoff::new(now, reconnect_timeout, LONGEST_DELAY));
                let lasted = now - self.welcomed_at;
                // a bot that is too fast whenever it is back must not dial forever
                if lasted >= LASTING || !broken.is_passing() {
                    schedule.restart(now, reconnect_timeout, lasted);
                }
            }
            if self.session.retiring && self.session.playing() == 0 {
                return Ok(());
            }
            if let Some(sent_to) = self.session.sent_to.take() {
                if !self.move_on(&sent_to, now).await? {
                    return Ok(());
                }
                continue;
            }
            let may_return = comeback.is_some() || broken.is_passing();
            if !may_return || broken.is_final(self.session.playing() > 0) {
                return Err(broken.error);
            }
            let schedule = comeback.as_mut().unwrap_or(&mut arrival);
            let Some(delay) = schedule.next_delay(now, drawn()) else {
                return Err(self.in_vain(broken));
            };
            if self.session.welcomed || self.is_sent {
                self.was_lost = true;
                tell(&format!("{}; dialling again for up to {reconnect_timeout} s", broken.error));
            } else if !(self.was_lost || self.has_told) && now >= SILENCE {
                self.has_told = true;
                let seconds = self.settings.connect_timeout;
                tell(&format!("{}; dialling for up to {seconds} s", broken.error));
            }
            self.settings.go_to("")?;
            self.is_sent = false;
            self.session.rejoin();
            if !self.pause(delay).await {
                return Ok(());
            }
        }
    }

    /// Goes on where the referee sends the bot, at once unless it is sent to and fro; returns whether to.
    async fn move_on(&mut self, sent_to: &str, now: f64) -> Result<bool, Error> {
        self.moves = if now - self.welcomed_at < MOMENT { self.moves + 1 } else { 0 };
        self.settings.go_to(sent_to)?;
        self.is_sent = true;
        self.session.rejoin();
        Ok(self.pause(if self.moves > MOVES { MOMENT } else { 0.0 }).await)
    }

    /// Waits for so many seconds; returns whether to go on.
    async fn pause(&mut self, seconds: f64) -> bool {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        loop {
            tokio::select! {
                () = sleep_until(end) => return true,
                () = stopped(&mut self.links.stop) => if self.leaves() { return false },
            }
        }
    }

    /// Handles a request to end the process; returns whether the session leaves at once.
    ///
    /// At the first request it finishes its matches and takes no more.
    fn leaves(&mut self) -> bool {
        let playing = self.session.playing();
        if *self.links.stop.borrow() > 1 || !(playing > 0 || self.session.welcomed) {
            return true;
        }
        if playing > 0 {
            let matches = if playing == 1 { "1 match".to_owned() } else { format!("{playing} matches") };
            tell(&format!("finishing {matches}; a second Ctrl-C leaves now"));
        }
        self.session.retire();
        self.unanswered = Some(Instant::now() + ANSWER);
        false
    }

    /// Returns the error for the end of the time for dialling.
    fn in_vain(&self, broken: Broken) -> Error {
        let settings = &self.settings;
        if self.session.welcomed {
            return broken.error; // there was no time to dial again
        }
        if self.was_lost {
            let seconds = settings.reconnect_timeout;
            return Error::ConnectionLost(format!("{}; the bot dialled again for {seconds} s", broken.error));
        }
        let (address, seconds) = (&settings.address, settings.connect_timeout);
        let absence = match (broken.absence, broken.error) {
            (Some(absence), _) => absence,
            (None, Error::Rejected(rejection)) => {
                let text = format!("{}; the bot dialled for {seconds} s", rejection.text);
                return Error::Rejected(Rejection { text, ..rejection });
            }
            (None, error) => return error,
        };
        let hint = self.hint(&absence);
        Error::CannotConnect(format!(
            "no referee answers at {address} within {seconds} s: {}{hint}",
            absence.why
        ))
    }

    /// Returns advice where a server answers, but TLS may be missing on one side, or differ.
    fn hint(&self, absence: &Absence) -> String {
        let Settings { has_tls, has_cert, .. } = self.settings;
        if !has_tls {
            let hint = if absence.hung_up { "; if it speaks TLS, give ca (FAIRDEAL_CA)" } else { "" };
            return hint.to_owned();
        }
        if NOBODY_THERE.iter().any(|sign| absence.why.contains(sign)) {
            return String::new();
        }
        let wants_cert = absence.hung_up && !has_cert;
        let cert = "; if it wants a certificate, give cert and key (FAIRDEAL_CERT, FAIRDEAL_KEY)";
        let cert = if wants_cert { cert } else { "" };
        format!("; check FAIRDEAL_CA, and that the referee speaks TLS{cert}")
    }

    /// Plays over one stream until it ends; returns what broke it, `None` when the bot has left.
    ///
    /// # Errors
    ///
    /// A newer session took over, or the referee sent something invalid.
    async fn over_stream(&mut self, left: f64) -> Result<Option<Broken>, Error> {
        let patience = left.min(self.settings.connect_timeout).max(LEAST_PATIENCE);
        let patience = Duration::try_from_secs_f64(patience).unwrap_or(Duration::MAX);
        let deadline = Instant::now().checked_add(patience);
        let dialled = loop {
            tokio::select! {
                dialled = stream::dial(&self.settings, patience.min(LONGEST_DIALLING)) => break dialled,
                () = stopped(&mut self.links.stop) => if self.leaves() { return Ok(None) },
            }
        };
        match dialled {
            Ok(channel) => self.converse(channel, deadline).await,
            Err(broken) => Ok(Some(broken)),
        }
    }

    /// Plays over a connection; it waits for a welcome until the deadline.
    async fn converse(
        &mut self,
        channel: Channel,
        mut deadline: Option<Instant>,
    ) -> Result<Option<Broken>, Error> {
        let (sender, mut incoming) = stream::open(channel, &self.settings);
        let mut outgoing = Some(sender);
        let mut waiting = VecDeque::new();
        let mut failed = None;
        let mut sharing_until: Option<Instant> = None;
        let mut is_closed = false;
        let mut has_goodbye_deadline = false;
        let broken = loop {
            if (self.session.leaving || is_closed) && !has_goodbye_deadline {
                // a stream that takes nothing any more says why, a referee ends it after a goodbye: soon
                has_goodbye_deadline = true;
                let is_unheard = self.session.leaving && self.session.frames == 0;
                let goodbye = Instant::now() + if is_unheard { UNHEARD_GOODBYE } else { GOODBYE };
                deadline = Some(deadline.map_or(goodbye, |deadline| deadline.min(goodbye)));
            }
            if self.asked == 0 || self.session.leaving {
                sharing_until = None;
            }
            let has_requests = !waiting.is_empty() || self.session.has_requests();
            tokio::select! {
                biased;
                () = stopped(&mut self.links.stop), if !self.session.leaving => {
                    if self.leaves() {
                        self.session.leave();
                    }
                }
                // an older referee does not know the request, and does not answer
                () = until(self.unanswered), if self.unanswered.is_some() => {
                    self.unanswered = None;
                    self.session.drain();
                }
                next = incoming.next() => match next {
                    Ok(Some(frame)) => {
                        if let Err(error) = self.receive(&frame) {
                            failed = Some(error);
                            self.session.leave();
                        }
                        if !has_goodbye_deadline {
                            deadline = self.silence();
                        }
                    }
                    Ok(None) => break self.ended(),
                    Err(status) => {
                        break stream::meaning(&status, &self.settings.address, self.session.welcomed);
                    }
                },
                Some(reply) = self.links.replies.recv() => {
                    self.answer(reply);
                    while let Ok(reply) = self.links.replies.try_recv() {
                        self.answer(reply);
                    }
                    sharing_until = sharing_until.or_else(|| Some(Instant::now() + SHARING));
                }
                () = until(sharing_until), if sharing_until.is_some() => sharing_until = None,
                room = room(outgoing.as_ref()), if has_requests && !is_closed && sharing_until.is_none() => {
                    is_closed = room.is_none_or(|room| {
                        waiting.extend(self.session.take_requests());
                        if let Some(request) = waiting.pop_front() {
                            room.send(request);
                        }
                        self.session.left && waiting.is_empty()
                    });
                }
                () = until(deadline) => break self.timed_out(is_closed),
            }
            if is_closed {
                outgoing = None; // which half-closes the stream
            }
        };
        match failed {
            Some(error) => Err(error.at(&self.settings.address)),
            None if self.session.leaving => Ok(None),
            None => Ok(Some(broken)),
        }
    }

    fn answer(&mut self, reply: Reply) {
        self.asked -= 1;
        self.session.answer(reply);
    }

    fn receive(&mut self, frame: &[u8]) -> Result<(), Error> {
        let updates = self.session.receive(frame)?;
        if self.session.frames == 1 {
            self.welcomed_at = self.now();
            if self.was_lost && !self.is_sent {
                let address = &self.settings.address;
                tell(&format!("the session with the referee at {address} is back"));
            }
        }
        self.asked += updates.iter().filter(|update| matches!(update, Update::Decision(..))).count();
        for update in &updates {
            // at once, for the bot may be busy for ever
            if let Update::Closed(seated, closed) = update {
                lines_of(seated, closed).iter().for_each(|line| tell(line));
            }
        }
        if !updates.is_empty() {
            // the bot's thread takes updates until this end is dropped
            let _ = self.links.updates.send(updates);
        }
        Ok(())
    }

    /// Returns when the referee counts as gone unless it sends something, `None` for never.
    fn silence(&self) -> Option<Instant> {
        let heartbeat = self.session.heartbeat;
        let silence = heartbeat.checked_mul(SILENT_HEARTBEATS).filter(|silence| !silence.is_zero())?;
        Instant::now().checked_add(silence)
    }

    fn timed_out(&self, is_closed: bool) -> Broken {
        let address = &self.settings.address;
        if !self.session.welcomed {
            return Error::CannotConnect(format!("the referee at {address} did not welcome the bot in time"))
                .into();
        }
        if is_closed {
            return Error::ConnectionLost(format!("the session with the referee at {address} broke")).into();
        }
        self.lost("is not responding")
    }

    fn ended(&self) -> Broken {
        if self.session.welcomed {
            return self.lost("ended the session");
        }
        self.lost(&format!("ended the session before it welcomed the bot; check that it {AS_IT_SHOULD_BE}"))
    }

    fn lost(&self, how: &str) -> Broken {
        Error::ConnectionLost(format!("the referee at {} {how}", self.settings.address)).into()
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

async fn room(outgoing: Option<&mpsc::Sender<v1::PlayRequest>>) -> Option<mpsc::Permit<'_, v1::PlayRequest>> {
    outgoing?.reserve().await.ok()
}

async fn stopped(stop: &mut watch::Receiver<u32>) {
    if stop.changed().await.is_err() {
        std::future::pending::<()>().await; // nobody is left who could say so
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Returns a random number from 0 to 1.
fn drawn() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests;
