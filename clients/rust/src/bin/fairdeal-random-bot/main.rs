//! The house bot `random`: any legal answer, all equally likely. It plays every game.

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::{BuildHasher, Hasher};
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use fairdeal::{Answer, Bot, Decision, Options, Seated, v1};

mod arguments;

use arguments::{Given, HELP, PROGRAM, parse};

/// Draws its answers from the decision's generator; may say what it plays.
struct Random {
    says: bool,
}

impl Bot for Random {
    fn act(&mut self, decision: &Decision) -> Answer {
        random_answer(decision)
    }

    fn seated(&mut self, seated: &Seated) {
        let entries = &seated.message.entries;
        let names = if entries.is_empty() { String::new() } else { format!(" with {}", entries.join(", ")) };
        self.say(&format!("{}: {}, seat {}{names}", seated.id, seated.game, seated.seat));
    }

    fn finished(&mut self, seated: &Seated, finished: &v1::Finished) {
        let how = finished.termination().as_str_name().trim_start_matches("TERMINATION_");
        let scores: Vec<String> = finished.scores.iter().map(ToString::to_string).collect();
        let told = if scores.is_empty() {
            String::new()
        } else {
            format!(", scores by side: {}", scores.join(", "))
        };
        self.say(&format!("{}: {}{told}", seated.id, how.to_lowercase()));
    }
}

impl Random {
    fn say(&self, line: &str) {
        if self.says {
            let _ = writeln!(stdout(), "{line}"); // a closed output is not an error
        }
    }
}

/// Returns one of the legal answers, drawn from the decision's generator.
fn random_answer(decision: &Decision) -> Answer {
    let chance = &decision.chance;
    match decision.legal() {
        v1::legal::Kind::Actions(list) => Answer::Index(chance.draw(list.actions.len())),
        v1::legal::Kind::ChooseCards(choice) => {
            let (minimum, maximum) = (choice.minimum as usize, choice.maximum as usize);
            Answer::Cards(chance.choose(&choice.cards, minimum, maximum))
        }
        v1::legal::Kind::ChooseCombinations(choice) => {
            let (minimum, maximum) = (choice.minimum as usize, choice.maximum as usize);
            Answer::Combinations(chance.choose(&choice.combinations, minimum, maximum))
        }
    }
}

/// Returns how the bot plays, given what the environment knows.
fn options(given: Given, is_set: impl Fn(&str) -> bool) -> Options {
    let is_hosted = given.connect.is_none() && is_set("FAIRDEAL_ADDRESS");
    let defaults = Options::default();
    let mut options = Options {
        address: given.connect,
        entry: given.entry,
        instance: given.instance,
        games: given.game.into_iter().collect(),
        tables: given.tables.unwrap_or(defaults.tables),
        matches: given.matches.unwrap_or(if is_hosted { 0 } else { 1 }),
        seed: given.seed,
        connect_timeout: given.connect_timeout.unwrap_or(defaults.connect_timeout),
        reconnect_timeout: given.reconnect_timeout.unwrap_or(defaults.reconnect_timeout),
        ..defaults
    };
    if options.entry.is_none() && !is_set("FAIRDEAL_ENTRY") {
        options.entry = Some("random".to_owned());
        // so that several do not replace each other
        if options.instance.is_none() && !is_set("FAIRDEAL_INSTANCE") {
            let drawn = RandomState::new().build_hasher().finish();
            options.instance = Some(format!("{:08x}", drawn >> 32));
        }
    }
    options
}

fn main() -> ExitCode {
    match parse(env::args_os().skip(1)) {
        Ok(Some(given)) => {
            let bot = Random { says: given.connect.is_some() };
            fairdeal::main(bot, options(given, |variable| env::var_os(variable).is_some()))
        }
        Ok(None) => {
            let _ = write!(stdout(), "{HELP}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(stderr(), "{PROGRAM}: {error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests;
