/** A watch for silence. */

const TICKS = 3;
const LONGEST = 2 ** 31 - 1; // milliseconds; a longer interval would be Node's shortest

/**
 * Calls back once when it was not fed for some seconds.
 *
 * They are counted in thirds, each begun when the event loop is free: time in which a bot held up the loop, and
 * nothing could be read, is not silence.
 */
export class Watch {
  readonly #onSilence: () => void;
  #seconds = 0;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  /** Watch from now on for so many seconds of silence; 0 or less: not at all. */
  set(seconds: number): void {
    this.#seconds = seconds;
    this.feed();
  }

  /** Record a sign of life. */
  feed(): void {
    this.stop();
    this.#ticks = 0;
    if (this.#seconds <= 0) return;
    this.#timer = setInterval(() => this.#tick(), Math.min((this.#seconds * 1000) / TICKS, LONGEST));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#ticks !== TICKS) return;
    this.stop();
    this.#onSilence();
  }
}
