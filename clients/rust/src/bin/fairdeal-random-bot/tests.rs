use std::ffi::OsString;
use std::time::Duration;

use fairdeal::Error;

use super::*;

fn given(arguments: &[&str]) -> Result<Option<Given>, Error> {
    parse(arguments.iter().map(OsString::from))
}

fn taken(arguments: &[&str]) -> Given {
    given(arguments).expect("arguments that can be").expect("no help")
}

fn hosted(variable: &str) -> bool {
    ["FAIRDEAL_ADDRESS", "FAIRDEAL_ENTRY", "FAIRDEAL_INSTANCE"].contains(&variable)
}

#[test]
fn every_option_is_taken() {
    let words = [
        "--connect",
        "localhost:1",
        "--game",
        "hearts",
        "--matches",
        "2",
        "--tables=3",
        "--seed",
        "spring",
        "--entry",
        "alice",
        "--instance",
        "1",
        "--connect-timeout",
        "0.5",
        "--reconnect-timeout",
        "inf",
    ];
    let text = |text: &str| Some(text.to_owned());
    let expected = Given {
        connect: text("localhost:1"),
        game: text("hearts"),
        matches: Some(2),
        tables: Some(3),
        seed: text("spring"),
        entry: text("alice"),
        instance: text("1"),
        connect_timeout: Some(Duration::from_millis(500)),
        reconnect_timeout: Some(Duration::MAX),
    };
    assert_eq!(taken(&words), expected);
    assert_eq!(taken(&[]), Given::default());
    assert_eq!(given(&["--game", "hearts", "--help", "--speed"]), Ok(None));
}

#[test]
fn every_option_is_explained() {
    for option in ["connect", "game", "matches", "tables", "seed", "entry", "instance"] {
        assert!(HELP.contains(&format!("  --{option} ")), "{option}");
    }
    assert!(HELP.contains("--connect-timeout") && HELP.contains("--reconnect-timeout"));
}

#[test]
fn arguments_that_cannot_be() {
    let wrong: [(&[&str], &str); 10] = [
        (&["--speed", "3"], "unrecognized arguments: --speed"),
        (&["hearts"], "unrecognized arguments: hearts"),
        (&["--connect"], "argument --connect: expected one argument"),
        (&["--connect", "--game"], "argument --connect: expected one argument"),
        (&["--tables", "many"], "argument --tables: invalid int value: 'many'"),
        (&["--tables", "-1"], "tables -1: must be 1 or more"),
        (&["--matches", "-1"], "matches -1: must be 0, for no limit, or more"),
        (&["--reconnect-timeout", "soon"], "argument --reconnect-timeout: invalid float value: 'soon'"),
        (&["--reconnect-timeout", "-2"], "reconnect_timeout -2: must be 0, for never, or more"),
        (&["--connect-timeout", "nan"], "connect_timeout NaN: must be 0, to try once, or more"),
    ];
    for (arguments, text) in wrong {
        assert_eq!(given(arguments), Err(Error::BadSetting(text.to_owned())));
    }
}

#[test]
fn a_bot_that_somebody_starts_plays_one_match_under_a_name_of_its_own() {
    let first = options(taken(&[]), |_| false);
    let second = options(taken(&["--connect", "localhost:1"]), |_| false);
    for each in [&first, &second] {
        assert_eq!(each.entry.as_deref(), Some("random"));
        assert_eq!(each.matches, 1);
        assert_eq!(each.tables, 64);
        assert_eq!(each.instance.as_ref().map(String::len), Some(8));
    }
    assert_ne!(first.instance, second.instance);
    let third = options(taken(&["--instance", "3"]), |_| false);
    assert_eq!(third.instance.as_deref(), Some("3"));
    let fourth = options(taken(&[]), |variable| variable == "FAIRDEAL_INSTANCE");
    assert_eq!(fourth.instance, None);
}

#[test]
fn a_bot_that_is_hosted_plays_on_as_who_it_is() {
    let options = options(taken(&[]), hosted);
    assert_eq!(options.matches, 0);
    assert_eq!((options.address, options.entry, options.instance), (None, None, None));
}

#[test]
fn what_is_given_goes_first() {
    let given = taken(&["--connect", "a:1", "--matches", "0", "--entry", "e", "--game", "piquet"]);
    let options = options(given, hosted);
    assert_eq!((options.matches, options.games), (0, vec!["piquet".to_owned()]));
    assert_eq!((options.entry.as_deref(), options.instance), (Some("e"), None));
    let connected = super::options(taken(&["--connect", "a:1"]), hosted);
    assert_eq!(connected.matches, 1);
}

/// The answers to decisions 1 to 40 of a match.
fn answers(kind: v1::legal::Kind) -> Vec<(fairdeal::Chance, Answer)> {
    let seated = std::sync::Arc::new(Seated {
        id: "m-0001".to_owned(),
        attempt: 1,
        game: "piquet".to_owned(),
        seat: 1,
        message: v1::Seated::default(),
    });
    let answered = |id| {
        let legal = Some(v1::Legal { kind: Some(kind.clone()) });
        let message = v1::Decision { legal, ..v1::Decision::default() };
        let chance = || fairdeal::Chance::new("quickstart", "m-0001", 1, id);
        let decision = Decision { seated: seated.clone(), id, chance: chance(), message };
        (chance(), random_answer(&decision))
    };
    (1..=40).map(answered).collect()
}

#[test]
fn answers_are_drawn_from_the_decision_s_generator() {
    let actions = vec![v1::Action::default(); 5];
    for (chance, answer) in answers(v1::legal::Kind::Actions(v1::ActionList { actions })) {
        assert_eq!(answer, Answer::Index(chance.draw(5)));
    }
    let cards = vec![3, 1, 52, 99];
    let choice = v1::ChooseCards { cards: cards.clone(), minimum: 1, maximum: 3 };
    for (chance, answer) in answers(v1::legal::Kind::ChooseCards(choice)) {
        assert_eq!(answer, Answer::Cards(chance.choose(&cards, 1, 3)));
    }
    let set = |count| v1::Combination {
        kind: Some(v1::combination::Kind::Set(v1::SetCombination { rank: 9, count })),
    };
    let combinations = vec![set(3), set(4)];
    let choice = v1::ChooseCombinations { combinations: combinations.clone(), minimum: 0, maximum: 2 };
    for (chance, answer) in answers(v1::legal::Kind::ChooseCombinations(choice)) {
        assert_eq!(answer, Answer::Combinations(chance.choose(&combinations, 0, 2)));
    }
}
