use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};

use super::*;
use crate::settings::Options;

/// Takes a call, and returns it when the bot has said hello.
fn hear(listener: TcpListener) -> TcpStream {
    let (call, _) = listener.accept().expect("a call");
    let mut heard = Vec::new();
    while !heard.ends_with(b"fairdeal-rust/") {
        let count = BufReader::with_capacity(1, &call).read_until(b'/', &mut heard).expect("bytes");
        assert!(count > 0, "it has hung up");
    }
    call
}

#[test]
fn who_was_never_heard_of_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port"); // which takes calls and says nothing
    let address = silent.local_addr().expect("an address").to_string();
    let options = Options { address: Some(address), ..Options::default() };
    let settings = Settings::settle(&options, "bot", false, |_| None).expect("settings");
    let (updates, _told) = std::sync::mpsc::channel();
    let (_answered, replies) = mpsc::unbounded_channel();
    let (signal, stop) = watch::channel(0);
    let ledger = Ledger::open("", Box::new(tell)).expect("no file");
    let connection = Connection::new(settings, ledger, Links { updates, replies, stop });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let ended = runtime.block_on(async {
        let stopping = async {
            let call = tokio::task::spawn_blocking(move || hear(silent)).await.expect("a hello");
            signal.send_replace(1);
            call
        };
        tokio::time::timeout(GOODBYE / 2, async { tokio::join!(connection.run(), stopping).0 }).await
    });
    assert_eq!(ended, Ok(Ok(())));
}
