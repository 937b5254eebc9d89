/** What a bot is, and the calling of its methods. */

import { noAnswer, onlyAnswer, toMessage, type Answer } from "./answers.js";
import type { Decision, Match } from "./decision.js";
import { endsMatch, type Session, type Update } from "./session.js";
import { Fault, Reason, type Closed, type Finished, type Happened, type Notice, type Refused } from "./v1.js";

type MaybePromise<T> = T | PromiseLike<T>;

/**
 * A bot: something that answers decisions. It may also have hooks, sync or async.
 *
 * One object plays every match. What returns a promise is awaited: matches go on side by side, within a match
 * everything is told in order. What does not holds up everything else until it returns, other tables and heartbeats
 * included.
 */
export interface Bot {
  /** Return the answer to a decision. */
  act(decision: Decision): MaybePromise<Answer>;
  /** The bot has a seat. */
  onSeated?(match: Match): MaybePromise<void>;
  /** Something happened in a match; events are only sent to a bot with this hook. */
  onEvent?(match: Match, happened: Happened): MaybePromise<void>;
  /** A decision is closed. */
  onClosed?(match: Match, closed: Closed): MaybePromise<void>;
  /** An answer is refused or, with decision 0, a match that the referee does not know any more. */
  onRefused?(match: Match | undefined, refused: Refused): MaybePromise<void>;
  /** A match is over. */
  onFinished?(match: Match, finished: Finished): MaybePromise<void>;
  /** Something about the session itself. */
  onNotice?(notice: Notice): MaybePromise<void>;
}

/** What can be run: a bot, or just its `act`. */
export type AnyBot = Bot | Bot["act"];

/** How long sync methods are called in a row before what they answered is sent, in milliseconds. */
const SLICE = 5;

/** What is to be told in one match, or outside of any. */
interface Queue {
  waiting: Update[];
  isBusy: boolean;
  acting: Acting | undefined;
}

/** An `act` that has not returned yet. */
interface Acting {
  readonly decision: Decision;
  /** Go on without its answer. */
  readonly skip: () => void;
}

/** Calls a bot's methods and gives its answers to the session. */
export class Player {
  readonly #bot: Bot;
  readonly #session: Session;
  readonly #wake: () => void;
  readonly #log: (line: string) => void;
  readonly #playForced: boolean;
  readonly #now: () => number;
  readonly #queues = new Map<Match | undefined, Queue>();
  readonly #busy = new Set<Queue>();
  #backlog: Update[] = [];
  #isPlaying = false;
  #isClosing = false;
  #idle: () => void = () => undefined;

  /**
   * `wake` is called when there may be something to send, `log` with what goes wrong; `now` is in milliseconds. With
   * `playForced` the bot is not asked where one answer is legal.
   */
  constructor(
    bot: AnyBot,
    session: Session,
    wake: () => void,
    log: (line: string) => void,
    playForced = false,
    now: () => number = () => performance.now(),
  ) {
    this.#bot = typeof bot === "function" ? { act: bot } : bot;
    this.#session = session;
    this.#wake = wake;
    this.#log = log;
    this.#playForced = playForced;
    this.#now = now;
  }

  /** Play what the session was told. */
  play(updates: readonly Update[]): void {
    this.#backlog.push(...updates);
    if (!this.#isPlaying) this.#playOn();
  }

  /** Cancel every `act`, and give the hooks so many milliseconds to be called and to end. */
  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    for (const queue of this.#queues.values()) this.#cancel(queue);
    if (this.#isIdle) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, grace);
    });
    clearTimeout(timer);
  }

  get #isIdle(): boolean {
    return this.#backlog.length === 0 && this.#busy.size === 0;
  }

  #playOn(): void {
    this.#isPlaying = true;
    const until = this.#now() + SLICE;
    let update: Update | undefined;
    while ((update = this.#backlog.shift())) {
      this.#tell(update);
      if (this.#backlog.length > 0 && this.#now() > until) {
        setImmediate(() => this.#playOn());
        this.#wake();
        return;
      }
    }
    this.#isPlaying = false;
    this.#wake();
    if (this.#isIdle) this.#idle();
  }

  #tell(update: Update): void {
    const key = update.match;
    const queue = this.#queues.get(key) ?? { waiting: [], isBusy: false, acting: undefined };
    this.#queues.set(key, queue);
    if (endsMatch(update)) this.#queues.delete(key);
    if (queue.acting && isOver(queue.acting.decision, update)) this.#cancel(queue);
    if (queue.isBusy) queue.waiting.push(update);
    else this.#work(queue, update);
  }

  /** Call the bot until one of its methods returns a promise, then go on when that is settled. */
  #work(queue: Queue, first: Update): void {
    for (let update: Update | undefined = first; update; update = queue.waiting.shift()) {
      const running = this.#call(queue, update);
      if (running) {
        queue.isBusy = true;
        this.#busy.add(queue);
        void running.then(() => {
          queue.isBusy = false;
          this.#busy.delete(queue);
          const next = queue.waiting.shift();
          if (next) this.#work(queue, next);
          this.#wake();
          if (this.#isIdle) this.#idle();
        });
        return;
      }
    }
  }

  /** Pass an update to the bot; returns a promise, which is never rejected, where its method is async. */
  #call(queue: Queue, update: Update): Promise<void> | undefined {
    if (update.kind === "decision") {
      return this.#isClosing ? undefined : this.#act(queue, update.decision);
    }
    const failed = (error: unknown): void => this.#failed(HOOKS[update.kind], error);
    try {
      const returned = this.#hook(update);
      return isPromise(returned) ? Promise.resolve(returned).then(undefined, failed) : undefined;
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #act(queue: Queue, decision: Decision): Promise<void> | undefined {
    const answer = (given: Answer): void => this.#session.answer(decision, toMessage(decision, given, this.#log));
    const failed = (error: unknown): void => {
      if (this.#isClosing || decision.isAborted) return; // nobody waits for it any more
      this.#failed("act", error);
      this.#session.answer(decision, noAnswer(decision));
    };
    try {
      const given = (this.#playForced ? onlyAnswer(decision) : undefined) ?? this.#bot.act(decision);
      if (!isPromise(given)) {
        answer(given);
        return undefined;
      }
      const skipped = new Promise<void>((skip) => (queue.acting = { decision, skip }));
      return Promise.race([Promise.resolve(given).then(answer).catch(failed), skipped]);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #cancel(queue: Queue): void {
    queue.acting?.decision.abort();
    queue.acting?.skip();
    queue.acting = undefined;
  }

  #hook(update: Exclude<Update, { kind: "decision" }>): MaybePromise<void> {
    const bot = this.#bot;
    switch (update.kind) {
      case "seated":
        return bot.onSeated?.(update.match);
      case "happened":
        return bot.onEvent?.(update.match, update.message);
      case "closed":
        return bot.onClosed ? bot.onClosed(update.match, update.message) : this.#logClosed(update.message);
      case "refused":
        return bot.onRefused ? bot.onRefused(update.match, update.message) : this.#logRefused(update.message);
      case "finished":
        return bot.onFinished?.(update.match, update.message);
      case "notice":
        return bot.onNotice?.(update.message);
    }
  }

  #failed(method: string, error: unknown): void {
    this.#log(`the bot failed in ${method}\n${error instanceof Error ? (error.stack ?? error) : String(error)}`);
  }

  #logClosed({ matchId, decisionId, fault, noteDropped }: Closed): void {
    const where = `match ${matchId}, decision ${decisionId}`;
    if (fault) this.#log(`${where}: ${Fault[fault] ?? "UNKNOWN"}: the referee played the default action`);
    if (noteDropped) this.#log(`${where}: the referee did not keep the note: it is too long, or too many came`);
  }

  #logRefused({ matchId, decisionId, reason, text }: Refused): void {
    const why = `${Reason[reason] ?? reason} ${text}`;
    if (decisionId) this.#log(`match ${matchId}, decision ${decisionId}: the answer was refused: ${why}`);
    else this.#log(`match ${matchId}: the referee does not go on with it: ${why}`);
  }
}

const HOOKS = {
  seated: "onSeated",
  happened: "onEvent",
  closed: "onClosed",
  refused: "onRefused",
  finished: "onFinished",
  notice: "onNotice",
} as const;

/** Return whether an update of its match ends a decision. */
function isOver(decision: Decision, update: Update): boolean {
  // a new decision closes the one before, of which the bot may not have been told while there was no session
  const isClosed = update.kind === "closed" && update.message.decisionId === decision.id;
  return isClosed || update.kind === "decision" || endsMatch(update);
}

function isPromise<T>(given: MaybePromise<T>): given is PromiseLike<T> {
  return typeof (given as { then?: unknown } | undefined | null)?.then === "function";
}
