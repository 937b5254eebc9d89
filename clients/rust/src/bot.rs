//! What a bot is.

use std::io::Write;

use crate::answer::Answer;
use crate::updates::{Decision, Seated};
use crate::v1;

/// Something that answers decisions.
///
/// A closure or function from `&Decision` to [`Answer`] is a bot, too. The methods are called one at
/// a time, all from the thread that called [`run`](crate::run), for all tables: keep the
/// state of a match by [`Seated::id`]. A panic in one of them is printed to the standard
/// error and, in `act`, costs a fault; the bot plays on.
pub trait Bot {
    /// Returns the answer to a decision.
    fn act(&mut self, decision: &Decision) -> Answer;

    /// Returns whether the referee is to send events, for [`event`](Bot::event); by default it is not.
    fn wants_events(&self) -> bool {
        false
    }

    /// Called when the bot has a seat. The session has taken it already.
    fn seated(&mut self, seated: &Seated) {
        let _ = seated;
    }

    /// Called for an event; only with [`wants_events`](Bot::wants_events).
    fn event(&mut self, seated: &Seated, happened: &v1::Happened) {
        let _ = (seated, happened);
    }

    /// Called when a decision is closed. A fault, or that a note was dropped, was a line on standard error already.
    fn closed(&mut self, seated: &Seated, closed: &v1::Closed) {
        let _ = (seated, closed);
    }

    /// Called when an answer was refused or, with decision 0, when the referee does not go on with
    /// a match. By default this is a line on the standard error.
    fn refused(&mut self, seated: Option<&Seated>, refused: &v1::Refused) {
        let id = seated.map_or("unknown", |seated| &seated.id);
        let reason = name(refused.reason().as_str_name(), "REASON_");
        let text = &refused.text;
        tell(&match refused.decision_id {
            0 => format!("match {id}: the referee does not go on with it: {reason} {text}"),
            decision => {
                format!("match {id}, decision {decision}: the answer was refused: {reason} {text}")
            }
        });
    }

    /// Called at the end of a match.
    fn finished(&mut self, seated: &Seated, finished: &v1::Finished) {
        let _ = (seated, finished);
    }

    /// Called for a notice about the session itself, such as that the referee is about to leave.
    fn notice(&mut self, notice: &v1::Notice) {
        let _ = notice;
    }
}

impl<F: FnMut(&Decision) -> Answer> Bot for F {
    fn act(&mut self, decision: &Decision) -> Answer {
        self(decision)
    }
}

/// Writes a line to standard error; errors in writing it are ignored.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "fairdeal: {line}");
}

/// Returns the lines about a decision that was closed: for which fault, and that its note was dropped.
pub(crate) fn lines_of(seated: &Seated, closed: &v1::Closed) -> Vec<String> {
    let (id, decision) = (&seated.id, closed.decision_id);
    let mut said = Vec::new();
    if closed.fault != v1::Fault::Unspecified as i32 {
        let fault = name(closed.fault().as_str_name(), "FAULT_");
        said.push(format!("{fault}: the referee played the default action"));
    }
    if closed.note_dropped {
        said.push("the referee did not keep the note: it is too long, or too many came".to_owned());
    }
    said.iter().map(|what| format!("match {id}, decision {decision}: {what}")).collect()
}

fn name(full: &'static str, prefix: &str) -> &'static str {
    full.strip_prefix(prefix).unwrap_or(full)
}
