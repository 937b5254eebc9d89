use std::collections::BTreeMap;
use std::fs::{self, read_to_string};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::session::{Reply, Session};
use crate::updates::{Decision, Update};

const VECTORS: &str = include_str!("../../../../tests/data/kept_vectors.json");

/// A process of a bot, which answers what it is told to.
struct Process {
    session: Session,
    asked: Option<Box<Decision>>,
}

impl Process {
    fn new(keep: &str, logged: &Sender<String>) -> Self {
        let logged = logged.clone();
        let log = Box::new(move |line: &str| logged.send(line.to_owned()).expect("a reader"));
        let ledger = Ledger::open(keep, log).expect("a file");
        let hello = v1::Hello { versions: vec![1], ..v1::Hello::default() };
        Self { session: Session::new(hello, String::new(), ledger), asked: None }
    }

    fn take(&mut self, step: &Value) {
        if let Some(frame) = step.get("hears") {
            for update in self.session.receive(&bytes(frame)).expect("a frame that makes sense") {
                if let Update::Decision(decision, _) = update {
                    self.asked = Some(decision);
                }
            }
        } else if let Some(answer) = step.get("answers") {
            let asked = self.asked.as_ref().expect("a decision");
            let message = v1::Answer::decode(&bytes(answer)[..]).expect("an answer");
            self.session.answer(Reply {
                seated: asked.seated.clone(),
                decision_id: asked.id,
                answer: message.answer.expect("its kind"),
                note: String::from_utf8(message.note).expect("a text"),
            });
        } else {
            self.session.rejoin();
        }
    }
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().expect("a text");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
}

/// An empty file, in a folder of the build.
fn empty(name: &str) -> PathBuf {
    let path = Path::new(env!("OUT_DIR")).join(name);
    fs::write(&path, "").expect("a folder to write in");
    path
}

fn log() -> (Log, Receiver<String>) {
    let (sender, logged) = channel();
    (Box::new(move |line| sender.send(line.to_owned()).expect("a reader")), logged)
}

#[test]
fn lines_are_what_the_vectors_say() {
    let vectors: Value = serde_json::from_str(VECTORS).expect("JSON");
    let cases = vectors["cases"].as_array().expect("a list");
    assert!(!cases.is_empty());
    for case in cases {
        let path = empty("vectors.jsonl");
        let keep = if case["keeps"] == true { path.to_str().expect("UTF-8") } else { "" };
        let (sender, logged) = channel();
        let mut processes = BTreeMap::new();
        for step in case["steps"].as_array().expect("a list") {
            if let Some(text) = step.get("appends") {
                let mut file = OpenOptions::new().append(true).open(&path).expect("a file");
                file.write_all(text.as_str().expect("a text").as_bytes()).expect("room");
            } else {
                let process = processes.entry(step["process"].as_u64());
                process.or_insert_with(|| Process::new(keep, &sender)).take(step);
            }
        }
        let kept = read_to_string(&path).expect("a file");
        let lines = kept.lines().filter_map(|text| serde_json::from_str(text).ok());
        let lines: Vec<Value> = lines.filter(|line: &Value| line.get("match_id").is_some()).collect();
        assert_eq!(Value::from(lines), case["lines"], "{}", case["name"]);
        assert_eq!(Value::from(logged.try_iter().collect::<Vec<_>>()), case["logged"], "{}", case["name"]);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_a_bad_setting() {
    let refused = Ledger::open("/nowhere/kept.jsonl", log().0).err();
    let text = "keep '/nowhere/kept.jsonl' (FAIRDEAL_KEEP): No such file or directory (os error 2)";
    assert_eq!(refused, Some(Error::BadSetting(text.to_owned())));
}

#[test]
fn a_pipe_of_the_host_that_is_not_there_is_told_of() {
    let (log, logged) = log();
    assert!(Ledger::open("/dev/fd/987", log).is_ok_and(|ledger| ledger.file.is_none()));
    let told = "/dev/fd/987 (FAIRDEAL_KEEP) is not there: what the bot is told is not kept";
    assert_eq!(logged.iter().collect::<Vec<_>>(), [told]);
}

#[test]
fn that_lines_cannot_be_kept_is_told_once() {
    let (log, logged) = log();
    let mut ledger = Ledger::open("/dev/full", log).expect("a file");
    for id in ["m1", "m2"] {
        ledger.seated(&v1::Seated { match_id: id.to_owned(), ..v1::Seated::default() });
    }
    drop(ledger);
    let told = "what the bot is told cannot be kept: No space left on device (os error 28)";
    assert_eq!(logged.iter().collect::<Vec<_>>(), [told]);
}

#[test]
fn a_folder_has_a_file_for_each_run_and_another_one_when_that_is_long() {
    let folder = Path::new(env!("OUT_DIR")).join("state");
    let _ = fs::remove_dir_all(&folder);
    let kept = folder.join("kept");
    let (log, logged) = log();
    let mut ledger = Ledger::open(&format!("{}/", kept.display()), log).expect("no file yet");
    assert!(!folder.exists());
    let seated = |id: &str| v1::Seated { match_id: id.to_owned(), ..v1::Seated::default() };
    for id in ["m1", "m2"] {
        ledger.seated(&seated(id));
    }
    let files = || -> Vec<PathBuf> {
        fs::read_dir(&kept).expect("a folder").map(|each| each.expect("one").path()).collect()
    };
    let [first] = &files()[..] else { panic!("{:?}", files()) };
    assert_eq!(read_to_string(first).expect("lines").matches("\"seated\"").count(), 2);
    let told = format!("what the bot is told is kept in {}", first.display());
    assert_eq!(logged.try_iter().collect::<Vec<_>>(), [told]);
    fs::rename(first, kept.join("19700101T000000Z-1.jsonl")).expect("as if it were of another second");
    ledger.most_of_a_file = 5;
    ledger.seated(&seated("m3"));
    assert_eq!(files().len(), 2);
}

#[test]
fn a_folder_that_cannot_be_written_is_told_once() {
    let keep = format!("{}/kept/", empty("no-folder").display());
    let (log, logged) = log();
    let mut ledger = Ledger::open(&keep, log).expect("no file yet");
    for id in ["m1", "m2"] {
        ledger.seated(&v1::Seated { match_id: id.to_owned(), ..v1::Seated::default() });
    }
    drop(ledger);
    let told = format!(
        "{keep}: what the bot is told cannot be kept there (Not a directory (os error 20)): set FAIRDEAL_KEEP to \
         another folder, FOLDER/, or to nothing"
    );
    assert_eq!(logged.iter().collect::<Vec<_>>(), [told]);
}
