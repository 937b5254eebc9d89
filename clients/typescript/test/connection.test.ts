import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as beat } from "node:timers/promises";

import { ServerCredentials, status } from "@grpc/grpc-js";

import {
  CannotConnect,
  ConnectionLost,
  ProtocolError,
  Rejected,
  Replaced,
  index,
  run,
  v1,
  type Bot,
  type RunOptions,
} from "../src/index.js";
import { CERT, KEY } from "./pem.js";
import { referee, type Script } from "./referee.js";
import * as tell from "./tell.js";

for (const name of Object.keys(process.env)) if (name.startsWith("FAIRDEAL_")) delete process.env[name];
process.env.FAIRDEAL_KEEP = ""; // nothing in the home of whoever runs the tests

const warnings: Error[] = [];
process.on("warning", (warning) => warnings.push(warning));

const folder = mkdtempSync(join(tmpdir(), "fairdeal-"));
after(() => rmSync(folder, { recursive: true }));
const CA = join(folder, "ca.pem");
writeFileSync(CA, CERT);

/** Play with a bot that answers with the first action, and return what it logged. */
async function played(options: RunOptions, lines: string[] = []): Promise<string[]> {
  await run(() => index(0), { connectTimeout: 0, log: (line) => lines.push(line), ...options });
  return lines;
}

const oneMatch: Script = async (seat) => {
  await seat.next();
  seat.tell(tell.welcome(), tell.seated());
  assert.deepEqual((await seat.next())?.ready, [{ matchId: "m1" }]);
  seat.tell(tell.decision());
  assert.deepEqual((await seat.next())?.answers, [tell.index(0)]);
  seat.tell(tell.finished());
  await seat.part();
};

test("a match, from hello to goodbye", async (context) => {
  const script: Script = async (seat) => {
    assert.deepEqual(seat.call.metadata.get("authorization"), ["Bearer t0"]);
    await oneMatch(seat);
  };
  const { address } = await referee(context, [script]);
  assert.deepEqual(await played({ address, matches: 1, token: "t0" }), []);
});

test("a unix socket, which no token goes over unasked", async (context) => {
  const script: Script = async (seat) => {
    assert.deepEqual(seat.call.metadata.get("authorization"), []);
    await oneMatch(seat);
  };
  const { address } = await referee(context, [script], { at: `unix:${join(folder, "s")}` });
  assert.deepEqual(await played({ address, matches: 1 }), []);
});

test("TLS with a certificate for the address, and mutual TLS", async (context) => {
  const pair = { private_key: Buffer.from(KEY), cert_chain: Buffer.from(CERT) };
  const credentials = ServerCredentials.createSsl(Buffer.from(CERT), [pair], true);
  const { address } = await referee(context, [oneMatch], { credentials });
  const key = join(folder, "key.pem");
  writeFileSync(key, KEY);
  assert.deepEqual(await played({ address, matches: 1, ca: CA, cert: CA, key }), []);
  const byName = address.replace("127.0.0.1", "localhost"); // which the certificate does not
  await assert.rejects(played({ address: byName, ca: CA, cert: CA, key }), CannotConnect);
  await assert.rejects(played({ address, ca: CA }), /give cert and key/);
  await assert.rejects(played({ address }), /give ca \(FAIRDEAL_CA\)/);
  assert.deepEqual(warnings, []);
});

test("the entry is the bot's name; events are for a bot with a hook for them", async (context) => {
  const asked: unknown[] = [];
  const script: Script = async (seat) => {
    const { hello } = (await seat.next()) ?? {};
    asked.push([hello?.entry, hello?.events]);
    seat.tell(tell.welcome(), tell.notice(v1.NoticeKind.DRAINING));
    await seat.part();
  };
  const { address } = await referee(context, [script]);
  const lines: string[] = [];
  const log = (line: string): number => lines.push(line);
  class Lowest implements Bot {
    act() {
      return index(0);
    }
  }
  const { act } = Lowest.prototype;
  for (const bot of [act, new Lowest(), { act }, { act, onEvent: () => undefined }]) await run(bot, { address, log });
  const entries = [
    ["act", false],
    ["Lowest", false],
    ["connection.test", false], // the program's, for want of the bot's own
    ["connection.test", true],
  ];
  assert.deepEqual(asked, entries);
  assert.deepEqual(lines, []); // that the referee is about to leave is nothing to worry about
});

test("a session that breaks goes on over another stream", async (context) => {
  const lost: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome(), tell.seated());
    await seat.next();
    seat.tell(tell.happened(1), tell.decision());
    await seat.next();
    seat.fail(status.UNAVAILABLE, "gone");
  };
  const back: Script = async (seat) => {
    assert.deepEqual((await seat.next())?.hello?.resume, [{ matchId: "m1", sequence: 1, attempt: 1 }]);
    seat.tell(tell.welcome(), tell.seated(), tell.decision());
    assert.deepEqual((await seat.next())?.answers, [tell.index(0)]);
    seat.tell(tell.finished());
    await seat.part();
  };
  const { address } = await referee(context, [lost, back]);
  assert.deepEqual(await played({ address, matches: 1 }), [
    `the session with the referee at ${address} broke: gone; dialling again for up to 60 s`,
    `the session with the referee at ${address} is back`,
  ]);
});

test("a referee that leaves in the middle of a match is dialled again", async (context) => {
  const leaving: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome(), tell.seated());
    await seat.next();
    seat.fail(status.UNAVAILABLE, "bye", "SHUTTING_DOWN");
  };
  const found = await referee(context, [leaving, oneMatch]);
  assert.equal((await played({ address: found.address, matches: 1 })).length, 2);
  assert.equal(found.calls, 2);
});

test("a stream that just ends is a session that broke", async (context) => {
  const script: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome());
    seat.call.end();
  };
  const { address } = await referee(context, [script]);
  const lost = new ConnectionLost(`the referee at ${address} ended the session`);
  await assert.rejects(played({ address, reconnectTimeout: 0 }), lost);
});

test("a referee that is silent for three heartbeats is lost", { timeout: 20_000 }, async (context) => {
  let beats = 0;
  const script: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome({ heartbeat: { seconds: 0n, nanos: 30_000_000 } }));
    for (; beats < 5; beats++) {
      await beat(30);
      seat.tell(tell.notice(v1.NoticeKind.HEARTBEAT));
      await seat.next();
    }
  };
  const { address } = await referee(context, [script]);
  const lost = new ConnectionLost(`the referee at ${address} is not responding`);
  await assert.rejects(played({ address, connectTimeout: 60, reconnectTimeout: 0 }), lost);
  assert.equal(beats, 5);
});

test("a referee that never comes back is given up", async (context) => {
  const lost: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome(), tell.seated());
    seat.fail(status.UNAVAILABLE, "gone");
  };
  const { address } = await referee(context, [lost, async (seat) => seat.fail(status.UNAVAILABLE, "away")]);
  const text = `no referee answers at ${address}: away; the bot dialled again for 0.3 s`;
  await assert.rejects(played({ address, reconnectTimeout: 0.3 }), new ConnectionLost(text));
});

const ENDS: [string, Script, new (...all: never[]) => Error, string][] = [
  [
    "a refusal",
    async (seat) => seat.fail(status.UNAUTHENTICATED, "no\n such token", "MISSING_TOKEN"),
    Rejected,
    "the referee at ADDRESS ended the session: no such token (MISSING_TOKEN)",
  ],
  [
    "a referee that leaves",
    async (seat) => seat.fail(status.UNAVAILABLE, "bye", "SHUTTING_DOWN"),
    Rejected,
    "the referee at ADDRESS ended the session: bye (SHUTTING_DOWN)",
  ],
  [
    "a newer session",
    async (seat) => {
      seat.tell(tell.welcome(), tell.seated());
      seat.fail(status.ABORTED, "another one is here", "REPLACED");
    },
    Replaced,
    "the referee at ADDRESS ended the session: another one is here (REPLACED)",
  ],
  [
    "a referee that leaves with no match to go on with",
    async (seat) => {
      seat.tell(tell.welcome());
      seat.fail(status.UNAVAILABLE, "bye", "SHUTTING_DOWN");
    },
    Rejected,
    "the referee at ADDRESS ended the session: bye (SHUTTING_DOWN)",
  ],
  [
    "an error before the welcome",
    async (seat) => seat.fail(status.INTERNAL, ""),
    ConnectionLost,
    "the session with the referee at ADDRESS broke: INTERNAL",
  ],
  [
    "another version",
    async (seat) => {
      seat.tell(tell.welcome({ version: 3 }));
      await seat.part();
    },
    ProtocolError,
    "the referee speaks version 3 of the protocol, not 1; check that ADDRESS is a referee of the same version of fairdeal",
  ],
  [
    "an end before the welcome",
    async (seat) => void seat.call.end(),
    ConnectionLost,
    "the referee at ADDRESS ended the session before it welcomed the bot; " +
      "check that it is a referee of the same version of fairdeal",
  ],
];

for (const [name, script, Kind, text] of ENDS) {
  test(`${name} ends the run at once`, async (context) => {
    const found = await referee(context, [script]);
    await assert.rejects(played({ address: found.address, connectTimeout: 30 }), (error) => {
      assert(error instanceof Kind);
      assert.equal(error.message, text.replace("ADDRESS", found.address));
      return true;
    });
    assert.equal(found.calls, 1);
  });
}

test("a server that is no referee", async (context) => {
  const { address } = await referee(context, [oneMatch], { path: "/other.Service/Play" });
  await assert.rejects(played({ address }), (error) => {
    return error instanceof CannotConnect && error.message.startsWith(`${address} answers, but it is not a referee: `);
  });
});

test("nobody", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, "close");
  const text = `no referee answers at ${address} within 0 s: connect ECONNREFUSED ${address}`;
  await assert.rejects(played({ address }), new CannotConnect(text));
  const lines: string[] = [];
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  assert.deepEqual(await played({ address, connectTimeout: 60, signal: controller.signal }, lines), []);
});

test("who is stopped says goodbye", async (context) => {
  const controller = new AbortController();
  const script: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome(), tell.seated());
    await seat.next();
    controller.abort();
    await seat.part();
  };
  const { address } = await referee(context, [script]);
  assert.deepEqual(await played({ address, signal: controller.signal }), []);
  assert.deepEqual(await played({ address, signal: controller.signal }), []);
});

test("who is stopped before the referee is reached waits for nobody", { timeout: 2_500 }, async (context) => {
  const controller = new AbortController();
  const silent = createServer((socket) => {
    context.after(() => socket.destroy());
    controller.abort();
  }).listen(0, "127.0.0.1");
  context.after(() => silent.close());
  await once(silent, "listening");
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  assert.deepEqual(await played({ address, connectTimeout: 60, signal: controller.signal }), []);
});

test("what is no bot", async () => {
  await assert.rejects(run({} as never), /this is not a bot/);
});
