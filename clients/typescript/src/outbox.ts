/** What is to be sent, put into frames of a size that the referee takes. */

import { PlayRequest, type Answer, type Hello } from "./v1.js";

const MAX_FRAME_BYTES = 32 * 1024;
const COUNT_BYTES = 16; // a frame's `frames_received`, and some air

/**
 * Items for the referee. Each is kept as the bytes of a request that holds nothing else: requests in a row are one
 * request with all that they hold, so a frame is made by joining them, and its size is known.
 */
export class Outbox {
  #items: Uint8Array[] = [];
  #maxFrameBytes = MAX_FRAME_BYTES;

  /** Record the greatest frame that the referee takes, in bytes; 0: it did not say. */
  limit(maxFrameBytes: number): void {
    this.#maxFrameBytes = maxFrameBytes || MAX_FRAME_BYTES;
  }

  /** Drop what was not sent. */
  clear(): void {
    this.#items = [];
  }

  ready(matchId: string): void {
    this.#add({ ready: [{ matchId }] });
  }

  answer(answer: Answer): void {
    this.#add({ answers: [answer] });
  }

  noMoreMatches(): void {
    this.#add({ noMoreMatches: true });
  }

  bye(): void {
    this.#add({ bye: {} });
  }

  /**
   * Return everything as frames that acknowledge so many frames received, and drop it.
   *
   * A hello is a frame by itself, the first, which says whether it wants `noMoreMatches`. Without anything to send
   * there is a frame if `acknowledge` says so.
   */
  take(framesReceived: number, hello: Hello | undefined, acknowledge: boolean, noMoreMatches: boolean): Uint8Array[] {
    const count = encode({ framesReceived: BigInt(framesReceived) });
    const frames = hello ? [Buffer.concat([count, encode({ hello, noMoreMatches })])] : [];
    let part = [count];
    let size = COUNT_BYTES;
    for (const item of this.#items) {
      if (size + item.length > this.#maxFrameBytes && part.length > 1) {
        frames.push(Buffer.concat(part));
        part = [count];
        size = COUNT_BYTES;
      }
      part.push(item);
      size += item.length;
    }
    if (part.length > 1 || (acknowledge && !hello)) frames.push(Buffer.concat(part));
    this.clear();
    return frames;
  }

  #add(request: Partial<PlayRequest>): void {
    this.#items.push(encode(request));
  }
}

function encode(request: Partial<PlayRequest>): Uint8Array {
  return PlayRequest.encode(PlayRequest.create(request)).finish();
}
