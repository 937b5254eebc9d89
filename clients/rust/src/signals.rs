//! SIGINT and SIGTERM: the first has the runs finish, the second ends them, another one ends the process.

use std::io;
use std::process;
use std::sync::OnceLock;
use std::thread;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// What handlers of signals are, too: one for the process. It tells every run how many signals came.
static COUNT: OnceLock<watch::Sender<u32>> = OnceLock::new();

/// Returns how many signals came; the third one ends the process, as any does without a run.
///
/// # Errors
///
/// Signals cannot be handled here.
pub(crate) fn subscribe() -> io::Result<watch::Receiver<u32>> {
    if let Some(count) = COUNT.get() {
        if count.receiver_count() == 0 {
            count.send_replace(0); // they were signals to runs that are over
        }
        return Ok(count.subscribe());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let guard = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    drop(guard);
    let (sender, receiver) = watch::channel(0);
    if COUNT.set(sender.clone()).is_err() {
        return subscribe(); // another thread did it first
    }
    // a thread of its own, so that a third signal ends a bot that never leaves its `act`
    thread::Builder::new().name("fairdeal-signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            loop {
                let kind = tokio::select! {
                    _ = interrupt.recv() => SignalKind::interrupt(),
                    _ = terminate.recv() => SignalKind::terminate(),
                };
                let count = *sender.borrow() + 1;
                if count > 2 || sender.send(count).is_err() {
                    process::exit(128 + kind.as_raw_value());
                }
            }
        });
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests;
