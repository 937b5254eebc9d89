/**
 * The generator that bots of ours draw from: the same seed gives the same match, in any language.
 *
 * Each decision has a generator of its own, so that nothing a bot draws depends on what it drew before or on
 * other tables. With `enc(x1..xk)` = for each item its length as four bytes, big-endian, then its bytes, and
 * `u32be` = a number as four bytes, big-endian, texts in ASCII:
 *
 *     block j = SHA-256(enc("fairdeal/1/bot", seed, match id, u32be(seat), u32be(decision id), u32be(j)))
 *
 * The blocks j = 0, 1, ... make one row of bytes, used in order. Vectors are in tests/data/bot_vectors.json.
 */

import { createHash } from "node:crypto";

const PARTS = 1_000_000;
const U32 = 2 ** 32;

/** What a bot draws for one decision. */
export class Chance {
  readonly #prefix: Buffer;
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  #blocks = 0;

  /**
   * Make the generator of a decision; `seat` counts from 0, `decisionId` is the referee's.
   *
   * Throws RangeError when seed or match id is not ASCII, or seat or decision id does not fit in four bytes.
   */
  constructor(seed: string, matchId: string, seat: number, decisionId: number) {
    const items = [ascii("fairdeal/1/bot"), ascii(seed), ascii(matchId), u32be(seat), u32be(decisionId)];
    this.#prefix = Buffer.concat(items.flatMap((item) => [u32be(item.length), item]));
  }

  /**
   * Return one of 0 .. n-1, all equally likely.
   *
   * Takes one byte where n <= 256 and four, big-endian, above; takes again until the number is below the
   * greatest multiple of n not above 256 or 2**32; n = 1 takes none. Throws RangeError when n is not 1 to 2**32.
   */
  draw(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > U32) {
      throw new RangeError(`cannot draw one of ${n}: must be one of 1 to 2**32`);
    }
    if (n === 1) return 0;
    const size = n <= 256 ? 1 : 4;
    const space = n <= 256 ? 256 : U32;
    // numbers from the limit on are skipped: with them the low results would come up too often
    const limit = space - (space % n);
    let number = this.#take(size);
    while (number >= limit) number = this.#take(size);
    return number % n;
  }

  /** Return one of the items; throws RangeError when there are none. */
  choice<T>(items: readonly T[]): T {
    return items[this.draw(items.length)] as T;
  }

  /**
   * Return `minimum` to `maximum` of the items: first the count is drawn, then one after the other.
   *
   * Each is taken out of what remains, which stays in its order. Throws RangeError when the bounds do not fit.
   */
  choose<T>(items: readonly T[], minimum: number, maximum: number): T[] {
    if (!(0 <= minimum && minimum <= maximum && maximum <= items.length)) {
      throw new RangeError(`cannot choose ${minimum} to ${maximum} of ${items.length} items`);
    }
    const count = minimum + this.draw(maximum - minimum + 1);
    const remaining = [...items];
    return Array.from({ length: count }, () => remaining.splice(this.draw(remaining.length), 1)[0] as T);
  }

  /**
   * Return whether something of this probability happens: draw(1,000,000) is below it in millionths.
   *
   * The millionths are rounded, halves to even. Throws RangeError when the probability is not 0 to 1.
   */
  happens(probability: number): boolean {
    if (!(0 <= probability && probability <= 1)) {
      throw new RangeError(`${probability} is not a probability: must be 0 to 1`);
    }
    return this.draw(PARTS) < roundHalfEven(probability * PARTS);
  }

  #take(size: 1 | 4): number {
    let number = 0;
    for (let taken = 0; taken < size; taken++) number = number * 256 + this.#byte();
    return number;
  }

  #byte(): number {
    if (this.#used === this.#block.length) {
      const hash = createHash("sha256").update(this.#prefix).update(u32be(4)).update(u32be(this.#blocks++));
      this.#block = hash.digest();
      this.#used = 0;
    }
    return this.#block.readUInt8(this.#used++);
  }
}

function ascii(text: string): Buffer {
  if (!isAscii(text)) {
    throw new RangeError(`${JSON.stringify(text)} is not ASCII: a bot's seed and match ids are ASCII texts`);
  }
  return Buffer.from(text, "latin1");
}

/** Return whether a text is ASCII, which is what a generator takes. */
export function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}

function u32be(n: number): Buffer {
  if (!Number.isInteger(n) || n < 0 || n >= U32) {
    throw new RangeError(`${n} does not fit in four bytes: must be 0 to ${U32 - 1}`);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
