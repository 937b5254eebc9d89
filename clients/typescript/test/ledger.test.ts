import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { BadSetting, v1, type Decision } from "../src/index.js";
import { openLedger } from "../src/ledger.js";
import { Session } from "../src/session.js";

const folder = mkdtempSync(join(tmpdir(), "fairdeal-"));
after(() => rmSync(folder, { recursive: true }));

interface Step {
  process?: number;
  hears?: string;
  answers?: string;
  appends?: string;
}

interface Vectors {
  cases: { name: string; keeps: boolean; steps: Step[]; lines: unknown[]; logged: string[] }[];
}

const file = new URL("../../../../tests/data/kept_vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;

/** A process of a bot, which answers what it is told to. */
class Process {
  readonly #session: Session;
  #asked: Decision | undefined;

  constructor(keep: string, log: (line: string) => void) {
    this.#session = new Session(v1.Hello.create({}), "", openLedger(keep, log));
  }

  take({ hears, answers }: Step): void {
    if (hears !== undefined) {
      for (const update of this.#session.receive(Buffer.from(hears, "hex"))) {
        if (update.kind === "decision") this.#asked = update.decision;
      }
    } else if (answers !== undefined) {
      assert(this.#asked);
      this.#session.answer(this.#asked, v1.Answer.decode(Buffer.from(answers, "hex")));
    } else {
      this.#session.rejoin();
    }
  }
}

function linesIn(path: string): unknown[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((text) => {
      try {
        const line: unknown = JSON.parse(text);
        return typeof line === "object" && line !== null && "match_id" in line ? [line] : [];
      } catch {
        return [];
      }
    });
}

for (const { name, keeps, steps, lines, logged } of vectors.cases) {
  test(name, () => {
    const path = join(folder, "kept.jsonl");
    writeFileSync(path, "");
    const log: string[] = [];
    const processes = new Map<number, Process>();
    for (const step of steps) {
      if (step.appends !== undefined) {
        appendFileSync(path, step.appends);
        continue;
      }
      const number = step.process ?? 0;
      const process = processes.get(number) ?? new Process(keeps ? path : "", (line) => log.push(line));
      processes.set(number, process);
      process.take(step);
    }
    assert.deepEqual(linesIn(path), lines);
    assert.deepEqual(log, logged);
  });
}

test("a file that cannot be written is a bad setting, and a pipe that is not there is told of", () => {
  const logged: string[] = [];
  assert.throws(() => openLedger(join(folder, "none", "kept"), () => undefined), BadSetting);
  assert.equal(openLedger("/dev/fd/987", (line) => logged.push(line)).keeps, false);
  assert.match(logged[0] ?? "", /is not there: what the bot is told is not kept/);
});

test("that lines cannot be kept is told once", () => {
  const logged: string[] = [];
  const ledger = openLedger("/dev/full", (line) => logged.push(line));
  for (const matchId of ["m1", "m2"]) ledger.seated(v1.Seated.create({ matchId }));
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /^what the bot is told cannot be kept: ENOSPC/);
});

test("a folder has a file for each run, and another one when that is long", () => {
  const logged: string[] = [];
  const kept = join(folder, "state", "kept");
  const ledger = openLedger(`${kept}/`, (line) => logged.push(line), 500);
  assert.equal(ledger.keeps, true);
  assert.equal(existsSync(kept), false);
  for (const matchId of ["m1", "m2"]) ledger.seated(v1.Seated.create({ matchId }));
  const [name = ""] = readdirSync(kept);
  assert.match(name, /^\d{8}T\d{6}Z-\d+\.jsonl$/);
  assert.deepEqual(logged, [`what the bot is told is kept in ${join(kept, name)}`]);
  assert.deepEqual(
    linesIn(join(kept, name)).map((line) => (line as { match_id: string }).match_id),
    ["m1", "m2"],
  );
  const first = "19700101T000000Z-1.jsonl"; // as if it were of another second
  renameSync(join(kept, name), join(kept, first));
  for (const matchId of ["m3", "m4"]) ledger.seated(v1.Seated.create({ matchId, game: "g".repeat(500) }));
  assert.deepEqual(readdirSync(kept).sort()[0], first);
  assert.equal(readdirSync(kept).length, 2);
});

test("the oldest files of runs are removed", () => {
  const sizes = { "notes.jsonl": 0, "20260101T120000Z-77.jsonl": 10, "20260103T120000Z-100.jsonl": 96 * 2 ** 20 };
  const kept = mkdtempSync(join(folder, "kept-"));
  for (const [name, size] of Object.entries(sizes)) {
    writeFileSync(join(kept, name), "");
    truncateSync(join(kept, name), size);
  }
  openLedger(`${kept}/`, () => undefined).seated(v1.Seated.create({ matchId: "m1" }));
  const names = readdirSync(kept).sort();
  assert.equal(names.length, 3);
  assert.deepEqual([names[0], names[2]], ["20260103T120000Z-100.jsonl", "notes.jsonl"]);
});

test("a folder that cannot be written is told once", () => {
  const logged: string[] = [];
  writeFileSync(join(folder, "no-folder"), "");
  const ledger = openLedger(join(folder, "no-folder", "kept/"), (line) => logged.push(line));
  for (const matchId of ["m1", "m2"]) ledger.seated(v1.Seated.create({ matchId }));
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /no-folder\/kept\/: what the bot is told cannot be kept there/);
});
