//! What a bot keeps of its matches, so that it can show what it was told before, and what it said.
//!
//! `docs/bots.md` says what a line holds and how the digest is made.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions, metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use prost::Message;
use ring::digest::{Context, SHA256};
use serde_json::{Value, json};

use crate::error::Error;
use crate::folder;
use crate::v1;

const PIPES_OF_THE_HOST: &str = "/dev/fd/";
const EPOCHS: usize = 10_000; // that are remembered
const MOST_READ: u64 = 16 << 20; // bytes of a file that holds lines already
const MOST_OF_A_FILE: u64 = 32 << 20; // bytes of a file of a folder

pub(crate) type Log = Box<dyn Fn(&str) + Send>;

/// The updates of a frame as they came; other fields are passed over.
#[derive(Message)]
struct RawFrame {
    #[prost(message, repeated, tag = "1")]
    updates: Vec<RawUpdate>,
}

#[derive(Message)]
struct RawUpdate {
    #[prost(bytes = "vec", optional, tag = "4")]
    decision: Option<Vec<u8>>,
}

/// What was committed to for an epoch.
#[derive(Clone, PartialEq)]
struct Promise {
    scheme: String,
    commit: String,
}

/// What is kept of a match that is being played.
struct Kept {
    seated: v1::Seated,
    digest: Context,
    /// The decision that was told last.
    last: u32,
    is_open: bool,
    /// First and last of decisions that were not told.
    missed: Vec<[u32; 2]>,
    /// Decisions of whose end nothing was told.
    unknown: Vec<u32>,
}

/// Keeps what one bot is told and says in a file; without one only breaches are looked for.
pub(crate) struct Ledger {
    log: Log,
    file: Option<KeptFile>,
    /// Where files are made.
    folder: Option<PathBuf>,
    most_of_a_file: u64,
    has_no_folder: bool,
    matches: HashMap<String, Kept>,
    epochs: HashMap<String, Promise>,
    /// Epochs in the order in which they were told first.
    oldest: VecDeque<String>,
}

impl Ledger {
    /// Returns the ledger of the setting `keep`: a file, a folder with a slash at the end, or "" for none.
    ///
    /// # Errors
    ///
    /// `BadSetting`: the file cannot be written.
    pub(crate) fn open(keep: &str, log: Log) -> Result<Self, Error> {
        let folder = keep.ends_with('/').then(|| PathBuf::from(keep));
        let file = if keep.is_empty() || folder.is_some() {
            None
        } else if keep.starts_with(PIPES_OF_THE_HOST) && !is_pipe(keep) {
            log(&format!("{keep} (FAIRDEAL_KEEP) is not there: what the bot is told is not kept"));
            None
        } else {
            let bad = |error| Error::BadSetting(format!("keep '{keep}' (FAIRDEAL_KEEP): {error}"));
            Some(KeptFile::open(Path::new(keep)).map_err(bad)?)
        };
        Ok(Self {
            log,
            file,
            folder,
            most_of_a_file: MOST_OF_A_FILE,
            has_no_folder: false,
            matches: HashMap::new(),
            epochs: HashMap::new(),
            oldest: VecDeque::new(),
        })
    }

    /// Takes a seat, or the same seat again.
    pub(crate) fn seated(&mut self, message: &v1::Seated) {
        let told = message.commitment.clone().unwrap_or_default();
        self.next_file();
        for (epoch, promise) in self.file.as_mut().map(KeptFile::epochs).unwrap_or_default() {
            self.promised(&epoch, promise);
        }
        let now = Promise { scheme: told.scheme.clone(), commit: hex(&told.commit) };
        let first = self.promised(&told.epoch_id, now.clone());
        if !told.epoch_id.is_empty() && first != now {
            let (epoch, commit, before) = (&told.epoch_id, &now.commit, &first.commit);
            self.breach(
                message,
                &format!("epoch {epoch} has another commitment than before: {commit}, it was {before}"),
            );
        }
        if let Some(known) = self.matches.get(&message.match_id)
            && known.seated.attempt == message.attempt
        {
            let before = known.seated.commitment.clone().unwrap_or_default();
            if before != told {
                let (manifest, before) = (hex(&told.manifest), hex(&before.manifest));
                self.breach(
                    message,
                    &format!("its manifest is another than before: {manifest}, it was {before}"),
                );
            }
            return;
        }
        let mut digest = Context::new(&SHA256);
        digest.update(&enc(&[
            b"fairdeal/told/1",
            message.match_id.as_bytes(),
            &message.attempt.to_be_bytes(),
            &(message.seat - 1).to_be_bytes(),
            &told.manifest,
        ]));
        let seated = message.clone();
        let kept = Kept { seated, digest, last: 0, is_open: false, missed: Vec::new(), unknown: Vec::new() };
        self.matches.insert(message.match_id.clone(), kept);
        self.write("seated", message, json!({}));
    }

    /// Goes on in a new file of the folder if there is none or it is long; that it cannot be made is told once.
    fn next_file(&mut self) {
        let Some(folder) = &self.folder else { return };
        if self.file.as_ref().is_some_and(|file| file.size() <= self.most_of_a_file) {
            return;
        }
        match folder::next(folder).and_then(|path| KeptFile::open(&path)) {
            Ok(file) => {
                (self.log)(&format!("what the bot is told is kept in {}", file.path.display()));
                self.file = Some(file);
            }
            Err(error) if !self.has_no_folder => {
                self.has_no_folder = true;
                (self.log)(&format!(
                    "{}: what the bot is told cannot be kept there ({error}): set FAIRDEAL_KEEP to another folder, \
                     FOLDER/, or to nothing",
                    folder.display()
                ));
            }
            Err(_) => {}
        }
    }

    /// Returns the bytes of the decisions in a frame, in order, if they are to be kept.
    pub(crate) fn decisions_in(&self, frame: &[u8]) -> Vec<Vec<u8>> {
        let keeps = self.file.is_some() || self.folder.is_some();
        let updates = keeps.then(|| RawFrame::decode(frame).ok()).flatten().unwrap_or_default().updates;
        updates.into_iter().filter_map(|update| update.decision).collect()
    }

    /// Takes a decision that is told for the first time, with its bytes as they came.
    pub(crate) fn asked(&mut self, message: &v1::Decision, bytes: Option<&[u8]>) {
        let (Some(known), Some(bytes)) = (self.matches.get_mut(&message.match_id), bytes) else { return };
        if known.is_open {
            known.unknown.push(known.last);
        }
        if message.decision_id > known.last + 1 {
            known.missed.push([known.last + 1, message.decision_id - 1]);
        }
        known.last = message.decision_id;
        known.is_open = true;
        known.digest.update(&enc(&[b"asked", bytes]));
    }

    /// Takes the end of a decision, with what the bot had answered to it.
    pub(crate) fn closed(&mut self, message: &v1::Closed, answer: Option<&v1::Answer>) {
        let Some(known) = self.matches.get_mut(&message.match_id) else { return };
        if !known.is_open || message.decision_id != known.last {
            return;
        }
        known.is_open = false;
        let was_read = message.reason() == v1::CloseReason::Answered || message.fault() == v1::Fault::Illegal;
        match answer {
            _ if !was_read => {
                known.digest.update(&enc(&[b"closed", &[message.reason as u8, message.fault as u8]]));
            }
            Some(answer) => known.digest.update(&enc(&[b"answered", &canonical(answer)])),
            None => known.unknown.push(known.last),
        }
    }

    /// Takes the end of a match, and checks what is revealed.
    pub(crate) fn finished(&mut self, message: &v1::Finished) {
        let Some(mut known) = self.matches.remove(&message.match_id) else { return };
        if known.is_open {
            known.unknown.push(known.last);
        }
        let told = known.seated.commitment.clone().unwrap_or_default();
        let is_known = ["fairdeal/1", "fairdeal/2"].contains(&told.scheme.as_str());
        if is_known && !message.secret.is_empty() {
            let opening = enc(&[b"fairdeal/1/commit", told.epoch_id.as_bytes(), &message.secret]);
            if ring::digest::digest(&SHA256, &opening).as_ref() != told.commit {
                self.breach(&known.seated, "what it reveals does not open its commitment");
            }
        }
        let termination = message.termination().as_str_name();
        let end = json!({
            "termination": termination.trim_start_matches("TERMINATION_").to_lowercase(),
            "ranks": message.ranks,
            "scores": message.scores,
            "secret": hex(&message.secret),
            "told": hex(known.digest.finish().as_ref()),
            "decisions": known.last,
            "missed": known.missed,
            "unknown": known.unknown,
        });
        self.write("finished", &known.seated, end);
    }

    /// Drops a match that the referee does not know any more.
    pub(crate) fn forgotten(&mut self, match_id: &str) {
        self.matches.remove(match_id);
    }

    /// Returns what was promised first for an epoch, perhaps now.
    fn promised(&mut self, epoch: &str, now: Promise) -> Promise {
        if let Some(first) = self.epochs.get(epoch) {
            return first.clone();
        }
        self.epochs.insert(epoch.to_owned(), now.clone());
        self.oldest.push_back(epoch.to_owned());
        if self.oldest.len() > EPOCHS {
            self.oldest.pop_front().map(|oldest| self.epochs.remove(&oldest));
        }
        now
    }

    fn breach(&mut self, seated: &v1::Seated, what: &str) {
        let (id, attempt) = (&seated.match_id, seated.attempt);
        (self.log)(&format!(
            "BREACH by the referee in match {id}, attempt {attempt}: {what}; \
             keep this and show it to the organiser"
        ));
        self.write("breach", seated, json!({ "breach": what }));
    }

    fn write(&mut self, kind: &str, seated: &v1::Seated, more: Value) {
        let Some(file) = &mut self.file else { return };
        let told = seated.commitment.clone().unwrap_or_default();
        let mut line = json!({
            "type": kind,
            "match_id": seated.match_id,
            "attempt": seated.attempt,
            "game": seated.game,
            "seat": seated.seat - 1,
            "entries": seated.entries,
            "scheme": told.scheme,
            "epoch_id": told.epoch_id,
            "commit": hex(&told.commit),
            "manifest": hex(&told.manifest),
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        if let Some(error) = file.write(&format!("{line}\n")) {
            (self.log)(&format!("what the bot is told cannot be kept: {error}"));
        }
    }
}

/// The file to which a bot appends its lines, and perhaps other processes of the same bot theirs.
struct KeptFile {
    path: PathBuf,
    file: File,
    /// Of a pipe nothing can be read.
    is_file: bool,
    /// So many bytes were read.
    read: u64,
    has_failed: bool,
}

impl KeptFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let found = file.metadata()?;
        let read = found.len().saturating_sub(MOST_READ);
        Ok(Self { path: path.to_owned(), file, is_file: found.is_file(), read, has_failed: false })
    }

    /// Returns how long it is, in bytes.
    fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |found| found.len())
    }

    /// Appends a line, behind one that was cut off a new one; returns why it cannot be, once.
    fn write(&mut self, line: &str) -> Option<io::Error> {
        let begin = if self.is_cut_off().unwrap_or(false) { "\n" } else { "" };
        let error = self.file.write_all(format!("{begin}{line}").as_bytes()).err()?;
        (!std::mem::replace(&mut self.has_failed, true)).then_some(error)
    }

    /// Returns whether the last line has no end: the disk was full, or a process was killed.
    fn is_cut_off(&self) -> io::Result<bool> {
        if !self.is_file || self.file.metadata()?.len() == 0 {
            return Ok(false);
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        Ok(last != *b"\n")
    }

    /// Returns what was promised in the lines that were appended since the last call, by whomever; at first, in the
    /// last 16 MB. What is no line of a bot, or not whole, is passed over.
    fn epochs(&mut self) -> Vec<(String, Promise)> {
        // a file that cannot be read cannot be written either, which is told
        let Some(data) = self.is_file.then(|| self.appended().ok()).flatten() else { return Vec::new() };
        let whole = data.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.read += whole as u64;
        data[..whole].split(|byte| *byte == b'\n').filter_map(promise_in).collect()
    }

    fn appended(&self) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut data = Vec::new();
        file.take(MOST_READ).read_to_end(&mut data)?;
        Ok(data)
    }
}

/// Returns what is promised in a line in which a seat was given out, and for which epoch.
fn promise_in(text: &[u8]) -> Option<(String, Promise)> {
    let line: Value = serde_json::from_slice(text).ok()?;
    let field = |name: &str| Some(line.get(name)?.as_str()?.to_owned());
    let promise = Promise { scheme: field("scheme")?, commit: field("commit")? };
    (field("type")? == "seated").then_some((field("epoch_id")?, promise))
}

fn is_pipe(path: &str) -> bool {
    metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// Returns the bytes of an answer without its note and with what has no order put in order.
fn canonical(answer: &v1::Answer) -> Vec<u8> {
    let mut ordered = v1::Answer { note: Vec::new(), ..answer.clone() };
    if let Some(v1::answer::Answer::Action(action)) = &mut ordered.answer {
        match &mut action.kind {
            Some(v1::action::Kind::ChooseCards(chosen)) => chosen.cards.sort_unstable(),
            Some(v1::action::Kind::ChooseCombinations(chosen)) => {
                chosen.combinations.sort_by_cached_key(Message::encode_to_vec);
            }
            _ => {}
        }
    }
    ordered.encode_to_vec()
}

/// Returns items one after the other, each preceded by its length as four bytes, big-endian.
fn enc(items: &[&[u8]]) -> Vec<u8> {
    let mut all = Vec::new();
    for item in items {
        all.extend((item.len() as u32).to_be_bytes());
        all.extend(*item);
    }
    all
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
