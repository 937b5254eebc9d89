//! Bots for [fairdeal](https://github.com/fairdeal/fairdeal), a referee for bot competitions in card games.
//!
//! A bot is a [`Bot`], or just a closure, and [`main()`] has it play:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use fairdeal::{Answer, Decision, Options, v1};
//!
//! fn main() -> ExitCode {
//!     let first = |decision: &Decision| match decision.legal() {
//!         v1::legal::Kind::Actions(_) => Answer::Index(0),
//!         v1::legal::Kind::ChooseCards(choice) => {
//!             Answer::Cards(choice.cards[..choice.minimum as usize].to_vec())
//!         }
//!         v1::legal::Kind::ChooseCombinations(_) => Answer::Combinations(vec![]),
//!     };
//!     fairdeal::main(first, Options::default())
//! }
//! ```
//!
//! [`run()`] does the same inside a program, and returns errors. The data from the referee is in the
//! protocol's own messages, [`v1`].

mod answer;
mod backoff;
mod bot;
mod chance;
mod connection;
mod error;
mod folder;
mod ledger;
mod run;
mod session;
mod settings;
mod signals;
mod stream;
mod tls;
mod updates;

pub use answer::{Answer, MAX_NOTE};
pub use bot::Bot;
pub use chance::Chance;
pub use error::{Error, Rejection};
pub use run::{main, run};
pub use settings::Options;
pub use updates::{Decision, Seated};

/// The protocol's messages, generated from `proto/fairdeal/v1`.
pub mod v1 {
    #![allow(missing_docs, clippy::all)]
    tonic::include_proto!("fairdeal.v1");
}
