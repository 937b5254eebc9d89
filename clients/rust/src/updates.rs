//! What the referee tells a bot.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::chance::Chance;
use crate::v1;

/// A seat in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Seated {
    /// The match.
    pub id: String,
    /// The attempt at the match: more than 1 when earlier ones were void.
    pub attempt: u32,
    /// The game, such as `hearts`.
    pub game: String,
    /// The bot's seat, from 0.
    pub seat: u32,
    /// All that the referee tells: options, entries, sides, clock and more.
    pub message: v1::Seated,
}

impl Seated {
    pub(crate) fn new(message: v1::Seated) -> Self {
        Self {
            id: message.match_id.clone(),
            attempt: message.attempt,
            game: message.game.clone(),
            seat: message.seat.saturating_sub(1).try_into().unwrap_or_default(),
            message,
        }
    }
}

/// A question to the bot's seat.
#[derive(Debug)]
pub struct Decision {
    /// The match and the bot's seat in it.
    pub seated: Arc<Seated>,
    /// Numbers the decisions of this seat in this match from 1.
    pub id: u32,
    /// The generator of this decision: with the same seed it draws the same in every run.
    pub chance: Chance,
    /// The question as the referee put it.
    pub message: v1::Decision,
}

/// What is legal where the kind of choice is one that this version has no type for.
static UNKNOWN: v1::legal::Kind = v1::legal::Kind::Actions(v1::ActionList { actions: Vec::new() });

impl Decision {
    pub(crate) fn new(seated: Arc<Seated>, message: v1::Decision, seed: &str) -> Self {
        let id = message.decision_id;
        let chance = Chance::new(seed, &seated.id, seated.seat, id);
        Self { seated, id, chance, message }
    }

    /// Returns the legal answers: a list, or a choice of several cards or of several combinations.
    ///
    /// An empty list stands for a choice of a kind that this version does not know.
    #[must_use]
    pub fn legal(&self) -> &v1::legal::Kind {
        let kind = self.message.legal.as_ref().and_then(|legal| legal.kind.as_ref());
        kind.unwrap_or(&UNKNOWN)
    }

    /// Returns all that the seat knows, `None` for a game that this version has no view for.
    #[must_use]
    pub fn view(&self) -> Option<&v1::view::Game> {
        self.message.view.as_ref().and_then(|view| view.game.as_ref())
    }

    /// Returns the time for this decision.
    #[must_use]
    pub fn move_time(&self) -> Duration {
        duration(self.message.move_time)
    }

    /// Returns what is left in the bank.
    #[must_use]
    pub fn bank(&self) -> Duration {
        duration(self.message.bank)
    }
}

/// One thing that a bot is told, in the order of the stream.
#[derive(Debug)]
pub(crate) enum Update {
    Seated(Arc<Seated>),
    Happened(Arc<Seated>, v1::Happened),
    /// With what is alive while the decision waits for its answer.
    Decision(Box<Decision>, Weak<()>),
    Closed(Arc<Seated>, v1::Closed),
    Refused(Option<Arc<Seated>>, v1::Refused),
    Finished(Arc<Seated>, v1::Finished),
    Notice(v1::Notice),
}

/// Returns a span of the protocol; none, or a negative one, is zero.
pub(crate) fn duration(span: Option<prost_types::Duration>) -> Duration {
    span.and_then(|span| span.try_into().ok()).unwrap_or_default()
}
