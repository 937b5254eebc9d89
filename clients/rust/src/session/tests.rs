use super::*;

fn hello() -> v1::Hello {
    v1::Hello { versions: vec![VERSION], entry: "alice".to_owned(), ..v1::Hello::default() }
}

/// A session that keeps nothing.
fn new(hello: v1::Hello) -> Session {
    Session::new(hello, "spring".to_owned(), Ledger::open("", Box::new(|_| {})).expect("no file"))
}

fn session() -> Session {
    new(hello())
}

/// A session whose hello is sent and answered, with so many matches as its limit.
fn welcomed(matches: u32) -> Session {
    let mut session = new(v1::Hello { matches, ..hello() });
    session.take_requests();
    tell(&mut session, [welcome(v1::Welcome::default())]);
    session
}

fn welcome(message: v1::Welcome) -> v1::update::Kind {
    v1::update::Kind::Welcome(v1::Welcome { version: VERSION, ..message })
}

fn welcome_back() -> v1::update::Kind {
    welcome(v1::Welcome::default())
}

fn seated(id: &str, attempt: u32) -> v1::update::Kind {
    let message = v1::Seated { match_id: id.to_owned(), attempt, seat: 2, ..v1::Seated::default() };
    v1::update::Kind::Seated(message)
}

fn happened(id: &str, sequence: u32) -> v1::update::Kind {
    let event = Some(v1::Event { sequence, ..v1::Event::default() });
    v1::update::Kind::Happened(v1::Happened { match_id: id.to_owned(), event })
}

fn asked(id: &str, decision_id: u32) -> v1::update::Kind {
    let message = v1::Decision { match_id: id.to_owned(), decision_id, ..v1::Decision::default() };
    v1::update::Kind::Decision(message)
}

fn closed(id: &str, decision_id: u32) -> v1::update::Kind {
    let message = v1::Closed { match_id: id.to_owned(), decision_id, ..v1::Closed::default() };
    v1::update::Kind::Closed(message)
}

fn refused(id: &str, decision_id: u32) -> v1::update::Kind {
    let message = v1::Refused { match_id: id.to_owned(), decision_id, ..v1::Refused::default() };
    v1::update::Kind::Refused(message)
}

fn finished(id: &str, termination: v1::Termination) -> v1::update::Kind {
    let termination = termination.into();
    let message = v1::Finished { match_id: id.to_owned(), termination, ..v1::Finished::default() };
    v1::update::Kind::Finished(message)
}

fn completed(id: &str) -> v1::update::Kind {
    finished(id, v1::Termination::Completed)
}

fn notice(kind: v1::NoticeKind) -> v1::update::Kind {
    v1::update::Kind::Notice(v1::Notice { kind: kind.into(), text: String::new() })
}

fn frame(kinds: impl IntoIterator<Item = v1::update::Kind>) -> Vec<u8> {
    let updates = kinds.into_iter().map(|kind| v1::Update { kind: Some(kind) }).collect();
    v1::PlayResponse { updates }.encode_to_vec()
}

fn tell(session: &mut Session, kinds: impl IntoIterator<Item = v1::update::Kind>) -> Vec<Update> {
    session.receive(&frame(kinds)).expect("a frame that makes sense")
}

fn decision(updates: Vec<Update>) -> Box<Decision> {
    let found = updates.into_iter().find_map(|update| match update {
        Update::Decision(decision, _) => Some(decision),
        _ => None,
    });
    found.expect("a decision")
}

fn answer(session: &mut Session, decision: &Decision, index: u32) {
    session.answer(Reply {
        seated: decision.seated.clone(),
        decision_id: decision.id,
        answer: v1::answer::Answer::Index(index),
        note: "why".to_owned(),
    });
}

fn only(mut requests: Vec<v1::PlayRequest>) -> v1::PlayRequest {
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

fn indices(request: &v1::PlayRequest) -> Vec<(&str, u32, u32)> {
    let of = |answer: &'_ v1::Answer| match answer.answer {
        Some(v1::answer::Answer::Index(index)) => index,
        _ => panic!("no index"),
    };
    assert!(request.answers.iter().all(|each| each.note == b"why"));
    request.answers.iter().map(|each| (each.match_id.as_str(), each.decision_id, of(each))).collect()
}

#[test]
fn the_first_request_is_the_hello() {
    let mut session = session();
    assert!(session.has_requests());
    let request = only(session.take_requests());
    assert_eq!(request.hello, Some(hello()));
    assert_eq!(request.frames_received, 0);
    assert!(!session.has_requests());
    assert_eq!(session.take_requests(), []);
}

#[test]
fn another_version_is_refused() {
    let message = v1::update::Kind::Welcome(v1::Welcome { version: 2, ..v1::Welcome::default() });
    let error = session().receive(&frame([message])).expect_err("another version");
    assert!(matches!(&error, Error::Protocol(text) if text.contains("version 2")), "{error}");
}

#[test]
fn every_seat_is_taken_and_told_once() {
    let mut session = welcomed(0);
    let told = tell(&mut session, [seated("a", 1), seated("b", 1), seated("a", 1)]);
    let seats: Vec<_> = told
        .iter()
        .map(|update| match update {
            Update::Seated(seated) => (seated.id.as_str(), seated.seat),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(seats, [("a", 1), ("b", 1)]);
    let request = only(session.take_requests());
    let ready: Vec<_> = request.ready.iter().map(|ready| ready.match_id.as_str()).collect();
    assert_eq!(ready, ["a", "b", "a"]);
    assert_eq!(request.frames_received, 2);
}

#[test]
fn answers_of_many_tables_share_a_frame() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1), seated("b", 1)]);
    session.take_requests();
    let first = decision(tell(&mut session, [asked("a", 1)]));
    let second = decision(tell(&mut session, [asked("b", 1)]));
    assert!(!session.has_requests());
    answer(&mut session, &first, 4);
    answer(&mut session, &second, 5);
    assert_eq!(indices(&only(session.take_requests())), [("a", 1, 4), ("b", 1, 5)]);
    assert!(!session.has_requests());
}

#[test]
fn nothing_is_sent_for_a_decision_that_is_closed_or_answered() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1)]);
    session.take_requests();
    let first = decision(tell(&mut session, [asked("a", 1)]));
    tell(&mut session, [closed("a", 1)]);
    answer(&mut session, &first, 0);
    let second = decision(tell(&mut session, [asked("a", 2)]));
    answer(&mut session, &first, 1);
    assert!(!session.has_requests());
    tell(&mut session, [closed("a", 1)]); // it closes that one only
    answer(&mut session, &second, 2);
    answer(&mut session, &second, 3);
    assert_eq!(indices(&only(session.take_requests())), [("a", 2, 2)]);
    tell(&mut session, [completed("a")]);
    answer(&mut session, &second, 4);
    assert!(!session.has_requests());
}

#[test]
fn frames_are_acknowledged_after_a_quarter_of_what_the_referee_bears() {
    let mut session = session();
    session.take_requests();
    let message = v1::Welcome { max_unacknowledged_frames: 12, ..v1::Welcome::default() };
    tell(&mut session, [welcome(message)]);
    tell(&mut session, []);
    assert!(!session.has_requests());
    tell(&mut session, []);
    assert_eq!(only(session.take_requests()).frames_received, 3);
    assert!(!session.has_requests());
}

#[test]
fn bytes_are_acknowledged_after_a_quarter_of_what_the_referee_bears() {
    let mut session = session();
    session.take_requests();
    let message = v1::Welcome { max_unacknowledged_bytes: 400, ..v1::Welcome::default() };
    tell(&mut session, [welcome(message), seated("a", 1)]);
    session.take_requests();
    let text = "x".repeat(90);
    let update = |text: &str| {
        let message = v1::Notice { text: text.to_owned(), ..v1::Notice::default() };
        v1::update::Kind::Notice(message)
    };
    tell(&mut session, [update(&text[..60])]);
    assert!(!session.has_requests());
    tell(&mut session, [update(&text)]);
    assert_eq!(only(session.take_requests()).frames_received, 3);
}

#[test]
fn a_heartbeat_is_acknowledged_at_once_and_not_told() {
    let mut session = welcomed(0);
    assert!(tell(&mut session, [notice(v1::NoticeKind::Heartbeat)]).is_empty());
    assert_eq!(only(session.take_requests()).frames_received, 2);
    assert!(!session.has_requests());
}

#[test]
fn frames_that_are_too_large_are_split() {
    const LIMIT: usize = 200;
    let mut session = session();
    session.take_requests();
    let message = v1::Welcome { max_frame_bytes: LIMIT as u32, ..v1::Welcome::default() };
    let ids: Vec<String> = (0..40).map(|number| format!("match-{number:02}")).collect();
    tell(&mut session, [welcome(message)]);
    tell(&mut session, ids.iter().map(|id| seated(id, 1)));
    for id in &ids {
        let each = decision(tell(&mut session, [asked(id, 1)]));
        answer(&mut session, &each, 300);
    }
    session.leave();
    let requests = session.take_requests();
    assert!(requests.len() > 3);
    assert!(requests.iter().all(|request| request.encoded_len() <= LIMIT));
    let ready: Vec<_> =
        requests.iter().flat_map(|request| &request.ready).map(|each| &each.match_id).collect();
    assert_eq!(ready, ids.iter().collect::<Vec<_>>());
    let answers: Vec<_> = requests.iter().flat_map(indices).map(|(id, ..)| id).collect();
    assert_eq!(answers, ids);
    let byes: Vec<_> = requests.iter().map(|request| request.bye.is_some()).collect();
    assert_eq!(byes.iter().position(|bye| *bye), Some(requests.len() - 1));
    assert!(session.left);
}

#[test]
fn events_are_told_once_and_in_order() {
    let mut session = welcomed(0);
    let told = tell(&mut session, [seated("a", 1), happened("a", 1), happened("a", 1), happened("a", 2)]);
    assert_eq!(told.len(), 3);
    let error = session.receive(&frame([happened("a", 4)])).expect_err("a gap");
    assert!(error.to_string().contains("event 4 of match 'a' follows event 2"), "{error}");
}

#[test]
fn a_match_without_a_seat_breaks_the_protocol() {
    for kind in [happened("a", 1), asked("a", 1), completed("a")] {
        let error = welcomed(0).receive(&frame([kind])).expect_err("no seat");
        assert!(matches!(&error, Error::Protocol(text) if text.contains("match 'a'")), "{error}");
    }
    assert!(tell(&mut welcomed(0), [closed("a", 1)]).is_empty());
}

#[test]
fn a_rejoining_hello_tells_where_the_bot_is() {
    let mut session = welcomed(5);
    tell(&mut session, [seated("a", 2), happened("a", 1), seated("b", 1), seated("c", 1), completed("c")]);
    session.rejoin();
    assert!(!session.welcomed);
    let request = only(session.take_requests());
    assert_eq!(request.frames_received, 0);
    assert_eq!(request.ready, []);
    let hello = request.hello.expect("a hello");
    assert_eq!(hello.matches, 4);
    let points: Vec<_> =
        hello.resume.iter().map(|each| (each.match_id.as_str(), each.sequence, each.attempt)).collect();
    assert_eq!(points, [("a", 1, 2), ("b", 0, 1)]);
}

#[test]
fn a_decision_that_comes_again_is_answered_as_before() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1), seated("b", 1)]);
    let told = tell(&mut session, [asked("a", 1)]);
    answer(&mut session, &decision(told), 3);
    let later = decision(tell(&mut session, [asked("b", 1)]));
    session.rejoin();
    session.take_requests();
    answer(&mut session, &later, 4); // it is still to come again
    assert!(!session.has_requests());
    let again = [welcome_back(), seated("a", 1), seated("b", 1), asked("a", 1), asked("b", 1)];
    let told = tell(&mut session, again);
    assert!(told.is_empty());
    let request = only(session.take_requests());
    assert_eq!(indices(&request), [("a", 1, 3), ("b", 1, 4)]);
    assert_eq!(request.ready.len(), 2);
    assert_eq!(request.frames_received, 1);
}

#[test]
fn a_decision_that_is_being_thought_about_is_not_asked_again() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1)]);
    let thinking = decision(tell(&mut session, [asked("a", 1)]));
    session.rejoin();
    session.take_requests();
    assert!(tell(&mut session, [welcome_back(), seated("a", 1), asked("a", 1)]).is_empty());
    answer(&mut session, &thinking, 6);
    assert_eq!(indices(&only(session.take_requests())), [("a", 1, 6)]);
}

#[test]
fn a_new_attempt_voids_the_earlier_one() {
    let mut session = welcomed(1);
    tell(&mut session, [seated("a", 1)]);
    let old = decision(tell(&mut session, [asked("a", 1)]));
    session.take_requests();
    let told = tell(&mut session, [seated("a", 2), asked("a", 1)]);
    assert!(matches!(&told[..], [Update::Finished(before, end), Update::Seated(now), Update::Decision(..)]
            if before.attempt == 1 && end.termination() == v1::Termination::Void && now.attempt == 2));
    answer(&mut session, &old, 0);
    let request = only(session.take_requests());
    assert_eq!((request.ready.len(), request.answers.len()), (1, 0));
    assert!(!session.leaving);
}

#[test]
fn the_bot_leaves_after_its_number_of_matches() {
    let mut session = welcomed(2);
    tell(&mut session, [seated("a", 1), seated("b", 1), seated("c", 1), completed("a")]);
    tell(&mut session, [finished("b", v1::Termination::Void)]);
    assert!(!session.leaving);
    // what comes after the goodbye concerns nobody
    let told = tell(&mut session, [refused("c", 0), seated("d", 1)]);
    assert!(matches!(&told[..], [Update::Refused(Some(seated), _)] if seated.id == "c"));
    assert!(session.leaving);
    assert!(only(session.take_requests()).bye.is_some());
    assert!(session.left);
    tell(&mut session, [notice(v1::NoticeKind::Heartbeat)]);
    assert_eq!(session.take_requests(), []);
}

#[test]
fn a_refused_answer_does_not_end_the_match() {
    let mut session = welcomed(1);
    tell(&mut session, [seated("a", 1), asked("a", 1), refused("a", 1)]);
    assert_eq!(session.playing(), 1);
    assert!(!session.leaving);
    // a match that is not known any more is no match of the session
    let told = tell(&mut session, [refused("b", 0)]);
    assert!(matches!(&told[..], [Update::Refused(None, _)]));
    assert!(!session.leaving);
}

#[test]
fn a_draining_referee_is_left_when_no_match_is_left() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1)]);
    let told = tell(&mut session, [notice(v1::NoticeKind::Draining)]);
    assert!(matches!(&told[..], [Update::Notice(_)]));
    assert!(!session.leaving);
    tell(&mut session, [completed("a")]);
    assert!(session.leaving);
    let mut idle = welcomed(0);
    tell(&mut idle, [notice(v1::NoticeKind::Draining)]);
    assert!(idle.leaving);
}

#[test]
fn it_wants_no_more_matches_over_each_stream_and_plays_those_that_it_has() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1), seated("b", 1)]);
    session.take_requests();
    session.retire();
    assert!(matches!(&session.take_requests()[..], [request] if request.no_more_matches));
    tell(&mut session, [notice(v1::NoticeKind::Draining), completed("a")]);
    session.rejoin();
    let requests = session.take_requests();
    assert!(matches!(&requests[..], [request] if request.hello.is_some() && request.no_more_matches));
    tell(&mut session, [welcome_back(), seated("b", 1)]);
    assert!(!session.leaving);
    tell(&mut session, [completed("b")]);
    assert!(session.leaving);
}

#[test]
fn a_referee_that_was_draining_may_be_back_for_good() {
    let mut session = welcomed(0);
    tell(&mut session, [seated("a", 1), notice(v1::NoticeKind::Draining)]);
    session.rejoin();
    tell(&mut session, [welcome_back(), seated("a", 1), completed("a")]);
    assert!(!session.leaving);
}

#[test]
fn a_session_that_is_replaced_is_over() {
    let error = welcomed(0).receive(&frame([notice(v1::NoticeKind::Replaced)])).expect_err("the end");
    assert!(error.to_string().contains("FAIRDEAL_INSTANCE"), "{error}");
    assert!(matches!(error, Error::Replaced(rejection) if rejection.reason == "REPLACED"));
}

#[test]
fn what_this_version_does_not_know_is_passed_over() {
    // an update of a kind 99, and a notice of a kind 77 with a field 9
    let bytes = [&[0x0a, 4, 0x9a, 6, 1, 0][..], &[0x0a, 8, 0x42, 6, 0x08, 77, 0x4a, 2, 1, 2]].concat();
    let mut session = welcomed(0);
    let told = session.receive(&bytes).expect("a frame that makes sense");
    assert!(matches!(&told[..], [Update::Notice(notice)] if notice.kind == 77));
    assert!(!session.leaving);
}

#[test]
fn what_is_no_message_makes_no_sense() {
    let error = session().receive(b"\xff").expect_err("no message");
    assert_eq!(error, Error::Protocol("the referee sent a frame that is not a message".to_owned()));
}

#[test]
fn a_referee_begins_with_its_welcome() {
    let unknown = v1::PlayResponse { updates: vec![v1::Update { kind: None }] }.encode_to_vec();
    let late = frame([notice(v1::NoticeKind::Heartbeat), welcome(v1::Welcome::default())]);
    for first in [frame([]), unknown, frame([seated("a", 1)]), late] {
        let error = session().receive(&first).expect_err("no welcome");
        assert_eq!(error, Error::Protocol("the referee sent a message before its welcome".to_owned()));
    }
}

#[test]
fn the_welcome_sets_the_heartbeat() {
    let mut session = session();
    let heartbeat = Some(prost_types::Duration { seconds: 2, nanos: 500_000_000 });
    tell(&mut session, [welcome(v1::Welcome { heartbeat, ..v1::Welcome::default() })]);
    assert!(session.welcomed);
    assert_eq!(session.heartbeat, Duration::from_millis(2500));
}

mod openness;
