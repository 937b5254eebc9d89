/** What a bot is told: the match that it has a seat in, and what it is asked. */

import { Chance } from "./chance.js";
import { Duration, Legal, View, type Decision as DecisionMessage, type Seated } from "./v1.js";

/** An attempt at a match that the bot has a seat in. Each has one object, the same in all that is told of it. */
export interface Match {
  readonly id: string;
  /** More than 1 when earlier attempts were void. */
  readonly attempt: number;
  readonly game: string;
  /** The bot's seat, from 0. */
  readonly seat: number;
  /** The message: options, sides, clock and the rest. */
  readonly seated: Seated;
}

/** Return the match of a message. */
export function matchOf(seated: Seated): Match {
  const { matchId: id, attempt, game, seat } = seated;
  return { id, attempt, game, seat: seat - 1, seated };
}

/** A question to the bot's seat. */
export class Decision {
  readonly match: Match;
  /** Numbers the decisions of this seat in this match from 1. */
  readonly id: number;
  /** The message itself. */
  readonly message: DecisionMessage;
  readonly #seed: string;
  #chance: Chance | undefined;
  #controller: AbortController | undefined;

  /** @internal */
  constructor(match: Match, message: DecisionMessage, seed: string) {
    this.match = match;
    this.id = message.decisionId;
    this.message = message;
    this.#seed = seed;
  }

  /** The legal answers: a list, or a choice of several cards or of several combinations. */
  get legal(): Legal {
    return (this.message.legal ??= Legal.create());
  }

  /** All that the seat knows. */
  get view(): View {
    return (this.message.view ??= View.create());
  }

  /** The time for this decision, in seconds. */
  get moveTime(): number {
    return seconds(this.message.moveTime);
  }

  /** What is left in the bank, in seconds. */
  get bank(): number {
    return seconds(this.message.bank);
  }

  /** The generator of this decision: with the same seed it draws the same in every run. */
  get chance(): Chance {
    return (this.#chance ??= new Chance(this.#seed, this.match.id, this.match.seat, this.id));
  }

  /** Aborted once an answer is of no use any more: the decision is closed, or the session is over. */
  get signal(): AbortSignal {
    return (this.#controller ??= new AbortController()).signal;
  }

  /** @internal */
  get isAborted(): boolean {
    return this.#controller?.signal.aborted ?? false;
  }

  /** @internal */
  abort(): void {
    // made even when nobody looks yet, for those who look later
    (this.#controller ??= new AbortController()).abort();
  }
}

/** Return a duration in seconds, 0 when it is absent. */
export function seconds(duration: Duration | undefined): number {
  return duration ? Number(duration.seconds) + duration.nanos / 1e9 : 0;
}
