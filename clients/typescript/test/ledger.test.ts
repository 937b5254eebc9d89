import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
