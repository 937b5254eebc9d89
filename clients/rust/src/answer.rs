//! What a bot answers.

use std::fmt::Display;

use crate::v1;

/// The most bytes of a note.
pub const MAX_NOTE: usize = 4096;

/// The answer to a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The position of an action in the list of legal ones, from 0.
    Index(usize),
    /// An action.
    Action(v1::Action),
    /// The cards chosen where several are to be, numbered as in [`v1::Card`]; their order does not matter.
    Cards(Vec<i32>),
    /// The combinations chosen where several are to be, possibly none; their order does not matter.
    Combinations(Vec<v1::Combination>),
    /// Another answer with a note for the record, see [`Answer::noted`].
    Noted(Box<Answer>, String),
}

impl From<usize> for Answer {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<v1::Action> for Answer {
    fn from(action: v1::Action) -> Self {
        Self::Action(action)
    }
}

impl From<v1::action::Kind> for Answer {
    fn from(kind: v1::action::Kind) -> Self {
        Self::Action(v1::Action { kind: Some(kind) })
    }
}

impl From<v1::Card> for Answer {
    /// Plays a card.
    fn from(card: v1::Card) -> Self {
        v1::action::Kind::PlayCard(card.into()).into()
    }
}

impl Answer {
    /// Returns the answer with a note for the record, a text or something that prints JSON, such as a
    /// `serde_json::Value`. It takes the place of another.
    ///
    /// Nobody is shown it before the deals of the match are revealed, and it changes nothing. By convention JSON has
    /// some of the keys `thought`, `tokens_in`, `tokens_out`, `cost`, `seconds`, `attempts`, `finish` and `eval`.
    /// A note of more than [`MAX_NOTE`] bytes is a line on the standard error and not sent; the answer is.
    #[must_use]
    pub fn noted(self, note: impl Display) -> Self {
        Self::Noted(Box::new(self.split().0), note.to_string())
    }

    /// Returns the answer by itself, and its note, empty where it has none.
    pub(crate) fn split(self) -> (Self, String) {
        match self {
            Self::Noted(answer, note) => (answer.split().0, note),
            plain => (plain, String::new()),
        }
    }

    /// Returns what is sent, without the note.
    pub(crate) fn message(self) -> v1::answer::Answer {
        let kind = match self {
            Self::Noted(answer, _) => return answer.message(),
            // a list that long does not exist, so the referee refuses the position
            Self::Index(index) => return v1::answer::Answer::Index(index.try_into().unwrap_or(u32::MAX)),
            Self::Action(action) => return v1::answer::Answer::Action(action),
            Self::Cards(cards) => v1::action::Kind::ChooseCards(v1::CardList { cards }),
            Self::Combinations(combinations) => {
                v1::action::Kind::ChooseCombinations(v1::CombinationList { combinations })
            }
        };
        v1::answer::Answer::Action(v1::Action { kind: Some(kind) })
    }
}

/// Returns the one answer that is legal, `None` where there are several or none is known.
pub(crate) fn only_answer(legal: &v1::legal::Kind) -> Option<Answer> {
    match legal {
        v1::legal::Kind::Actions(list) => (list.actions.len() == 1).then_some(Answer::Index(0)),
        v1::legal::Kind::ChooseCards(choice) => {
            only_choice(&choice.cards, choice.minimum, choice.maximum).map(Answer::Cards)
        }
        v1::legal::Kind::ChooseCombinations(choice) => {
            only_choice(&choice.combinations, choice.minimum, choice.maximum).map(Answer::Combinations)
        }
    }
}

fn only_choice<T: Clone>(offered: &[T], minimum: u32, maximum: u32) -> Option<Vec<T>> {
    let count = u32::try_from(offered.len()).ok()?;
    if (minimum, maximum) == (count, count) {
        return Some(offered.to_vec());
    }
    (maximum == 0 || offered.is_empty()).then(Vec::new)
}

/// Returns an answer that is not an action, on which the referee plays the default and counts a fault.
pub(crate) fn no_answer() -> v1::answer::Answer {
    v1::answer::Answer::Action(v1::Action { kind: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    fn sent(answer: impl Into<Answer>) -> v1::Answer {
        v1::Answer { answer: Some(answer.into().message()), ..v1::Answer::default() }
    }

    #[test]
    fn answers_are_what_the_protocol_says() {
        // field 3 an action, field 4 an index; within an action 1 play_card, 2 bid, 5 and 13 the choices
        assert_eq!(sent(7).encode_to_vec(), [0x20, 7]);
        assert_eq!(sent(v1::Card::AceOfSpades).encode_to_vec(), [0x1a, 2, 0x08, 52]);
        assert_eq!(sent(v1::action::Kind::Bid(0)).encode_to_vec(), [0x1a, 2, 0x10, 0]);
        assert_eq!(sent(Answer::Cards(vec![1, 2])).encode_to_vec(), [0x1a, 6, 0x2a, 4, 0x0a, 2, 1, 2]);
    }

    #[test]
    fn the_last_note_counts_and_changes_nothing_of_the_answer() {
        let answer = Answer::Index(7).noted("low").noted(serde_json::json!({ "eval": 0.5 }));
        assert_eq!(sent(answer.clone()).encode_to_vec(), [0x20, 7]);
        assert_eq!(answer.split(), (Answer::Index(7), r#"{"eval":0.5}"#.to_owned()));
        assert_eq!(Answer::Index(7).split(), (Answer::Index(7), String::new()));
    }

    #[test]
    fn an_empty_choice_is_on_the_wire_too() {
        assert_eq!(sent(Answer::Combinations(vec![])).encode_to_vec(), [0x1a, 2, 0x6a, 0]);
    }

    #[test]
    fn no_answer_is_an_action_without_a_kind() {
        let answer = v1::Answer { answer: Some(no_answer()), ..v1::Answer::default() };
        assert_eq!(answer.encode_to_vec(), [0x1a, 0]);
    }
}
