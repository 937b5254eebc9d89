use std::process::Command;
use std::time::Duration;

use super::*;

/// Asks the process to end, and returns what its runs are told.
fn asked_to_end() -> bool {
    let mut stop = subscribe().expect("signals");
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let asked = Command::new("kill").args(["-TERM", &process::id().to_string()]).status();
    assert!(asked.expect("a program `kill`").success());
    let told =
        runtime.block_on(async { tokio::time::timeout(Duration::from_secs(10), stop.changed()).await });
    told.expect("a signal in time").is_ok()
}

#[test]
fn each_run_has_a_first_signal_of_its_own() {
    assert!(asked_to_end());
    assert!(asked_to_end()); // the second signal of a run would have ended the process
}
