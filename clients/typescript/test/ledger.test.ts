import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { BadSetting, v1 } from "../src/index.js";
import { canonical, enc, openLedger } from "../src/ledger.js";
import { Session } from "../src/session.js";
import { closed, decision, frame, index, seated, welcome } from "./tell.js";

const folder = mkdtempSync(join(tmpdir(), "fairdeal-"));
after(() => rmSync(folder, { recursive: true }));

const SECRET = Buffer.alloc(32, 7);
let files = 0;

type Line = Record<string, unknown>;

class Keeping {
  readonly logged: string[] = [];
  readonly session: Session;

  constructor(readonly path = join(folder, `${files++}.jsonl`)) {
    this.session = new Session(v1.Hello.create({}), "", openLedger(path, (line) => this.logged.push(line)));
    this.session.takeFrames();
    this.hear(welcome());
  }

  hear(...updates: Parameters<typeof frame>) {
    return this.session.receive(frame(...updates));
  }

  get lines(): Line[] {
    const texts = readFileSync(this.path, "utf8").split("\n").slice(0, -1);
    return texts.map((text) => JSON.parse(text) as Line);
  }

  get breaches(): unknown[] {
    return this.lines.filter(({ type }) => type === "breach").map(({ breach }) => breach);
  }
}

function seat(matchId: string, epochId: string, secret: Uint8Array = SECRET, manifest = "m") {
  const commit = createHash("sha256").update(enc("fairdeal/1/commit", epochId, secret)).digest();
  const commitment = v1.Commitment.create({ scheme: "fairdeal/2", epochId, commit, manifest: Buffer.from(manifest) });
  return seated(matchId, { commitment });
}

function ended(matchId: string, secret: Uint8Array): Parameters<typeof frame>[0] {
  const termination = v1.Termination.COMPLETED;
  return {
    $case: "finished",
    value: v1.Finished.create({ matchId, termination, secret, ranks: [1, 2], scores: [-3, 4] }),
  };
}

test("a match has a line before its first card and one at its end", () => {
  const keeping = new Keeping();
  keeping.hear(seat("m", "m.1"));
  const [begun] = keeping.lines;
  assert.deepEqual([begun?.type, begun?.epoch_id, begun?.manifest, begun?.seat], ["seated", "m.1", "6d", 2]);
  const asked = [decision(1, "m"), decision(4, "m"), decision(5, "m")];
  const [first] = keeping.hear(asked[0]!);
  assert.equal(first?.kind, "decision");
  const answer = index(0, 1, "m");
  if (first?.kind === "decision") keeping.session.answer(first.decision, answer);
  keeping.hear(closed(1, "m"));
  keeping.hear(asked[1]!, asked[2]!, closed(5, "m", { reason: v1.CloseReason.DEFAULTED, fault: v1.Fault.LATE }));
  keeping.hear(ended("m", SECRET));
  const bytes = (update: (typeof asked)[0]) => update.$case === "decision" && v1.Decision.encode(update.value).finish();
  const told = createHash("sha256").update(enc("fairdeal/told/1", "m", "\0\0\0\x01", "\0\0\0\x02", "m"));
  told.update(enc("asked", bytes(asked[0]!) || ""));
  told.update(enc("answered", v1.Answer.encode(answer).finish()));
  told.update(enc("asked", bytes(asked[1]!) || ""));
  told.update(enc("asked", bytes(asked[2]!) || ""));
  told.update(enc("closed", Uint8Array.of(v1.CloseReason.DEFAULTED, v1.Fault.LATE)));
  assert.deepEqual(keeping.lines[1], {
    ...begun,
    type: "finished",
    termination: "completed",
    ranks: [1, 2],
    scores: [-3, 4],
    secret: SECRET.toString("hex"),
    told: told.digest("hex"),
    decisions: 5,
    missed: [[2, 3]],
    unknown: [4],
  });
  assert.deepEqual(keeping.breaches, []);
});

test("a secret that does not open the commitment is a breach", () => {
  const keeping = new Keeping();
  keeping.hear(seat("m", "m.1"), ended("m", Buffer.alloc(32)));
  assert.deepEqual(keeping.breaches, ["what it reveals does not open its commitment"]);
  assert.match(keeping.logged[0] ?? "", /^BREACH by the referee in match m, attempt 1: /);
});

test("another manifest is a breach, and the same seat again is none", () => {
  const keeping = new Keeping();
  keeping.hear(seat("m", "m.1"), seat("m", "m.1"));
  assert.deepEqual(keeping.breaches, []);
  keeping.hear(seat("m", "m.1", SECRET, "n"));
  assert.deepEqual(keeping.breaches, ["its manifest is another than before: 6e, it was 6d"]);
});

test("two commitments for one epoch are a breach among processes", () => {
  const first = new Keeping();
  const second = new Keeping(first.path);
  first.hear(seat("m1", "set.1"));
  second.hear(seat("m2", "set.1"));
  assert.deepEqual(first.breaches, []);
  const third = new Keeping(first.path);
  [first, second, third].forEach((each, number) => each.hear(seat(`n${number}`, "set.1", Buffer.alloc(32))));
  assert.equal(first.breaches.length, 3);
  assert.match(String(first.breaches[0]), /^epoch set\.1 has another commitment than before/);
});

test("breaches are told where nothing is kept", () => {
  const logged: string[] = [];
  const session = new Session(v1.Hello.create({}), "", openLedger("", (line) => logged.push(line)));
  session.takeFrames();
  session.receive(frame(welcome(), seat("m", "m.1"), ended("m", Buffer.alloc(32))));
  assert.equal(logged.length, 1);
});

test("a file that cannot be written is a bad setting, and a pipe that is not there is told of", () => {
  const logged: string[] = [];
  assert.throws(() => openLedger(join(folder, "none", "kept"), () => undefined), BadSetting);
  assert.equal(openLedger("/dev/fd/987", (line) => logged.push(line)).keeps, false);
  assert.match(logged[0] ?? "", /is not there: what the bot is told is not kept/);
});

test("the order of chosen cards and combinations does not matter", () => {
  const answer = (kind: NonNullable<v1.Action["kind"]>): v1.Answer => ({
    matchId: "m",
    decisionId: 1,
    answer: { $case: "action", value: { kind } },
  });
  const cards = (...list: v1.Card[]) => canonical(answer({ $case: "chooseCards", value: { cards: list } }));
  assert.deepEqual(cards(3, 1), cards(1, 3));
  const point = (suit: v1.Suit): v1.Combination => ({ kind: { $case: "point", value: { suit } } });
  const combinations = (...list: v1.Combination[]) =>
    canonical(answer({ $case: "chooseCombinations", value: { combinations: list } }));
  assert.deepEqual(combinations(point(2), point(1)), combinations(point(1), point(2)));
});
