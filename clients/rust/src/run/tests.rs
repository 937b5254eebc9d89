use std::sync::Arc;

use super::*;
use crate::answer::Answer;
use crate::bot::lines_of;
use crate::updates::{Decision, Seated};
use crate::v1;

fn seat() -> Arc<Seated> {
    Arc::new(Seated::new(v1::Seated { match_id: "m".to_owned(), ..v1::Seated::default() }))
}

/// A decision that is open while `open` is there.
fn decision(decision_id: u32, open: &Arc<()>) -> Update {
    let message = v1::Decision { match_id: "m".to_owned(), decision_id, ..v1::Decision::default() };
    Update::Decision(Box::new(Decision::new(seat(), message, "")), Arc::downgrade(open))
}

fn player<B: Bot>(bot: B) -> Player<B> {
    Player { bot, play_forced: false }
}

fn act(_: &Decision) -> Answer {
    Answer::Index(1)
}

#[test]
fn a_function_is_a_bot() {
    let reply = player(act).play(decision(7, &Arc::default())).expect("a reply");
    assert_eq!((reply.decision_id, reply.answer), (7, v1::answer::Answer::Index(1)));
}

#[test]
fn a_note_goes_with_the_answer_and_one_that_is_too_long_does_not() {
    for (size, sent) in [(MAX_NOTE, MAX_NOTE), (MAX_NOTE + 2, 0)] {
        let mut player = player(move |_: &Decision| Answer::Index(1).noted("é".repeat(size / 2)));
        let reply = player.play(decision(7, &Arc::default())).expect("a reply");
        assert_eq!((reply.answer, reply.note.len()), (v1::answer::Answer::Index(1), sent));
    }
    let problem = "the note is not sent: it has 4098 bytes, and 4096 may be sent".to_owned();
    assert_eq!(sendable("é".repeat(2049)), Err(problem));
}

#[test]
fn what_is_forced_is_played_without_asking_the_bot_where_it_wishes() {
    use v1::legal::Kind;
    let bid = |tricks| v1::Action { kind: Some(v1::action::Kind::Bid(tricks)) };
    let bids = |tricks: &[u32]| Kind::Actions(v1::ActionList { actions: tricks.iter().map(|&each| bid(each)).collect() });
    let cards = |cards: &[i32], minimum, maximum| {
        Kind::ChooseCards(v1::ChooseCards { cards: cards.to_vec(), minimum, maximum })
    };
    let combinations = |count, minimum, maximum| {
        let combinations = vec![v1::Combination::default(); count];
        Kind::ChooseCombinations(v1::ChooseCombinations { combinations, minimum, maximum })
    };
    let open = Arc::default();
    for (legal, forced) in [
        (bids(&[3]), Some(Answer::Index(0))),
        (cards(&[1, 2], 2, 2), Some(Answer::Cards(vec![1, 2]))),
        (cards(&[1, 2], 0, 0), Some(Answer::Cards(vec![]))),
        (combinations(0, 0, 0), Some(Answer::Combinations(vec![]))),
        (combinations(2, 2, 2), Some(Answer::Combinations(vec![v1::Combination::default(); 2]))),
        (bids(&[]), None),
        (bids(&[1, 2]), None),
        (cards(&[1, 2], 1, 2), None),
        (cards(&[1, 2, 3], 2, 2), None),
        (combinations(1, 0, 1), None),
    ] {
        for play_forced in [true, false] {
            let mut asked = 0;
            let bot = |_: &Decision| {
                asked += 1;
                Answer::Index(1)
            };
            let message = v1::Decision { legal: Some(v1::Legal { kind: Some(legal.clone()) }), ..v1::Decision::default() };
            let decision = Box::new(Decision::new(seat(), message, ""));
            let reply = Player { bot, play_forced }.play(Update::Decision(decision, Arc::downgrade(&open)));
            let wanted = if play_forced { forced.clone() } else { None };
            assert_eq!(asked, u32::from(wanted.is_none()), "{legal:?}");
            assert_eq!(reply.expect("a reply").answer, wanted.unwrap_or(Answer::Index(1)).message());
        }
    }
}

#[test]
fn a_bot_that_panics_gives_its_decision_up_and_plays_on() {
    let mut player = player(|decision: &Decision| match decision.id {
        1 => panic!("what a test wants to see"),
        _ => Answer::Index(2),
    });
    let open = Arc::default();
    assert_eq!(player.play(decision(1, &open)).expect("a reply").answer, no_answer());
    assert_eq!(player.play(decision(2, &open)).expect("a reply").answer, v1::answer::Answer::Index(2));
}

#[test]
fn a_decision_that_was_closed_meanwhile_is_not_played() {
    let mut played = Vec::new();
    let mut player = player(|decision: &Decision| {
        played.push(decision.id);
        Answer::Index(0)
    });
    let (closed, open) = (Arc::default(), Arc::default());
    let updates = [decision(1, &closed), decision(2, &open)];
    drop(closed);
    // there is a reply all the same, since who waits for the bot counts them
    assert_eq!(updates.map(|each| player.play(each).expect("a reply").decision_id), [1, 2]);
    assert_eq!(played, [2]);
}

/// Keeps the names of the hooks that were called.
#[derive(Default)]
struct Listener(Vec<&'static str>);

impl Bot for Listener {
    fn act(&mut self, _: &Decision) -> Answer {
        Answer::Index(0)
    }
    fn seated(&mut self, _: &Seated) {
        self.0.push("seated");
    }
    fn event(&mut self, _: &Seated, _: &v1::Happened) {
        self.0.push("event");
        panic!("a hook may fail, too");
    }
    fn closed(&mut self, _: &Seated, _: &v1::Closed) {
        self.0.push("closed");
    }
    fn refused(&mut self, seated: Option<&Seated>, _: &v1::Refused) {
        self.0.push(if seated.is_some() { "refused" } else { "refused, unknown" });
    }
    fn finished(&mut self, _: &Seated, _: &v1::Finished) {
        self.0.push("finished");
    }
    fn notice(&mut self, _: &v1::Notice) {
        self.0.push("notice");
    }
}

#[test]
fn each_update_has_its_hook() {
    let mut player = player(Listener::default());
    let updates = [
        Update::Seated(seat()),
        Update::Happened(seat(), v1::Happened::default()),
        Update::Closed(seat(), v1::Closed::default()),
        Update::Refused(Some(seat()), v1::Refused::default()),
        Update::Refused(None, v1::Refused::default()),
        Update::Finished(seat(), v1::Finished::default()),
        Update::Notice(v1::Notice::default()),
    ];
    for update in updates {
        assert!(player.play(update).is_none());
    }
    let called = ["seated", "event", "closed", "refused", "refused, unknown", "finished", "notice"];
    assert_eq!(player.bot.0, called);
}

#[test]
fn a_fault_and_a_dropped_note_have_a_line() {
    let said = |fault: v1::Fault, note_dropped: bool| {
        let closed =
            v1::Closed { decision_id: 3, fault: fault as i32, note_dropped, ..v1::Closed::default() };
        lines_of(&seat(), &closed)
    };
    let late = "match m, decision 3: LATE: the referee played the default action";
    let dropped = "match m, decision 3: the referee did not keep the note: it is too long, or too many came";
    assert_eq!(said(v1::Fault::Late, false), [late]);
    assert_eq!(said(v1::Fault::Unspecified, true), [dropped]);
    assert!(said(v1::Fault::Unspecified, false).is_empty());
}

#[test]
fn a_bot_has_the_name_of_its_type_or_function() {
    fn name<B: Bot>(_: B) -> &'static str {
        name_of(type_name::<B>())
    }
    assert_eq!(name(Listener::default()), "Listener");
    assert_eq!(name(act), "act");
    assert_eq!(name(|_: &Decision| Answer::Index(0)), "bot");
    assert_eq!(name_of("mine::Bot<alloc::string::String>"), "Bot");
}
