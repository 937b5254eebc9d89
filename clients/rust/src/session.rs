//! A session as pure logic: frames in, updates out; answers in, requests out. No I/O and no clock.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use prost::Message;

use crate::error::{Error, Rejection};
use crate::ledger::Ledger;
use crate::updates::{Decision, Seated, Update, duration};
use crate::v1;

/// The version of the protocol that is spoken here.
pub(crate) const VERSION: u32 = 1;

const MAX_FRAME_BYTES: usize = 32 * 1024;

// A frame received is acknowledged with the next request; without one, after so many frames or bytes,
// which is a quarter of what the referee allows.
const ACKNOWLEDGE_FRAMES: u64 = 16;
const ACKNOWLEDGE_BYTES: usize = 64 * 1024;

/// What is known of a match that the bot has a seat in.
struct Match {
    seated: Arc<Seated>,
    /// The last event received.
    sequence: u32,
    /// The last decision, one at a time.
    asked: u32,
    /// Held while it is neither answered nor closed; the bot's thread looks whether it is.
    open: Option<Arc<()>>,
    /// Whether it came over the current stream.
    is_asked_here: bool,
    /// What it was answered, until it is closed.
    answer: Option<v1::Answer>,
}

/// A bot's answer on its way to the session.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) seated: Arc<Seated>,
    pub(crate) decision_id: u32,
    pub(crate) answer: v1::answer::Answer,
    pub(crate) note: String,
}

/// One session with a referee, over one stream or, by `rejoin`, several; its first request is the hello.
///
/// It takes every seat that it is given. It leaves by itself after the hello's number of matches, and when
/// it plays nothing and no more matches come: the referee is about to leave, or was asked for no more. The
/// seed is what the decisions' generators are made from; the ledger keeps what is told and answered.
pub(crate) struct Session {
    opening: v1::Hello,
    hello: Option<v1::Hello>,
    seed: String,
    ledger: Ledger,
    matches: BTreeMap<String, Match>,
    pending: v1::PlayRequest,
    acknowledged: u64,
    unacknowledged_bytes: usize,
    must_acknowledge: bool,
    max_frame_bytes: usize,
    acknowledge_frames: u64,
    acknowledge_bytes: usize,
    played: u32,
    /// How many frames were received over the current stream.
    pub(crate) frames: u64,
    /// Whether the referee has opened the session over the current stream.
    pub(crate) welcomed: bool,
    /// How often the referee sends something; zero: only when there is something to send.
    pub(crate) heartbeat: Duration,
    /// Whether the referee has said that no more matches come.
    draining: bool,
    /// Whether the bot wants no more matches, which the referee is told over each stream.
    pub(crate) retiring: bool,
    /// Whether the bot says goodbye with the next requests.
    pub(crate) leaving: bool,
    /// Whether all requests were given, goodbye the last.
    pub(crate) left: bool,
    /// Where the referee has sent the bot, whose next stream goes there; empty: where it began.
    pub(crate) sent_to: Option<String>,
}

impl Session {
    pub(crate) fn new(hello: v1::Hello, seed: String, ledger: Ledger) -> Self {
        Self {
            opening: hello.clone(),
            hello: Some(hello),
            seed,
            ledger,
            matches: BTreeMap::new(),
            pending: v1::PlayRequest::default(),
            acknowledged: 0,
            unacknowledged_bytes: 0,
            must_acknowledge: false,
            max_frame_bytes: MAX_FRAME_BYTES,
            acknowledge_frames: ACKNOWLEDGE_FRAMES,
            acknowledge_bytes: ACKNOWLEDGE_BYTES,
            played: 0,
            frames: 0,
            welcomed: false,
            heartbeat: Duration::ZERO,
            draining: false,
            retiring: false,
            leaving: false,
            left: false,
            sent_to: None,
        }
    }

    /// Takes a frame in and returns what it tells the bot, in order.
    ///
    /// # Errors
    ///
    /// `Replaced`: a newer session took over. `Protocol`: the frame is invalid. Its updates before
    /// the one that failed are lost, and the session must be left.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Result<Vec<Update>, Error> {
        self.frames += 1;
        self.unacknowledged_bytes += bytes.len();
        let unreadable = |_| Error::Protocol("the referee sent a frame that is not a message".to_owned());
        let frame = v1::PlayResponse::decode(bytes).map_err(unreadable)?;
        if !(self.welcomed || self.leaving || begins_with_welcome(&frame)) {
            return Err(Error::Protocol("the referee sent a message before its welcome".to_owned()));
        }
        let mut told = Vec::new();
        let mut decisions = self.ledger.decisions_in(bytes).into_iter();
        for update in frame.updates {
            if self.leaving {
                break; // it has said goodbye, later updates do not concern it
            }
            if let Some(kind) = update.kind {
                self.take(kind, &mut decisions, &mut told)?;
            }
        }
        Ok(told)
    }

    /// Goes on over a new stream: the next request is a hello that tells where the bot is in its matches.
    ///
    /// What was not sent yet is dropped. An answer that the bot has given, or gives meanwhile, is sent
    /// when the decision comes again.
    pub(crate) fn rejoin(&mut self) {
        let mut hello = self.opening.clone();
        hello.resume = self.resume_points();
        if hello.matches != 0 {
            hello.matches -= self.played;
        }
        self.hello = Some(hello);
        self.pending = v1::PlayRequest::default();
        self.frames = 0;
        self.acknowledged = 0;
        self.unacknowledged_bytes = 0;
        self.must_acknowledge = false;
        self.welcomed = false;
        self.sent_to = None;
        self.draining &= self.retiring;
        for each in self.matches.values_mut() {
            each.is_asked_here = false;
        }
    }

    /// Keeps the answer to the open decision, and sends it unless the decision is still to come again.
    ///
    /// Of a decision that is closed by now nothing is sent.
    pub(crate) fn answer(&mut self, reply: Reply) {
        let Some(known) = self.matches.get_mut(&reply.seated.id) else { return };
        let is_of_now = Arc::ptr_eq(&known.seated, &reply.seated);
        if is_of_now && known.open.is_some() && known.asked == reply.decision_id {
            let answer = v1::Answer {
                match_id: reply.seated.id.clone(),
                decision_id: reply.decision_id,
                answer: Some(reply.answer),
                note: reply.note.into_bytes(),
            };
            if known.is_asked_here {
                self.pending.answers.push(answer.clone());
            }
            known.open = None;
            known.answer = Some(answer);
        }
    }

    /// Asks for no more matches: leaves once its matches are over and the referee has confirmed it.
    pub(crate) fn retire(&mut self) {
        self.retiring = true;
        self.pending.no_more_matches = true;
    }

    /// Expects no more matches: leaves once its matches are over.
    pub(crate) fn drain(&mut self) {
        self.draining = true;
        self.leave_if_done();
    }

    /// Leaves with the next requests; no decision is open any more.
    pub(crate) fn leave(&mut self) {
        self.leaving = true;
        for each in self.matches.values_mut() {
            each.open = None;
        }
    }

    /// Returns whether there is something to send.
    pub(crate) fn has_requests(&self) -> bool {
        !self.left
            && (self.hello.is_some()
                || self.leaving
                || self.pending.no_more_matches
                || !self.pending.ready.is_empty()
                || !self.pending.answers.is_empty()
                || self.owes_acknowledgement())
    }

    /// Returns what is to be sent now, each a frame of a size that the referee takes.
    pub(crate) fn take_requests(&mut self) -> Vec<v1::PlayRequest> {
        if !self.has_requests() {
            return Vec::new();
        }
        let mut requests = Vec::new();
        if let Some(hello) = self.hello.take() {
            let no_more_matches = self.retiring;
            requests.push(v1::PlayRequest {
                hello: Some(hello),
                no_more_matches,
                ..v1::PlayRequest::default()
            });
        }
        let mut pending = mem::take(&mut self.pending);
        if self.leaving {
            pending.bye = Some(v1::Bye {});
            self.left = true;
        }
        if pending != v1::PlayRequest::default() || self.owes_acknowledgement() {
            split::split(pending, self.max_frame_bytes, &mut requests);
        }
        for request in &mut requests {
            request.frames_received = self.frames;
        }
        self.acknowledged = self.frames;
        self.unacknowledged_bytes = 0;
        self.must_acknowledge = false;
        requests
    }

    /// Returns how many matches are being played.
    pub(crate) fn playing(&self) -> usize {
        self.matches.len()
    }

    fn resume_points(&self) -> Vec<v1::ResumePoint> {
        let point = |(id, each): (&String, &Match)| v1::ResumePoint {
            match_id: id.clone(),
            sequence: each.sequence,
            attempt: each.seated.attempt,
        };
        self.matches.iter().map(point).collect()
    }

    /// Takes an update; `decisions` gives the bytes of each decision, if they are to be kept.
    fn take(
        &mut self,
        kind: v1::update::Kind,
        decisions: &mut impl Iterator<Item = Vec<u8>>,
        told: &mut Vec<Update>,
    ) -> Result<(), Error> {
        use v1::update::Kind;
        match kind {
            Kind::Welcome(welcome) => self.welcome(&welcome)?,
            Kind::Seated(seated) => self.seated(seated, told),
            Kind::Happened(happened) => self.happened(happened, told)?,
            Kind::Decision(decision) => self.asked(decision, decisions.next(), told)?,
            Kind::Closed(closed) => self.closed(closed, told),
            Kind::Refused(refused) => self.refused(refused, told),
            Kind::Finished(finished) => self.finished(finished, told)?,
            Kind::Notice(notice) => self.notice(notice, told)?,
            Kind::Redirect(redirect) => self.sent_to = Some(redirect.address),
        }
        Ok(())
    }

    fn welcome(&mut self, welcome: &v1::Welcome) -> Result<(), Error> {
        if welcome.version != VERSION {
            let version = welcome.version;
            return Err(Error::Protocol(format!(
                "the referee speaks version {version} of the protocol, not {VERSION}"
            )));
        }
        self.welcomed = true;
        self.heartbeat = duration(welcome.heartbeat);
        if welcome.max_frame_bytes != 0 {
            self.max_frame_bytes = welcome.max_frame_bytes as usize;
        }
        if welcome.max_unacknowledged_frames != 0 {
            self.acknowledge_frames = u64::from(welcome.max_unacknowledged_frames / 4).max(1);
        }
        if welcome.max_unacknowledged_bytes != 0 {
            self.acknowledge_bytes = (welcome.max_unacknowledged_bytes as usize / 4).max(1);
        }
        Ok(())
    }

    fn seated(&mut self, message: v1::Seated, told: &mut Vec<Update>) {
        let id = message.match_id.clone();
        // a new stream repeats the seat, which must be taken again: it is not ready without a session
        self.pending.ready.push(v1::Ready { match_id: id.clone() });
        if let Some(known) = self.matches.get(&id) {
            if known.seated.attempt == message.attempt {
                self.ledger.seated(&message);
                return;
            }
            // there is no new attempt before the earlier one is void
            let void = v1::Finished {
                match_id: id.clone(),
                termination: v1::Termination::Void.into(),
                ..v1::Finished::default()
            };
            self.ledger.finished(&void);
            told.push(Update::Finished(known.seated.clone(), void));
        }
        self.ledger.seated(&message);
        let seated = Arc::new(Seated::new(message));
        told.push(Update::Seated(seated.clone()));
        self.matches.insert(
            id,
            Match { seated, sequence: 0, asked: 0, open: None, is_asked_here: false, answer: None },
        );
    }

    fn happened(&mut self, message: v1::Happened, told: &mut Vec<Update>) -> Result<(), Error> {
        let known = known(&mut self.matches, &message.match_id)?;
        let sequence = message.event.as_ref().map_or(0, |event| event.sequence);
        if sequence <= known.sequence {
            return Ok(()); // the bot already has it
        }
        if sequence - 1 > known.sequence {
            return Err(Error::Protocol(format!(
                "event {sequence} of match '{}' follows event {}: the referee left some out",
                message.match_id, known.sequence
            )));
        }
        known.sequence = sequence;
        told.push(Update::Happened(known.seated.clone(), message));
        Ok(())
    }

    fn asked(
        &mut self,
        message: v1::Decision,
        bytes: Option<Vec<u8>>,
        told: &mut Vec<Update>,
    ) -> Result<(), Error> {
        let known = known(&mut self.matches, &message.match_id)?;
        if message.decision_id > known.asked {
            known.asked = message.decision_id;
            let open = Arc::downgrade(known.open.insert(Arc::default()));
            known.is_asked_here = true;
            known.answer = None;
            self.ledger.asked(&message, bytes.as_deref());
            let decision = Decision::new(known.seated.clone(), message, &self.seed);
            told.push(Update::Decision(Box::new(decision), open));
        } else if message.decision_id == known.asked {
            known.is_asked_here = true;
            self.pending.answers.extend(known.answer.clone());
        }
        Ok(())
    }

    fn closed(&mut self, message: v1::Closed, told: &mut Vec<Update>) {
        // it travels with the next frame, and the match may be over by then
        let Some(known) = self.matches.get_mut(&message.match_id) else { return };
        if message.decision_id == known.asked {
            self.ledger.closed(&message, known.answer.as_ref());
            known.open = None;
            known.answer = None;
        }
        told.push(Update::Closed(known.seated.clone(), message));
    }

    fn refused(&mut self, message: v1::Refused, told: &mut Vec<Update>) {
        let seated = self.matches.get(&message.match_id).map(|known| known.seated.clone());
        // decisions count from 1: with 0 it is the resume point of the match that is refused
        if message.decision_id == 0 && self.matches.remove(&message.match_id).is_some() {
            self.ledger.forgotten(&message.match_id);
            self.played += 1; // it is over, one way or another
            self.leave_if_done();
        }
        told.push(Update::Refused(seated, message));
    }

    fn finished(&mut self, message: v1::Finished, told: &mut Vec<Update>) -> Result<(), Error> {
        let seated = known(&mut self.matches, &message.match_id)?.seated.clone();
        self.matches.remove(&message.match_id);
        self.ledger.finished(&message);
        if message.termination() != v1::Termination::Void {
            self.played += 1; // a void match is played again
        }
        self.leave_if_done();
        told.push(Update::Finished(seated, message));
        Ok(())
    }

    fn notice(&mut self, message: v1::Notice, told: &mut Vec<Update>) -> Result<(), Error> {
        match message.kind() {
            v1::NoticeKind::Heartbeat => {
                self.must_acknowledge = true;
                return Ok(());
            }
            v1::NoticeKind::Replaced => return Err(replaced(&message.text)),
            v1::NoticeKind::Draining => self.drain(),
            v1::NoticeKind::Unspecified => {}
        }
        told.push(Update::Notice(message));
        Ok(())
    }

    fn leave_if_done(&mut self) {
        let limit = self.opening.matches;
        if (limit != 0 && self.played >= limit) || (self.draining && self.matches.is_empty()) {
            self.leave();
        }
    }

    fn owes_acknowledgement(&self) -> bool {
        self.must_acknowledge
            || self.frames - self.acknowledged >= self.acknowledge_frames
            || self.unacknowledged_bytes >= self.acknowledge_bytes
    }
}

fn begins_with_welcome(frame: &v1::PlayResponse) -> bool {
    let first = frame.updates.first().and_then(|update| update.kind.as_ref());
    matches!(first, Some(v1::update::Kind::Welcome(_)))
}

fn known<'a>(matches: &'a mut BTreeMap<String, Match>, id: &str) -> Result<&'a mut Match, Error> {
    matches.get_mut(id).ok_or_else(|| {
        Error::Protocol(format!(
            "the referee sent a message about match '{id}', in which the bot has no seat"
        ))
    })
}

fn replaced(text: &str) -> Error {
    let why = if text.is_empty() { "a newer session of the same entry and instance took over" } else { text };
    Error::Replaced(Rejection {
        text: format!(
            "this session was replaced: {why}; to run both, give one another entry or instance \
             (FAIRDEAL_ENTRY, FAIRDEAL_INSTANCE)"
        ),
        reason: "REPLACED".to_owned(),
        incident: String::new(),
    })
}

mod split;

#[cfg(test)]
mod tests;
