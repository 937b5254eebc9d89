/** A session over gRPC: an end to every wait, and back when the stream breaks. */

import { Backoff, LASTING } from "./backoff.js";
import { CannotConnect, ConnectionLost, FairdealError, NotThere, ProtocolError, Rejected } from "./errors.js";
import { openLedger } from "./ledger.js";
import { Player, type AnyBot } from "./player.js";
import { Session } from "./session.js";
import { placeOf, type Settings } from "./settings.js";
import { AS_IT_SHOULD_BE, Stream, hint, isFinal, isPassing, meaning } from "./stream.js";
import { Watch } from "./watch.js";

const GOODBYE_MS = 3_000; // how long the end of a session may take
const ANSWER_MS = 3_000; // how long to wait for the referee to say that no more matches come
const SILENT_HEARTBEATS = 3; // after so many heartbeats without a frame the referee counts as gone
const LEAST_PATIENCE = 1; // seconds; the last attempt needs time to find out why it fails
const MOVES = 4; // how often a bot that was just sent on is sent on again before it waits a moment
const MOMENT = 1; // seconds
const SILENCE = 2; // seconds; after so long without a referee, a line says why
const LONGEST_FIRST_DELAY = 1; // seconds; a referee that is just starting should be found soon

/** One session of a bot, from the first dialling to its end. */
export class Connection {
  readonly #settings: Settings;
  #at: Settings; // with the address of the current stream
  #isSent = false; // there by the referee
  #moves = 0;
  readonly #log: (line: string) => void;
  readonly #session: Session;
  readonly #player: Player;
  #welcomedAt = 0;
  #wasLost = false;
  #hasTold = false;
  #isStopped = false;
  #unanswered: NodeJS.Timeout | undefined;
  #send: () => void = () => undefined; // over the current stream
  #cutPause: () => void = () => undefined;

  constructor(settings: Settings, bot: AnyBot, log: (line: string) => void) {
    this.#settings = this.#at = settings;
    this.#log = log;
    this.#session = new Session(settings.hello, settings.seed, openLedger(settings.keep, log));
    this.#player = new Player(bot, this.#session, () => this.#send(), log, settings.playForced);
  }

  /** Connect and play until the session ends; throws a FairdealError when it fails. */
  async run(): Promise<void> {
    try {
      await this.#play();
    } finally {
      clearTimeout(this.#unanswered);
      await this.#player.close(GOODBYE_MS);
    }
  }

  /** Say goodbye to the referee, which ends `run`. */
  stop(): void {
    this.#isStopped = true;
    this.#session.leave();
    this.#send();
    this.#cutPause();
  }

  /** Play what is being played to its end, take no more matches, and then end `run`. */
  finish(): void {
    const session = this.#session;
    if (session.retiring) return;
    const { playing } = session;
    if (playing > 0) {
      this.#log(`finishing ${playing === 1 ? "1 match" : `${playing} matches`}; a second Ctrl-C leaves now`);
    } else if (!session.welcomed) {
      this.stop();
      return;
    }
    session.retire();
    this.#send();
    // an older referee does not know the request, and does not answer
    this.#unanswered = setTimeout(() => {
      session.drain();
      this.#send();
    }, ANSWER_MS);
  }

  async #play(): Promise<void> {
    const { connectTimeout, reconnectTimeout } = this.#settings;
    const session = this.#session;
    const began = now();
    const arrival = new Backoff(began, connectTimeout, { longest: LONGEST_FIRST_DELAY });
    let comeback: Backoff | undefined;
    while (!this.#isStopped) {
      const broken = await this.#overStream(comeback ?? arrival);
      if (!broken) break;
      const at = now();
      if (session.welcomed) {
        comeback ??= new Backoff(at, reconnectTimeout);
        const lasted = at - this.#welcomedAt;
        // a bot that is too fast whenever it is back must not dial forever
        if (lasted >= LASTING || !isPassing(broken)) comeback.restart(at, reconnectTimeout, lasted);
      }
      if (session.retiring && session.playing === 0) break;
      if (session.sentTo !== undefined) {
        await this.#moveOn(session.sentTo, at);
        continue;
      }
      const mayReturn = comeback !== undefined || isPassing(broken);
      if (!mayReturn || isFinal(broken, session.playing > 0)) throw broken;
      const delay = (comeback ?? arrival).nextDelay(at);
      if (delay === undefined) throw this.#inVain(broken);
      if (session.welcomed || this.#isSent) {
        this.#wasLost = true;
        this.#log(`${broken.message}; dialling again for up to ${reconnectTimeout} s`);
      } else if (!this.#wasLost && !this.#hasTold && at - began >= SILENCE) {
        this.#hasTold = true;
        this.#log(`${broken.message}; dialling for up to ${connectTimeout} s`);
      }
      this.#at = this.#settings;
      this.#isSent = false;
      session.rejoin();
      await this.#pause(delay);
    }
  }

  /** Go on where the referee sends the bot, at once unless it is sent to and fro. */
  async #moveOn(sentTo: string, at: number): Promise<void> {
    this.#moves = at - this.#welcomedAt < MOMENT ? this.#moves + 1 : 0;
    this.#at = { ...this.#settings, address: placeOf(sentTo, this.#settings.address) };
    this.#isSent = true;
    this.#session.rejoin();
    if (this.#moves > MOVES) await this.#pause(MOMENT);
  }

  /** Return the error for the end of the time for dialling. */
  #inVain(broken: FairdealError): FairdealError {
    const { address, connectTimeout, reconnectTimeout } = this.#at;
    if (this.#session.welcomed) return broken; // there was no time to dial again
    if (this.#wasLost) return new ConnectionLost(`${broken.message}; the bot dialled again for ${reconnectTimeout} s`);
    if (broken instanceof NotThere) {
      const text = `no referee answers at ${address} within ${connectTimeout} s: ${broken.why}`;
      return new CannotConnect(`${text}${hint(this.#at, broken.why)}`);
    }
    if (broken instanceof Rejected) {
      return new Rejected(`${broken.message}; the bot dialled for ${connectTimeout} s`, broken.reason, broken.incident);
    }
    return broken;
  }

  async #pause(seconds: number): Promise<void> {
    if (this.#isStopped) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#cutPause = resolve;
      timer = setTimeout(resolve, seconds * 1000);
    });
    clearTimeout(timer);
  }

  /**
   * Play over one stream until it ends; return what broke it, undefined when the bot has left.
   *
   * Throws Replaced when a newer session took over, ProtocolError when the referee sent something invalid.
   */
  async #overStream(backoff: Backoff): Promise<FairdealError | undefined> {
    const { address, connectTimeout } = this.#at;
    const session = this.#session;
    let failure: FairdealError | undefined;
    let goodbye: NodeJS.Timeout | undefined;
    let isSending = false;
    let end: (broken: FairdealError) => void = () => undefined;
    const ended = new Promise<FairdealError>((resolve) => (end = resolve));
    const watch = new Watch(() => end(silence(address, session.welcomed)));

    const stream = new Stream(this.#at, {
      frame: (bytes) => {
        if (goodbye) return;
        try {
          const updates = session.receive(bytes);
          if (session.frames === 1) this.#arrive();
          if (session.frames === 1) watch.set(SILENT_HEARTBEATS * session.heartbeat);
          else watch.feed();
          this.#player.play(updates);
        } catch (error) {
          if (!(error instanceof FairdealError)) throw error;
          failure = error instanceof ProtocolError ? nonsense(error, address) : error;
          session.leave();
          flush();
        }
      },
      end: (status) => end(meaning(status, address, session.welcomed)),
    });

    const flush = (): void => {
      isSending = false;
      for (const frame of session.takeFrames()) stream.send(frame);
      if (!session.left || goodbye) return;
      stream.halfClose();
      // do not wait for a referee that was never reached
      goodbye = setTimeout(() => end(new ConnectionLost("goodbye")), stream.isConnected ? GOODBYE_MS : 0);
    };
    this.#send = () => {
      // frames that come together are answered together
      if (!isSending) setImmediate(flush);
      isSending = true;
    };

    watch.set(Math.max(LEAST_PATIENCE, Math.min(connectTimeout, backoff.left(now()))));
    flush();
    const broken = await ended;
    this.#send = () => undefined;
    watch.stop();
    clearTimeout(goodbye);
    stream.close();
    if (failure) throw failure;
    return session.leaving ? undefined : broken;
  }

  #arrive(): void {
    this.#welcomedAt = now();
    if (this.#wasLost && !this.#isSent) this.#log(`the session with the referee at ${this.#at.address} is back`);
  }
}

function nonsense(error: ProtocolError, address: string): ProtocolError {
  return new ProtocolError(`${error.message}; check that ${address} ${AS_IT_SHOULD_BE}`);
}

function silence(address: string, welcomed: boolean): FairdealError {
  if (!welcomed) return new CannotConnect(`the referee at ${address} did not welcome the bot in time`);
  return new ConnectionLost(`the referee at ${address} is not responding`);
}

function now(): number {
  return performance.now() / 1000;
}
