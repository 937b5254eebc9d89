/** A session as pure logic: frames in, updates out; answers in, frames out. No I/O and no clock. */

import { Decision, matchOf, seconds, type Match } from "./decision.js";
import { ProtocolError, Replaced } from "./errors.js";
import { Ledger, decisionsIn } from "./ledger.js";
import { Outbox } from "./outbox.js";
import {
  Finished,
  NoticeKind,
  PlayResponse,
  Termination,
  type Answer,
  type Closed,
  type Decision as DecisionMessage,
  type Happened,
  type Hello,
  type Notice,
  type Refused,
  type ResumePoint,
  type Seated,
  type Update as UpdateMessage,
  type Welcome,
} from "./v1.js";
import { PROTOCOL_VERSION } from "./version.js";

// A frame received is acknowledged with the next request; without one, after so many frames or bytes, which is
// a quarter of what the referee allows.
const ACKNOWLEDGE_FRAMES = 16;
const ACKNOWLEDGE_BYTES = 64 * 1024;

/** What the bot is told. */
export type Update =
  | { readonly kind: "seated"; readonly match: Match }
  | { readonly kind: "decision"; readonly match: Match; readonly decision: Decision }
  | { readonly kind: "happened"; readonly match: Match; readonly message: Happened }
  | { readonly kind: "closed"; readonly match: Match; readonly message: Closed }
  | { readonly kind: "refused"; readonly match: Match | undefined; readonly message: Refused }
  | { readonly kind: "finished"; readonly match: Match; readonly message: Finished }
  | { readonly kind: "notice"; readonly match: undefined; readonly message: Notice };

/** Return whether nothing follows in the update's match: it is over, or the referee does not know it. */
export function endsMatch(update: Update): boolean {
  // decisions count from 1: with 0 it is the resume point of the match that is refused
  return update.kind === "finished" || (update.kind === "refused" && update.message.decisionId === 0);
}

/** What is known of a match that the bot has a seat in. */
class Table {
  sequence = 0; // the last event received
  asked = 0; // the last decision, one at a time
  isOpen = false; // whether it is neither answered nor closed
  isAskedHere = false; // whether it came over the current stream
  answer: Answer | undefined; // what it was answered, until it is closed

  constructor(readonly match: Match) {}
}

/**
 * One session with a referee, over one stream or, by `rejoin`, several; its first frame is the hello.
 *
 * It takes every seat that it is given. It leaves by itself after the hello's number of matches, and when it plays
 * nothing and no more matches come: the referee is about to leave, or was asked for no more. `seed` is what the
 * decisions' generators are made from, `ledger` keeps what is told and answered.
 */
export class Session {
  /** How many frames were received over the current stream. */
  frames = 0;
  /** Whether the referee has opened the session over the current stream. */
  welcomed = false;
  /** How often the referee sends something, in seconds; 0: only when there is something to send. */
  heartbeat = 0;
  /** How many matches are over, void ones not counted; one that the referee has forgotten is. */
  finished = 0;
  /** Whether the referee has said that no more matches come. */
  draining = false;
  /** Whether the bot wants no more matches, which the referee is told over each stream. */
  retiring = false;
  /** Whether the bot says goodbye with the next frames. */
  leaving = false;
  /** Whether all frames were given, goodbye the last. */
  left = false;
  /** Where the referee has sent the bot, whose next stream goes there; empty: where it began. */
  sentTo: string | undefined;

  readonly #opening: Hello;
  readonly #seed: string;
  readonly #ledger: Ledger;
  readonly #tables = new Map<string, Table>();
  #hello: Hello | undefined;
  #outbox = new Outbox();
  #acknowledged = 0;
  #unacknowledgedBytes = 0;
  #mustAcknowledge = false;
  #acknowledgeFrames = ACKNOWLEDGE_FRAMES;
  #acknowledgeBytes = ACKNOWLEDGE_BYTES;

  constructor(hello: Hello, seed = "", ledger = new Ledger(() => undefined)) {
    this.#opening = this.#hello = hello;
    this.#seed = seed;
    this.#ledger = ledger;
  }

  /** How many matches are being played. */
  get playing(): number {
    return this.#tables.size;
  }

  /**
   * Take a frame in and return what it tells the bot, in order.
   *
   * Throws Replaced when a newer session took over, ProtocolError when the frame is invalid.
   */
  receive(frame: Uint8Array): Update[] {
    this.frames += 1;
    this.#unacknowledgedBytes += frame.length;
    const told: Update[] = [];
    const { updates } = decode(frame);
    if (!this.welcomed && !this.leaving && updates[0]?.kind?.$case !== "welcome") {
      throw new ProtocolError("the referee sent a message before its welcome");
    }
    const decisions = this.#ledger.keeps ? decisionsIn(frame) : [];
    for (const update of updates) {
      if (this.leaving) break; // it has said goodbye, later updates do not concern it
      const bytes = update.kind?.$case === "decision" ? decisions.shift() : undefined;
      this.#take(update, told, bytes);
    }
    return told;
  }

  /**
   * Go on over a new stream: the next frame is a hello that tells where the bot is in its matches.
   *
   * What was not sent yet is dropped. An answer that the bot has given, or gives meanwhile, is sent when the
   * decision comes again.
   */
  rejoin(): void {
    const { matches } = this.#opening;
    this.#hello = {
      ...this.#opening,
      resume: this.resumePoints(),
      matches: matches ? matches - this.finished : 0,
    };
    this.#outbox.clear();
    this.frames = 0; // and the hello acknowledges that much
    this.welcomed = false;
    this.sentTo = undefined;
    this.draining &&= this.retiring;
    for (const table of this.#tables.values()) table.isAskedHere = false;
  }

  /** Send an answer, unless its decision is closed by now or still to come again. */
  answer(decision: Decision, answer: Answer): void {
    const table = this.#tables.get(decision.match.id);
    if (table?.match !== decision.match || decision.id !== table.asked || !table.isOpen) return;
    table.isOpen = false;
    table.answer = answer;
    if (table.isAskedHere) this.#outbox.answer(answer);
  }

  /** Ask for no more matches: leave once the matches are over and the referee has confirmed it. */
  retire(): void {
    this.retiring = true;
    this.#outbox.noMoreMatches();
  }

  /** Expect no more matches: leave once the matches are over. */
  drain(): void {
    this.draining = true;
    this.#leaveIfDone();
  }

  /** Leave with the next frames. */
  leave(): void {
    this.leaving = true;
  }

  /** Return what is to be sent now, in frames of a size that the referee takes. */
  takeFrames(): Uint8Array[] {
    if (this.left) return [];
    if (this.leaving) {
      this.#outbox.bye();
      this.left = true;
    }
    const frames = this.#outbox.take(this.frames, this.#hello, this.#owesAcknowledgement(), this.retiring);
    this.#hello = undefined;
    if (frames.length > 0) {
      this.#acknowledged = this.frames;
      this.#unacknowledgedBytes = 0;
      this.#mustAcknowledge = false;
    }
    return frames;
  }

  /** Return where the bot is in the matches that it plays, for the hello of a session that goes on. */
  resumePoints(): ResumePoint[] {
    return [...this.#tables.values()].map(({ match, sequence }) => ({
      matchId: match.id,
      sequence,
      attempt: match.attempt,
    }));
  }

  #take({ kind }: UpdateMessage, told: Update[], bytes: Uint8Array | undefined): void {
    switch (kind?.$case) {
      case "welcome":
        return this.#welcome(kind.value);
      case "seated":
        return this.#seated(kind.value, told);
      case "happened":
        return this.#happened(kind.value, told);
      case "decision":
        return this.#asked(kind.value, told, bytes);
      case "closed":
        return this.#closed(kind.value, told);
      case "refused":
        return this.#refused(kind.value, told);
      case "finished":
        return this.#finished(kind.value, told);
      case "notice":
        return this.#notice(kind.value, told);
      case "redirect":
        this.sentTo = kind.value.address;
    }
  }

  #welcome(welcome: Welcome): void {
    if (welcome.version !== PROTOCOL_VERSION) {
      throw new ProtocolError(`the referee speaks version ${welcome.version} of the protocol, not ${PROTOCOL_VERSION}`);
    }
    this.welcomed = true;
    this.heartbeat = seconds(welcome.heartbeat);
    this.#outbox.limit(welcome.maxFrameBytes);
    const { maxUnacknowledgedFrames: frames, maxUnacknowledgedBytes: bytes } = welcome;
    if (frames) this.#acknowledgeFrames = Math.max(1, Math.floor(frames / 4));
    if (bytes) this.#acknowledgeBytes = Math.max(1, Math.floor(bytes / 4));
  }

  #seated(message: Seated, told: Update[]): void {
    // a new stream repeats the seat, which must be taken again: it is not ready without a session
    this.#outbox.ready(message.matchId);
    const known = this.#tables.get(message.matchId)?.match;
    if (known && known.attempt !== message.attempt) {
      // there is no new attempt before the earlier one is void
      const matchId = known.id;
      const void_ = Finished.create({ matchId, termination: Termination.VOID });
      this.#ledger.finished(void_);
      told.push({ kind: "finished", match: known, message: void_ });
    }
    this.#ledger.seated(message);
    if (known?.attempt === message.attempt) return;
    const match = matchOf(message);
    this.#tables.set(match.id, new Table(match));
    told.push({ kind: "seated", match });
  }

  #happened(message: Happened, told: Update[]): void {
    const table = this.#table(message.matchId);
    const sequence = message.event?.sequence ?? 0;
    if (sequence <= table.sequence) return; // the bot already has it
    if (sequence > table.sequence + 1) {
      const text = `event ${sequence} of match '${message.matchId}' follows event ${table.sequence}`;
      throw new ProtocolError(`${text}: the referee left some out`);
    }
    table.sequence = sequence;
    told.push({ kind: "happened", match: table.match, message });
  }

  #asked(message: DecisionMessage, told: Update[], bytes: Uint8Array | undefined): void {
    const table = this.#table(message.matchId);
    if (message.decisionId > table.asked) {
      table.asked = message.decisionId;
      table.isOpen = table.isAskedHere = true;
      table.answer = undefined;
      this.#ledger.asked(message.matchId, message.decisionId, bytes);
      const { match } = table;
      told.push({ kind: "decision", match, decision: new Decision(match, message, this.#seed) });
    } else if (message.decisionId === table.asked) {
      table.isAskedHere = true;
      if (table.answer) this.#outbox.answer(table.answer);
    }
  }

  #closed(message: Closed, told: Update[]): void {
    const table = this.#tables.get(message.matchId);
    if (!table) return; // it travels with the next frame, and the match may be over by then
    if (message.decisionId === table.asked) {
      this.#ledger.closed(message, table.answer);
      table.isOpen = false;
      table.answer = undefined;
    }
    told.push({ kind: "closed", match: table.match, message });
  }

  #refused(message: Refused, told: Update[]): void {
    const match = this.#tables.get(message.matchId)?.match;
    const update: Update = { kind: "refused", match, message };
    told.push(update);
    if (match && endsMatch(update)) {
      this.#tables.delete(match.id);
      this.#ledger.forgotten(match.id);
      this.finished += 1; // it is over, one way or another
      this.#leaveIfDone();
    }
  }

  #finished(message: Finished, told: Update[]): void {
    const { match } = this.#table(message.matchId);
    this.#tables.delete(match.id);
    this.#ledger.finished(message);
    if (message.termination !== Termination.VOID) this.finished += 1; // a void match is played again
    this.#leaveIfDone();
    told.push({ kind: "finished", match, message });
  }

  #notice(message: Notice, told: Update[]): void {
    switch (message.kind) {
      case NoticeKind.HEARTBEAT:
        this.#mustAcknowledge = true;
        return;
      case NoticeKind.REPLACED: {
        const text = message.text || "a newer session of the same entry and instance took over";
        throw new Replaced(
          `this session was replaced: ${text}; to run both, give one another entry or instance` +
            " (FAIRDEAL_ENTRY, FAIRDEAL_INSTANCE)",
          "REPLACED",
        );
      }
      case NoticeKind.DRAINING:
        this.drain();
    }
    told.push({ kind: "notice", match: undefined, message });
  }

  #leaveIfDone(): void {
    const { matches } = this.#opening;
    if ((matches && this.finished >= matches) || (this.draining && this.playing === 0)) this.leaving = true;
  }

  #table(matchId: string): Table {
    const table = this.#tables.get(matchId);
    if (table) return table;
    throw new ProtocolError(`the referee sent a message about match '${matchId}', in which the bot has no seat`);
  }

  #owesAcknowledgement(): boolean {
    return (
      this.#mustAcknowledge ||
      this.frames - this.#acknowledged >= this.#acknowledgeFrames ||
      this.#unacknowledgedBytes >= this.#acknowledgeBytes
    );
  }
}

function decode(frame: Uint8Array): PlayResponse {
  try {
    return PlayResponse.decode(frame);
  } catch {
    throw new ProtocolError("the referee sent a frame that is not a message");
  }
}
