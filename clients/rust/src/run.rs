//! Running a bot.

use std::any::type_name;
use std::env;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use tokio::runtime::Builder;

use crate::answer::{MAX_NOTE, no_answer, only_answer};
use crate::bot::{Bot, tell};
use crate::connection::{Connection, Links};
use crate::error::Error;
use crate::ledger::Ledger;
use crate::session::Reply;
use crate::settings::{Options, Settings};
use crate::signals;
use crate::updates::Update;

/// Does what [`run`] does as a whole program: an error is one line, and an exit status.
///
/// The line goes to the standard error. The status is 2 for a wrong setting and 1 for a session that failed.
pub fn main<B: Bot>(bot: B, options: Options) -> ExitCode {
    let Err(error) = run(bot, options) else { return ExitCode::SUCCESS };
    let path = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let program = path.file_name().unwrap_or_default().to_string_lossy();
    let _ = writeln!(io::stderr(), "{program}: {error}"); // an error in writing it is ignored
    ExitCode::from(if matches!(error, Error::BadSetting(_)) { 2 } else { 1 })
}

/// Plays with a bot until its matches are over.
///
/// The bot's methods are called in this thread; the network is served by another one meanwhile, so a slow
/// `act` delays the bot's other tables, unless there is only one ([`Options::tables`]), but not the
/// session. The first SIGINT or SIGTERM lets the bot finish its matches and take no new ones, a second one
/// ends the run with a goodbye to the referee, and a third one ends the process at once.
///
/// When the session breaks, the bot comes back by itself and its matches go on: it dials again, after
/// 0.1 seconds at first and later every five, until the referee was gone for
/// [`Options::reconnect_timeout`]. It answers repeated decisions as before, without another call of
/// `act`. The loss and the return are each a line on the standard error. A session that the referee ends
/// for good, such as one that a newer session has replaced, is not dialled again.
///
/// A decision that is closed before the bot comes to it is not passed to it. An `act` that never returns
/// holds the run for ever, even when the session is over; then only a third signal ends the process.
///
/// # Errors
///
/// See [`Error`].
pub fn run<B: Bot>(bot: B, options: Options) -> Result<(), Error> {
    let name = name_of(type_name::<B>());
    let environment = |variable: &str| Some(env::var_os(variable)?.to_string_lossy().into_owned());
    let settings = Settings::settle(&options, name, bot.wants_events(), environment)?;
    let ledger = Ledger::open(&settings.keep, Box::new(tell))?;
    let threads = |error| Error::BadSetting(format!("this process cannot run a bot: {error}"));

    let (updates, told) = mpsc::channel();
    let (answered, replies) = tokio::sync::mpsc::unbounded_channel();
    let stop = signals::subscribe().map_err(threads)?;
    let links = Links { updates, replies, stop };
    let runtime = Builder::new_current_thread().enable_all().build().map_err(threads)?;
    let network = thread::Builder::new()
        .name("fairdeal".to_owned())
        .spawn(move || {
            let ended = runtime.block_on(async { Connection::new(settings, ledger, links).run().await });
            runtime.shutdown_background(); // the look-up of a name may hang
            ended
        })
        .map_err(threads)?;

    let mut player = Player { bot, play_forced: options.play_forced };
    for update in told.into_iter().flatten() {
        if let Some(reply) = player.play(update) {
            // where the session is over, nobody waits for the answer
            let _ = answered.send(reply);
        }
    }
    network.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Calls a bot's methods, and handles their panics.
struct Player<B> {
    bot: B,
    play_forced: bool,
}

impl<B: Bot> Player<B> {
    /// Passes an update to the bot and returns its answer.
    fn play(&mut self, update: Update) -> Option<Reply> {
        let bot = &mut self.bot;
        match update {
            Update::Decision(decision, open) => {
                // one that was closed while the bot was busy is not played; what is answered then is not sent
                let is_open = open.strong_count() > 0;
                let forced = if self.play_forced { only_answer(decision.legal()) } else { None };
                let act = || forgive("act", || bot.act(&decision).split());
                let answer = match forced {
                    Some(forced) => Some(forced.split()),
                    None => is_open.then(act).flatten(),
                };
                let (answer, note) = answer
                    .map_or_else(|| (no_answer(), String::new()), |(plain, note)| (plain.message(), note));
                let (seated, decision_id) = (decision.seated, decision.id);
                let note = sendable(note).unwrap_or_else(|problem| {
                    tell(&format!("match {}, decision {decision_id}: {problem}", seated.id));
                    String::new()
                });
                return Some(Reply { seated, decision_id, answer, note });
            }
            Update::Seated(seated) => forgive("seated", || bot.seated(&seated)),
            Update::Happened(seated, message) => forgive("event", || bot.event(&seated, &message)),
            Update::Closed(seated, message) => forgive("closed", || bot.closed(&seated, &message)),
            Update::Refused(seated, message) => {
                forgive("refused", || bot.refused(seated.as_deref(), &message))
            }
            Update::Finished(seated, message) => forgive("finished", || bot.finished(&seated, &message)),
            Update::Notice(message) => forgive("notice", || bot.notice(&message)),
        };
        None
    }
}

/// Returns a note that can be sent, or why it is not.
fn sendable(note: String) -> Result<String, String> {
    match note.len() {
        0..=MAX_NOTE => Ok(note),
        size => Err(format!("the note is not sent: it has {size} bytes, and {MAX_NOTE} may be sent")),
    }
}

/// Calls a method of the bot; reports where a panic, which the panic hook has printed, was.
fn forgive<T>(method: &str, call: impl FnOnce() -> T) -> Option<T> {
    let called = catch_unwind(AssertUnwindSafe(call));
    if called.is_err() {
        tell(&format!("the bot failed in {method}"));
    }
    called.ok()
}

/// Returns the name of a bot's type or function without its path; a closure has none and is `bot`.
fn name_of(type_name: &'static str) -> &'static str {
    let plain = type_name.split('<').next().unwrap_or_default();
    let name = plain.rsplit("::").next().unwrap_or_default();
    if name.starts_with('{') || name.is_empty() { "bot" } else { name }
}

#[cfg(test)]
mod tests;
