import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";

import { status } from "@grpc/grpc-js";

import { referee, type Script } from "./referee.js";
import * as tell from "./tell.js";

/** A program whose bot never answers, and holds a timer. */
const PROGRAM = `
  import { main } from ${JSON.stringify(new URL("../src/index.js", import.meta.url).href)};
  setInterval(() => undefined, 1_000);
  await main(() => new Promise(() => undefined));
`;

/** Start the program, at an address; it ends by itself within the time that tests have, or fails. */
function started(context: TestContext, address: string) {
  const { FAIRDEAL_TOKEN: _, FAIRDEAL_ENTRY: __, ...env } = process.env;
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    env: { ...env, FAIRDEAL_ADDRESS: address, FAIRDEAL_KEEP: "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  context.after(() => child.kill("SIGKILL"));
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const err = text(child.stderr);
  const done = async () => ({ exit: await exit, err: (await err).replaceAll(address, "ADDRESS") });
  return { child, done };
}

test("a program that is stopped twice ends, whatever its bot still does", { timeout: 20_000 }, async (context) => {
  let stop: () => void = () => undefined;
  const lost: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome(), tell.seated());
    await seat.next();
    seat.fail(status.UNAVAILABLE, "gone");
  };
  const back: Script = async (seat) => {
    await seat.next();
    seat.tell(tell.welcome(), tell.seated(), tell.decision());
    await seat.next();
    stop();
    while (!(await seat.next())?.noMoreMatches);
    stop();
    await seat.part();
  };
  const { address } = await referee(context, [lost, back]);
  const { child, done } = started(context, address);
  stop = () => child.kill("SIGTERM");
  assert.deepEqual(await done(), {
    exit: [0, null],
    err:
      "fairdeal: the session with the referee at ADDRESS broke: gone; dialling again for up to 60 s\n" +
      "fairdeal: the session with the referee at ADDRESS is back\n" +
      "fairdeal: finishing 1 match; a second Ctrl-C leaves now\n",
  });
});

test("a program whose session fails is one line and status 1", { timeout: 20_000 }, async (context) => {
  const refuse: Script = async (seat) => seat.fail(status.UNAUTHENTICATED, "no such token", "MISSING_TOKEN");
  const { address } = await referee(context, [refuse]);
  assert.deepEqual(await started(context, address).done(), {
    exit: [1, null],
    err: "fairdeal: the referee at ADDRESS ended the session: no such token (MISSING_TOKEN)\n",
  });
});

test("a program with a wrong setting is one line and status 2", { timeout: 20_000 }, async (context) => {
  assert.deepEqual(await started(context, "nowhere").done(), {
    exit: [2, null],
    err: "fairdeal: address 'ADDRESS': must be HOST:PORT or unix:/PATH\n",
  });
});
