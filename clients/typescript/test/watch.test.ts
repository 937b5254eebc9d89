import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { Watch } from "../src/watch.js";

/** Return a watch over a clock that the test turns, and how often it called. */
function watched(context: TestContext) {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const calls: string[] = [];
  const watch = new Watch(() => calls.push("silence"));
  return { watch, calls, pass: (milliseconds: number) => context.mock.timers.tick(milliseconds) };
}

test("silence is told once", (context) => {
  const { watch, calls, pass } = watched(context);
  watch.set(3);
  pass(2999);
  assert.deepEqual(calls, []);
  pass(1);
  assert.deepEqual(calls, ["silence"]);
  pass(9000);
  assert.deepEqual(calls, ["silence"]);
});

test("a sign of life begins the time anew", (context) => {
  const { watch, calls, pass } = watched(context);
  watch.set(3);
  for (const _ of "abcd") {
    pass(2500);
    watch.feed();
  }
  assert.deepEqual(calls, []);
  pass(3000);
  assert.deepEqual(calls, ["silence"]);
});

for (const seconds of [1e7, Infinity]) {
  test(`${seconds} seconds are no less than Node can wait`, (context) => {
    const begin = context.mock.method(globalThis, "setInterval", () => undefined as unknown as NodeJS.Timeout);
    new Watch(() => undefined).set(seconds);
    assert.deepEqual(begin.mock.calls[0]?.arguments[1], 2 ** 31 - 1);
  });
}

for (const how of ["0 seconds", "-1 seconds", "stopped"]) {
  test(`no watch: ${how}`, (context) => {
    const { watch, calls, pass } = watched(context);
    watch.set(3);
    if (how === "stopped") watch.stop();
    else watch.set(parseInt(how));
    pass(9000);
    assert.deepEqual(calls, []);
  });
}
