/** A referee over real sockets, which plays what a test has written. */

import assert from "node:assert/strict";
import { on } from "node:events";
import type { TestContext } from "node:test";

import { Metadata, Server, ServerCredentials, type ServerDuplexStream, type status } from "@grpc/grpc-js";

import { v1 } from "../src/index.js";
import * as tell from "./tell.js";

const bytes = (buffer: Buffer): Buffer => buffer;
const PLAY = {
  path: "/fairdeal.v1.PlayService/Play",
  requestStream: true,
  responseStream: true,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
} as const;

/** The referee's side of a stream. */
export class Seat {
  readonly #requests: AsyncIterator<[Buffer | undefined]>;

  constructor(readonly call: ServerDuplexStream<Buffer, Buffer>) {
    // iterating over the call itself would destroy it at the end of the requests
    call.on("end", () => call.emit("data", undefined));
    this.#requests = on(call, "data") as AsyncIterator<[Buffer | undefined]>;
  }

  tell(...updates: Parameters<typeof tell.frame>): void {
    this.call.write(Buffer.from(tell.frame(...updates)));
  }

  /** Return the next request, undefined after the last. */
  async next(): Promise<v1.PlayRequest | undefined> {
    const [request] = (await this.#requests.next()).value as [Buffer | undefined];
    return request && v1.PlayRequest.decode(request);
  }

  /** Take what the bot sends until it has said goodbye and nothing follows, and end the stream. */
  async part(): Promise<void> {
    let last: v1.PlayRequest | undefined;
    for (let request = await this.next(); request; request = await this.next()) last = request;
    assert.deepEqual(last?.bye, {});
    this.call.end();
  }

  fail(code: status, details: string, reason?: string): void {
    const metadata = new Metadata();
    if (reason) metadata.set("fairdeal-reason", reason);
    this.call.emit("error", { code, details, metadata });
  }
}

export type Script = (seat: Seat) => Promise<void>;

/** A referee that plays one script after the other, the last one for ever. */
export async function referee(
  context: TestContext,
  scripts: readonly Script[],
  { path = PLAY.path as string, credentials = ServerCredentials.createInsecure(), at = "127.0.0.1:0" } = {},
) {
  const server = new Server();
  const found = { address: at, calls: 0, failure: undefined as unknown };
  const handle = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    const script = scripts[Math.min(found.calls++, scripts.length - 1)];
    script?.(new Seat(call)).catch((error: unknown) => {
      found.failure = error;
      call.destroy();
    });
  };
  server.addService({ Play: { ...PLAY, path } }, { Play: handle });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(at, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  if (port > 1) found.address = `127.0.0.1:${port}`;
  context.after(() => {
    server.forceShutdown();
    assert.equal(found.failure, undefined);
  });
  return found;
}
