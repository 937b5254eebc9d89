//! How long a decision waits for its answer.

use std::sync::Weak;

use super::*;

/// Returns what is alive while a decision waits for its answer.
fn openness(updates: Vec<Update>) -> Weak<()> {
    let found = updates.into_iter().find_map(|update| match update {
        Update::Decision(_, open) => Some(open),
        _ => None,
    });
    found.expect("a decision")
}

#[test]
fn a_decision_is_open_until_it_is_closed_one_way_or_another() {
    type Step = fn(&mut Session);
    let closing: [(&str, Step); 7] = [
        ("closed", |session| drop(tell(session, [closed("a", 1)]))),
        ("next decision", |session| drop(tell(session, [asked("a", 2)]))),
        ("finished", |session| drop(tell(session, [completed("a")]))),
        ("refused", |session| drop(tell(session, [refused("a", 0)]))),
        ("new attempt", |session| drop(tell(session, [seated("a", 2)]))),
        ("last match", |session| drop(tell(session, [completed("b"), completed("c")]))),
        ("left", Session::leave),
    ];
    for (name, close) in closing {
        let mut session = welcomed(2);
        tell(&mut session, [seated("a", 1), seated("b", 1), seated("c", 1)]);
        let open = openness(tell(&mut session, [asked("a", 1)]));
        tell(&mut session, [asked("b", 1), closed("b", 1), refused("a", 1)]);
        session.rejoin();
        assert!(open.strong_count() > 0, "{name}");
        tell(&mut session, [welcome_back(), seated("a", 1), asked("a", 1)]);
        assert!(open.strong_count() > 0, "{name}");
        close(&mut session);
        assert_eq!(open.strong_count(), 0, "{name}");
    }
}

#[test]
fn no_decision_outlives_its_session() {
    let mut session = welcomed(0);
    let open = openness(tell(&mut session, [seated("a", 1), asked("a", 1)]));
    drop(session);
    assert_eq!(open.strong_count(), 0);
}
