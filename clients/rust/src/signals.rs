//! SIGINT and SIGTERM: the first ends the runs, another one ends the process.

use std::io;
use std::process;
use std::sync::OnceLock;
use std::thread;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// What handlers of signals are, too: one for the process. It tells every run of the first signal.
static FIRST: OnceLock<watch::Sender<bool>> = OnceLock::new();

/// Returns what changes at the first signal; the one after it ends the process, as any does without a run.
///
/// # Errors
///
/// Signals cannot be handled here.
pub(crate) fn subscribe() -> io::Result<watch::Receiver<bool>> {
    if let Some(first) = FIRST.get() {
        if first.receiver_count() == 0 {
            first.send_replace(false); // it was the first signal of runs that are over
        }
        return Ok(first.subscribe());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let guard = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    drop(guard);
    let (sender, receiver) = watch::channel(false);
    if FIRST.set(sender.clone()).is_err() {
        return subscribe(); // another thread was faster
    }
    // a thread of its own, so that a second signal ends a bot that never leaves its `act`
    thread::Builder::new().name("fairdeal-signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            loop {
                let kind = tokio::select! {
                    _ = interrupt.recv() => SignalKind::interrupt(),
                    _ = terminate.recv() => SignalKind::terminate(),
                };
                if *sender.borrow() || sender.send(true).is_err() {
                    process::exit(128 + kind.as_raw_value());
                }
            }
        });
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests;
