//! The command line of the random bot.

use std::ffi::OsString;
use std::time::Duration;

use fairdeal::Error;

pub(crate) const PROGRAM: &str = "fairdeal-random-bot";

pub(crate) const HELP: &str = "\
Usage: fairdeal-random-bot [OPTIONS]

Have the house bot random play at a referee.

  --connect ADDRESS            the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS
  --game GAME                  the game to play; by default every game
  --matches N                  how many matches to play, 0 for no limit
  --tables N                   how many at once; by default 64
  --seed SEED                  what the bot draws from; by default FAIRDEAL_SEED
  --entry ENTRY                the entry that plays; by default FAIRDEAL_ENTRY or random
  --instance INSTANCE          tells several sessions of one entry apart
  --connect-timeout SECONDS    how long to wait for the referee; by default 30
  --reconnect-timeout SECONDS  how long to dial a lost referee again, 0 for never; by default 60
  --help                       show this
";

/// What the command line gives; what it leaves out is `None`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) connect: Option<String>,
    pub(crate) game: Option<String>,
    pub(crate) matches: Option<u32>,
    pub(crate) tables: Option<u32>,
    pub(crate) seed: Option<String>,
    pub(crate) entry: Option<String>,
    pub(crate) instance: Option<String>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) reconnect_timeout: Option<Duration>,
}

/// Returns what the arguments give, `None` where they ask for help.
///
/// # Errors
///
/// `BadSetting`: one is unknown, or its value is invalid.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Given>, Error> {
    let mut given = Given::default();
    let mut arguments = arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        let (name, attached) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (argument.as_str(), None),
        };
        let mut value = || {
            let value = attached.clone().or_else(|| arguments.next().filter(|next| !next.starts_with("--")));
            value.ok_or_else(|| bad(format!("argument {name}: expected one argument")))
        };
        match name {
            "--help" | "-h" => return Ok(None),
            "--connect" => given.connect = Some(value()?),
            "--game" => given.game = Some(value()?),
            "--matches" => given.matches = Some(count(name, "0, for no limit, or more", &value()?)?),
            "--tables" => given.tables = Some(count(name, "1 or more", &value()?)?),
            "--seed" => given.seed = Some(value()?),
            "--entry" => given.entry = Some(value()?),
            "--instance" => given.instance = Some(value()?),
            "--connect-timeout" => {
                given.connect_timeout = Some(seconds(name, "0, to try once, or more", &value()?)?)
            }
            "--reconnect-timeout" => {
                given.reconnect_timeout = Some(seconds(name, "0, for never, or more", &value()?)?);
            }
            _ => return Err(bad(format!("unrecognized arguments: {argument}"))),
        }
    }
    Ok(Some(given))
}

fn count(name: &str, bounds: &str, value: &str) -> Result<u32, Error> {
    let number: i64 =
        value.parse().map_err(|_| bad(format!("argument {name}: invalid int value: '{value}'")))?;
    number.try_into().map_err(|_| bad(format!("{} {number}: must be {bounds}", setting(name))))
}

fn seconds(name: &str, bounds: &str, value: &str) -> Result<Duration, Error> {
    let number: f64 =
        value.parse().map_err(|_| bad(format!("argument {name}: invalid float value: '{value}'")))?;
    // a longer span cannot be represented, and is as good as forever
    if number >= Duration::MAX.as_secs_f64() {
        return Ok(Duration::MAX);
    }
    Duration::try_from_secs_f64(number)
        .map_err(|_| bad(format!("{} {number}: must be {bounds}", setting(name))))
}

/// Returns the name of the setting that an argument gives.
fn setting(name: &str) -> String {
    name.trim_start_matches('-').replace('-', "_")
}

fn bad(text: String) -> Error {
    Error::BadSetting(text)
}
