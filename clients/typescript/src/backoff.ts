/** When a bot dials again: a schedule, without a clock of its own. */

const FIRST_DELAY = 0.1;
const LONGEST_DELAY = 5;

/** A session that lasted this long restarts the schedule; one that breaks at once keeps it slow. */
export const LASTING = 10;

export interface BackoffOptions {
  /** The longest delay, in seconds. */
  longest?: number;
  /** Returns numbers from 0 to 1. */
  draw?: () => number;
}

/**
 * The delays between attempts, doubling up to `longest`; all times are seconds.
 *
 * Each is shortened by up to a half, so that bots that were cut off together do not come back together.
 */
export class Backoff {
  #until: number;
  #delay = FIRST_DELAY;
  readonly #longest: number;
  readonly #draw: () => number;

  constructor(now: number, timeout: number, { longest = LONGEST_DELAY, draw = Math.random }: BackoffOptions = {}) {
    this.#until = now + timeout;
    this.#longest = longest;
    this.#draw = draw;
  }

  /** Record the loss of a session that lasted so long; the time for dialling again begins now. */
  restart(now: number, timeout: number, lasted: number): void {
    this.#until = now + timeout;
    if (lasted >= LASTING) this.#delay = FIRST_DELAY;
  }

  /** Return how long to wait until the next attempt, undefined when the time for attempts is over. */
  nextDelay(now: number): number | undefined {
    const delay = this.#delay * (1 - this.#draw() / 2);
    if (now + delay >= this.#until) return undefined;
    this.#delay = Math.min(2 * this.#delay, this.#longest);
    return delay;
  }

  /** Return how much time is left for attempts. */
  left(now: number): number {
    return Math.max(0, this.#until - now);
  }
}
