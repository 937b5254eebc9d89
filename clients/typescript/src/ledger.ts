/**
 * What a bot keeps of its matches, so that it can show what it was told before, and what it said.
 *
 * docs/bots.md says what a line holds and how the digest is made.
 */

import { createHash, type Hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";

import { BinaryReader } from "@bufbuild/protobuf/wire";

import { BadSetting } from "./errors.js";
import { nextIn } from "./folder.js";
import { Answer, CloseReason, Combination, Fault, Termination, type Closed, type Finished, type Seated } from "./v1.js";

const PIPES_OF_THE_HOST = "/dev/fd/";
const EPOCHS = 10_000; // that are remembered
const MOST_READ = 16 << 20; // bytes of a file that holds lines already
const MOST_OF_A_FILE = 32 << 20; // bytes of a file of a folder
const UPDATES = 1; // fields of the protocol: PlayResponse.updates, Update.decision
const DECISION = 4;

type Log = (line: string) => void;

/** What is kept of a match that is being played. */
interface KeptMatch {
  readonly seated: Seated;
  readonly digest: Hash;
  last: number; // the decision that was told last
  isOpen: boolean;
  readonly missed: [number, number][]; // first and last of decisions that were not told
  readonly unknown: number[]; // decisions of whose end nothing was told
}

/** Keeps what one bot is told and says in a file; without one only breaches are looked for. */
export class Ledger {
  readonly #log: Log;
  readonly #folder: string | undefined; // where files are made
  readonly #mostOfAFile: number;
  #file: KeptFile | undefined;
  #hasNoFolder = false;
  readonly #matches = new Map<string, KeptMatch>();
  readonly #epochs = new Map<string, string>(); // scheme and commitment by epoch

  constructor(log: Log, file?: KeptFile, folder?: string, mostOfAFile = MOST_OF_A_FILE) {
    this.#log = log;
    this.#file = file;
    this.#folder = folder;
    this.#mostOfAFile = mostOfAFile;
  }

  /** Whether lines are kept, with a digest of decisions. */
  get keeps(): boolean {
    return this.#file !== undefined || this.#folder !== undefined;
  }

  /** Take a seat, or the same seat again. */
  seated(message: Seated): void {
    const { scheme, epochId, commit, manifest } = told(message);
    if (this.#folder !== undefined && !(this.#file && this.#file.size <= this.#mostOfAFile)) this.#nextFile(this.#folder);
    for (const other of this.#file?.epochs() ?? []) this.#promised(other.epochId, other.promise);
    const promise = `${scheme} ${commit}`;
    const first = this.#promised(epochId, promise);
    if (epochId && first !== promise) {
      const before = first.slice(first.lastIndexOf(" ") + 1);
      this.#breach(message, `epoch ${epochId} has another commitment than before: ${commit}, it was ${before}`);
    }
    const known = this.#matches.get(message.matchId)?.seated;
    if (known?.attempt === message.attempt) {
      const before = told(known).manifest;
      if (before !== manifest) {
        this.#breach(message, `its manifest is another than before: ${manifest}, it was ${before}`);
      }
      return;
    }
    const start = enc(
      "fairdeal/told/1",
      message.matchId,
      number(message.attempt),
      number(message.seat - 1),
      message.commitment?.manifest ?? new Uint8Array(),
    );
    const digest = createHash("sha256").update(start);
    this.#matches.set(message.matchId, { seated: message, digest, last: 0, isOpen: false, missed: [], unknown: [] });
    this.#line("seated", message);
  }

  /** Take a decision that is told for the first time, with its bytes as they came. */
  asked(matchId: string, decisionId: number, bytes: Uint8Array | undefined): void {
    const match = this.#matches.get(matchId);
    if (!match || !this.#file || !bytes) return;
    if (match.isOpen) match.unknown.push(match.last);
    if (decisionId > match.last + 1) match.missed.push([match.last + 1, decisionId - 1]);
    match.last = decisionId;
    match.isOpen = true;
    match.digest.update(enc("asked", bytes));
  }

  /** Take the end of a decision, with what the bot had answered to it. */
  closed(message: Closed, answer: Answer | undefined): void {
    const match = this.#matches.get(message.matchId);
    if (!match?.isOpen || message.decisionId !== match.last) return;
    match.isOpen = false;
    const wasRead = message.reason === CloseReason.ANSWERED || message.fault === Fault.ILLEGAL;
    if (!wasRead) match.digest.update(enc("closed", Uint8Array.of(message.reason, message.fault)));
    else if (answer) match.digest.update(enc("answered", canonical(answer)));
    else match.unknown.push(match.last);
  }

  /** Take the end of a match, and check what is revealed. */
  finished(message: Finished): void {
    const match = this.#matches.get(message.matchId);
    if (!match) return;
    this.#matches.delete(message.matchId);
    if (match.isOpen) match.unknown.push(match.last);
    const { scheme, epochId, commit } = told(match.seated);
    if (message.secret.length > 0 && (scheme === "fairdeal/1" || scheme === "fairdeal/2")) {
      const opened = createHash("sha256").update(enc("fairdeal/1/commit", epochId, message.secret));
      if (opened.digest("hex") !== commit) {
        this.#breach(match.seated, "what it reveals does not open its commitment");
      }
    }
    this.#line("finished", match.seated, {
      termination: Termination[message.termination]?.toLowerCase(),
      ranks: message.ranks,
      scores: message.scores,
      secret: hex(message.secret),
      told: match.digest.digest("hex"),
      decisions: match.last,
      missed: match.missed,
      unknown: match.unknown,
    });
  }

  /** Drop a match that the referee does not know any more. */
  forgotten(matchId: string): void {
    this.#matches.delete(matchId);
  }

  /** Go on in a new file of the folder; that it cannot be made is told once. */
  #nextFile(folder: string): void {
    try {
      const path = nextIn(folder);
      const next = new KeptFile(path, this.#log);
      this.#file?.close();
      this.#file = next;
      this.#log(`what the bot is told is kept in ${path}`);
    } catch (error) {
      if (!this.#hasNoFolder) {
        const why = (error as Error).message;
        const remedy = "set FAIRDEAL_KEEP to another folder, FOLDER/, or to nothing";
        this.#log(`${folder}: what the bot is told cannot be kept there (${why}): ${remedy}`);
      }
      this.#hasNoFolder = true;
    }
  }

  /** Return what was promised first for an epoch, perhaps now. */
  #promised(epoch: string, promise: string): string {
    const first = this.#epochs.get(epoch);
    if (first !== undefined) return first;
    this.#epochs.set(epoch, promise);
    const [oldest] = this.#epochs.keys();
    if (this.#epochs.size > EPOCHS && oldest !== undefined) this.#epochs.delete(oldest);
    return promise;
  }

  #breach(seated: Seated, breach: string): void {
    const where = `match ${seated.matchId}, attempt ${seated.attempt}`;
    this.#log(`BREACH by the referee in ${where}: ${breach}; keep this and show it to the organiser`);
    this.#line("breach", seated, { breach });
  }

  #line(type: string, seated: Seated, more: object = {}): void {
    const { scheme, epochId, commit, manifest } = told(seated);
    this.#file?.write({
      type,
      match_id: seated.matchId,
      attempt: seated.attempt,
      game: seated.game,
      seat: seated.seat - 1,
      entries: seated.entries,
      scheme,
      epoch_id: epochId,
      commit,
      manifest,
      ...more,
    });
  }
}

/**
 * Return the ledger of the setting `keep`: a file, a folder with a slash at the end, or "" for none; throws BadSetting
 * when the file cannot be written. A file in a folder is followed by another one when it has `mostOfAFile` bytes.
 */
export function openLedger(keep: string, log: Log, mostOfAFile?: number): Ledger {
  if (!keep) return new Ledger(log);
  if (keep.endsWith("/")) return new Ledger(log, undefined, keep, mostOfAFile);
  if (keep.startsWith(PIPES_OF_THE_HOST) && !isPipe(keep)) {
    log(`${keep} (FAIRDEAL_KEEP) is not there: what the bot is told is not kept`);
    return new Ledger(log);
  }
  try {
    return new Ledger(log, new KeptFile(keep, log));
  } catch (error) {
    throw new BadSetting(`keep '${keep}' (FAIRDEAL_KEEP): ${(error as Error).message}`);
  }
}

/** The file to which a bot appends its lines, and perhaps other processes of the same bot theirs. */
class KeptFile {
  readonly #path: string;
  readonly #log: Log;
  readonly #file: number;
  readonly #isFile: boolean; // of a pipe nothing can be read
  #read: number; // so many bytes were read
  #failed = false;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#file = openSync(path, "a");
    const stat = fstatSync(this.#file);
    this.#isFile = stat.isFile();
    this.#read = Math.max(0, stat.size - MOST_READ);
  }

  /** How long it is, in bytes. */
  get size(): number {
    return fstatSync(this.#file).size;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Append a line, behind one that was cut off a new one; that it cannot be is told once. */
  write(line: object): void {
    try {
      writeSync(this.#file, `${this.#isCutOff() ? "\n" : ""}${JSON.stringify(line)}\n`);
    } catch (error) {
      if (!this.#failed) this.#log(`what the bot is told cannot be kept: ${(error as Error).message}`);
      this.#failed = true;
    }
  }

  /**
   * Return what was promised in the lines that were appended since the last call, by whomever; at first, in the last
   * 16 MB. What is no line of a bot, or not whole, is passed over.
   */
  epochs(): { epochId: string; promise: string }[] {
    if (!this.#isFile) return [];
    const data = this.#new();
    const end = data.lastIndexOf(0x0a) + 1;
    this.#read += end;
    return data
      .toString("utf8", 0, end)
      .split("\n")
      .flatMap((text) => {
        const { type, epoch_id: epochId, scheme, commit } = parsed(text) ?? {};
        if (type !== "seated" || ![epochId, scheme, commit].every((field) => typeof field === "string")) return [];
        return [{ epochId: String(epochId), promise: `${String(scheme)} ${String(commit)}` }];
      });
  }

  /** Return whether the last line has no end: the disk was full, or a process was killed. */
  #isCutOff(): boolean {
    if (!this.#isFile) return false;
    const size = fstatSync(this.#file).size;
    return size > 0 && this.#from(size - 1).at(-1) !== 0x0a;
  }

  #new(): Buffer {
    return this.#from(this.#read);
  }

  #from(begin: number): Buffer {
    let file: number | undefined;
    try {
      file = openSync(this.#path, "r");
      const data = Buffer.alloc(Math.min(Math.max(0, fstatSync(file).size - begin), MOST_READ));
      return data.subarray(0, readSync(file, data, 0, data.length, begin));
    } catch {
      return Buffer.alloc(0); // then it cannot be written either, which is told
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}

/** Return the bytes of the decisions in a frame, in order. */
export function decisionsIn(frame: Uint8Array): Uint8Array[] {
  return fields(frame, UPDATES).flatMap((update) => fields(update, DECISION));
}

function fields(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted) found.push(reader.bytes());
    else reader.skip(type, field);
  }
  return found;
}

/** Return the bytes of an answer without its note and with what has no order put in order. */
export function canonical(noted: Answer): Uint8Array {
  const answer = { ...noted, note: new Uint8Array() };
  const action = answer.answer?.$case === "action" ? answer.answer.value.kind : undefined;
  const ordered = (kind: typeof action): Uint8Array =>
    Answer.encode({ ...answer, answer: { $case: "action", value: { kind } } }).finish();
  if (action?.$case === "chooseCards") {
    const cards = [...action.value.cards].sort((a, b) => a - b);
    return ordered({ $case: "chooseCards", value: { cards } });
  }
  if (action?.$case === "chooseCombinations") {
    const bytes = (each: Combination) => Combination.encode(each).finish();
    const combinations = [...action.value.combinations].sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
    return ordered({ $case: "chooseCombinations", value: { combinations } });
  }
  return Answer.encode(answer).finish();
}

/** Return items one after the other, each preceded by its length as four bytes, big-endian. */
export function enc(...items: (string | Uint8Array)[]): Uint8Array {
  const all = items.map((each) => (typeof each === "string" ? Buffer.from(each) : each));
  return Buffer.concat(all.flatMap((each) => [number(each.length), each]));
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0); // a seat that is none is -1
  return bytes;
}

function told({ commitment }: Seated): { scheme: string; epochId: string; commit: string; manifest: string } {
  const { scheme = "", epochId = "" } = commitment ?? {};
  return { scheme, epochId, commit: hex(commitment?.commit), manifest: hex(commitment?.manifest) };
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}

function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line !== null ? (line as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
