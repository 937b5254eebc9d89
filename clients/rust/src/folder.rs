//! The folder in which each run of a bot keeps its lines in files of its own.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process;
use std::time::SystemTime;

use prost_types::Timestamp;

const MOST_FILES: usize = 1000;
const MOST_EARLIER: u64 = 96 << 20; // bytes of earlier files

/// Returns the folder in which an entry keeps its lines if nothing is said, with a slash at the end.
pub(crate) fn usual(entry: &str, environment: impl Fn(&str) -> Option<String>) -> String {
    let state = environment("XDG_STATE_HOME")
        .filter(|path| path.starts_with('/'))
        .unwrap_or_else(|| environment("HOME").unwrap_or_default() + "/.local/state");
    let is_usual = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let name: String =
        entry.chars().take(100).map(|letter| if is_usual(letter) { letter } else { '_' }).collect();
    format!("{state}/fairdeal/kept/{}/", if name.is_empty() { "bot" } else { &name })
}

/// Returns the path of a new file in a folder, which is made if need be.
///
/// The oldest files of runs are removed, so that all of them stay below 128 MB or little more.
pub(crate) fn next(folder: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut runs: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|found| Some(found.ok()?.path()))
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_of_a_run))
        .collect();
    runs.sort();
    let mut size = 0;
    for (number, path) in runs.iter().rev().enumerate() {
        size += path.metadata().map_or(0, |found| found.len()); // another process removes them, too
        if size > MOST_EARLIER || number >= MOST_FILES {
            let _ = fs::remove_file(path);
        }
    }
    let now = Timestamp { nanos: 0, ..Timestamp::from(SystemTime::now()) };
    let time = now.to_string().replace(['-', ':'], "");
    Ok(folder.join(format!("{time}-{}.jsonl", process::id())))
}

/// Returns whether a file has the name of one of a run, such as 20260101T120000Z-77.jsonl.
fn is_of_a_run(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.strip_suffix(".jsonl").and_then(|stem| stem.split_once("Z-"));
    parts.is_some_and(|(time, process)| {
        let (day, hour) = time.split_once('T').unwrap_or_default();
        (day.len(), hour.len()) == (8, 6) && [day, hour, process].into_iter().all(is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_one_is_that_of_the_user() {
        let usual_of = |entry: &str, home: &str, state: &str| {
            usual(entry, |name| {
                let value = if name == "HOME" { home } else { state };
                (!value.is_empty()).then(|| value.to_owned())
            })
        };
        assert_eq!(usual_of("bot", "/home/ann", ""), "/home/ann/.local/state/fairdeal/kept/bot/");
        assert_eq!(usual_of("bot", "/h", "/state"), "/state/fairdeal/kept/bot/");
        assert_eq!(usual_of("bot", "/h", "state"), "/h/.local/state/fairdeal/kept/bot/");
        assert_eq!(usual_of("../a b", "/h", ""), "/h/.local/state/fairdeal/kept/___a_b/");
        assert_eq!(usual_of("", "", ""), "/.local/state/fairdeal/kept/bot/");
    }

    #[test]
    fn the_oldest_files_of_runs_are_removed() {
        let folder = Path::new(env!("OUT_DIR")).join("removed");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        let sizes = [
            ("notes.jsonl", 0),
            ("20260101T120000Z-77.jsonl", 10),
            ("20260103T120000Z-100.jsonl", MOST_EARLIER),
        ];
        for (name, size) in sizes {
            let file = fs::File::create(folder.join(name)).expect("a file");
            file.set_len(size).expect("its length");
        }
        let made = next(&folder).expect("a path");
        assert!(is_of_a_run(made.file_name().expect("a name").to_str().expect("a text")));
        let mut names: Vec<_> =
            fs::read_dir(&folder).expect("files").map(|each| each.expect("one").file_name()).collect();
        names.sort();
        assert_eq!(names, ["20260103T120000Z-100.jsonl", "notes.jsonl"]);
    }
}
