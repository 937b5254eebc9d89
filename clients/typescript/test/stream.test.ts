import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionLost, Rejected, Replaced } from "../src/index.js";
import { isFinal } from "../src/stream.js";

const REASONS: [string, boolean, boolean][] = [
  ["MISSING_TOKEN", true, true],
  ["WRONG_SEAT", true, true],
  ["WRONG_ROLE", true, true],
  ["ENDED_BY_ORGANISER", true, true],
  ["UNSUPPORTED_VERSION", true, true],
  ["PROTOCOL_VIOLATION", true, true],
  ["MESSAGE_TOO_LARGE", true, true],
  ["REPLACED", true, true],
  ["SHUTTING_DOWN", false, true],
  ["TOO_SLOW", false, false],
];

for (const [reason, whilePlaying, otherwise] of REASONS) {
  test(`whether ${reason} is final`, () => {
    const error = new (reason === "REPLACED" ? Replaced : Rejected)("text", reason);
    assert.deepEqual([isFinal(error, true), isFinal(error, false)], [whilePlaying, otherwise]);
  });
}

test("what the referee did not end is not final", () => {
  const error = new ConnectionLost("text");
  assert.deepEqual([isFinal(error, true), isFinal(error, false)], [false, false]);
});
