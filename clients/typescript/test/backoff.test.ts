import assert from "node:assert/strict";
import { test } from "node:test";

import { Backoff } from "../src/backoff.js";

function delays(backoff: Backoff, from = 0): number[] {
  const found: number[] = [];
  let now = from;
  for (let delay = backoff.nextDelay(now); delay !== undefined; delay = backoff.nextDelay(now)) {
    found.push(delay);
    now += delay;
  }
  return found;
}

test("delays double from a tenth of a second to five, until the time is over", () => {
  const found = delays(new Backoff(0, 20, { draw: () => 0 }));
  assert.deepEqual(found, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]);
});

test("each is shortened by up to a half", () => {
  assert.deepEqual(delays(new Backoff(0, 1, { draw: () => 1, longest: 0.4 })), [0.05, 0.1, 0.2, 0.2, 0.2, 0.2]);
});

for (const [lasted, first] of [
  [9, 0.4],
  [10, 0.1],
] as const) {
  test(`after a session of ${lasted} seconds the first delay is ${first}`, () => {
    const backoff = new Backoff(0, 60, { draw: () => 0 });
    backoff.nextDelay(0);
    backoff.nextDelay(0);
    backoff.restart(100, 60, lasted);
    assert.equal(backoff.left(100), 60);
    assert.equal(backoff.nextDelay(100), first);
  });
}

test("no time is no attempt", () => {
  const backoff = new Backoff(5, 0);
  assert.equal(backoff.nextDelay(5), undefined);
  assert.equal(backoff.left(6), 0);
});
