import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Chance } from "../src/index.js";

interface Step {
  draw?: number;
  choose?: { of: number; minimum: number; maximum: number };
  happens?: number;
  gives: unknown;
}

interface Vectors {
  decisions: { seed: string; match_id: string; seat: number; decision_id: number; steps: Step[] }[];
}

const file = new URL("../../../../tests/data/bot_vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;

function take(chance: Chance, { draw, choose, happens }: Step): unknown {
  if (draw !== undefined) return chance.draw(draw);
  if (choose) return chance.choose([...Array(choose.of).keys()], choose.minimum, choose.maximum);
  assert(happens !== undefined);
  return chance.happens(happens);
}

for (const { seed, match_id, seat, decision_id, steps } of vectors.decisions) {
  test(`the vectors of ${match_id}, seat ${seat}, decision ${decision_id}`, () => {
    const chance = new Chance(seed, match_id, seat, decision_id);
    assert(steps.length > 0);
    for (const step of steps) assert.deepEqual(take(chance, step), step.gives);
  });
}

test("a choice is the item that is drawn", () => {
  const [drawn, chosen] = [new Chance("s", "m", 0, 1), new Chance("s", "m", 0, 1)];
  assert.equal(chosen.choice(["a", "b", "c"]), ["a", "b", "c"][drawn.draw(3)]);
});

test("a probability's millionths are rounded, halves to even", () => {
  let halves = 0;
  for (let id = 0; id < 20; id++) {
    const drawn = new Chance("s", "m", 0, id).draw(1_000_000);
    const half = (drawn + 0.5) / 1_000_000;
    if (half * 1_000_000 !== drawn + 0.5) continue; // no half as a floating point number
    assert.equal(new Chance("s", "m", 0, id).happens(half), drawn % 2 === 1);
    halves += 1;
  }
  assert(halves > 10);
});

const BAD: [string, (chance: Chance) => unknown][] = [
  ["one of none", (chance) => chance.draw(0)],
  ["one of a fraction", (chance) => chance.draw(1.5)],
  ["one of more than 2**32", (chance) => chance.draw(2 ** 32 + 1)],
  ["a choice of nothing", (chance) => chance.choice([])],
  ["more items than there are", (chance) => chance.choose([1], 0, 2)],
  ["bounds the wrong way round", (chance) => chance.choose([1, 2], 2, 1)],
  ["a probability above 1", (chance) => chance.happens(1.1)],
  ["no probability", (chance) => chance.happens(NaN)],
  ["a seed that is not ASCII", () => new Chance("é", "m", 0, 1)],
  ["a match id that is not ASCII", () => new Chance("s", "é", 0, 1)],
  ["a negative seat", () => new Chance("s", "m", -1, 1)],
  ["a decision id above four bytes", () => new Chance("s", "m", 0, 2 ** 32)],
];

for (const [name, use] of BAD) {
  test(`there is no drawing with ${name}`, () => {
    assert.throws(() => use(new Chance("s", "m", 0, 1)), RangeError);
  });
}
