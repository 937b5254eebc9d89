import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { index, v1, type AnyBot, type Answer, type Bot } from "../src/index.js";
import { Player } from "../src/player.js";
import type { Session } from "../src/session.js";
import * as tell from "./tell.js";

type Kinds = Parameters<typeof tell.frame>;

/** A bot in a session, and what it does. */
class Table {
  readonly session: Session = tell.welcomed();
  readonly lines: string[] = [];
  readonly player: Player;
  wakes = 0;
  now = 0; // milliseconds

  constructor(bot: AnyBot, playForced = false) {
    const wake = (): void => void (this.wakes += 1);
    this.player = new Player(
      bot,
      this.session,
      wake,
      (line) => this.lines.push(line),
      playForced,
      () => this.now,
    );
  }

  tell(...updates: Kinds): void {
    this.player.play(this.session.receive(tell.frame(...updates)));
  }

  get answers(): v1.Answer[] {
    return tell.sent(this.session).flatMap(({ answers }) => answers);
  }
}

/** An answer that is given when a test says so. */
class Later {
  resolve: (answer: Answer) => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  readonly promise = new Promise<Answer>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

const fault = (decisionId = 1, matchId = "m1"): v1.Answer => ({
  matchId,
  decisionId,
  answer: { $case: "action", value: { kind: undefined } },
  note: new Uint8Array(),
});

test("a function is a bot", () => {
  const table = new Table(() => index(1));
  table.tell(tell.seated(), tell.decision());
  assert.deepEqual(table.answers, [tell.index(1)]);
  assert(table.wakes > 0);
});

test("what is forced is played without asking the bot, where it wishes", () => {
  const cards = (count: number, minimum: number, maximum: number): v1.Legal => ({
    kind: { $case: "chooseCards", value: { cards: [1, 2, 3].slice(0, count), minimum, maximum } },
  });
  const combinations = (count: number, minimum: number, maximum: number): v1.Legal => {
    const list = [1, 2].slice(0, count).map(() => v1.Combination.create());
    return { kind: { $case: "chooseCombinations", value: { combinations: list, minimum, maximum } } };
  };
  const all: [v1.Legal, unknown][] = [
    [tell.actions(tell.bidding(3)), 0],
    [cards(2, 2, 2), { cards: [1, 2] }],
    [cards(2, 0, 0), { cards: [] }],
    [combinations(0, 0, 0), { combinations: [] }],
    [tell.actions(), undefined],
    [tell.actions(tell.bidding(1), tell.bidding(2)), undefined],
    [cards(2, 1, 2), undefined],
    [cards(3, 2, 2), undefined],
    [combinations(1, 0, 1), undefined],
  ];
  for (const [legal, forced] of all) {
    for (const playForced of [true, false]) {
      let asked = 0;
      const table = new Table(() => ((asked += 1), v1.Action.create({ kind: { $case: "bid", value: 9 } })), playForced);
      table.tell(tell.seated(), tell.decision(1, "m1", { legal }));
      const [answer] = table.answers;
      const value = answer?.answer?.$case === "action" ? answer.answer.value.kind?.value : answer?.answer?.value;
      const isForced = playForced && forced !== undefined;
      assert.equal(asked, isForced ? 0 : 1);
      assert.deepEqual(value, isForced ? forced : 9);
    }
  }
});

test("hooks are called with what happened, in order", () => {
  const calls: unknown[][] = [];
  const bot: Bot = {
    act: ({ match, id }) => (calls.push(["act", match.id, id]), index(0)),
    onSeated: (match) => void calls.push(["seated", match.id]),
    onEvent: (match, { event }) => void calls.push(["event", match.id, event?.sequence]),
    onClosed: (match, { decisionId }) => void calls.push(["closed", match.id, decisionId]),
    onRefused: (match, { decisionId }) => void calls.push(["refused", match?.id, decisionId]),
    onFinished: (match, { termination }) => void calls.push(["finished", match.id, termination]),
    onNotice: ({ text }) => void calls.push(["notice", text]),
  };
  const table = new Table(bot);
  table.tell(tell.seated(), tell.happened(1), tell.decision(), tell.refused(1), tell.refused(0, "m9"), tell.closed());
  table.tell(tell.notice(v1.NoticeKind.DRAINING, "soon"), tell.finished());
  assert.deepEqual(calls, [
    ["seated", "m1"],
    ["event", "m1", 1],
    ["act", "m1", 1],
    ["refused", "m1", 1],
    ["refused", undefined, 0],
    ["closed", "m1", 1],
    ["notice", "soon"],
    ["finished", "m1", v1.Termination.COMPLETED],
  ]);
  assert.deepEqual(table.lines, []);
});

const FAILING: [string, AnyBot][] = [
  [
    "throws",
    () => {
      throw new Error("oh");
    },
  ],
  ["rejects", () => Promise.reject(new Error("oh"))],
  ["answers what is not legal", () => index(9)],
  ["promises what is not legal", async () => index(9)],
];

for (const [what, bot] of FAILING) {
  test(`an act that ${what} costs a fault, and the bot plays on`, async () => {
    const table = new Table(bot);
    table.tell(tell.seated(), tell.decision());
    await turn();
    assert.deepEqual(table.answers, [fault()]);
    assert.match(table.lines.join(), /^the bot failed in act\n\w*Error|BadAnswer: .*\n +at /);
    table.tell(tell.closed(1), tell.decision(2));
    await turn();
    assert.deepEqual(table.answers, [fault(2)]);
  });
}

for (const what of ["throws", "rejects"]) {
  test(`a hook that ${what} changes nothing`, async () => {
    const onSeated = (): Promise<void> => {
      if (what === "throws") throw new Error("oh");
      return Promise.reject(new Error("oh"));
    };
    const table = new Table({ act: () => index(1), onSeated });
    table.tell(tell.seated(), tell.decision());
    await turn();
    assert.deepEqual(table.answers, [tell.index(1)]);
    assert.match(table.lines.join(), /^the bot failed in onSeated\nError: oh\n +at /);
  });
}

test("what is thrown may be anything", () => {
  const table = new Table(() => {
    throw "oh"; // as some do
  });
  table.tell(tell.seated(), tell.decision());
  assert.deepEqual(table.lines, ["the bot failed in act\noh"]);
});

test("faults and refusals are told where the bot has no hook for them", () => {
  const table = new Table(() => index(0));
  table.tell(
    tell.seated(),
    tell.closed(1, "m1", { fault: v1.Fault.LATE }),
    tell.closed(2),
    tell.closed(5, "m1", { noteDropped: true }),
    tell.refused(3),
    tell.refused(4, "m1", { reason: 99 as v1.Reason }),
    tell.refused(0),
  );
  assert.deepEqual(table.lines, [
    "match m1, decision 1: LATE: the referee played the default action",
    "match m1, decision 5: the referee did not keep the note: it is too long, or too many came",
    "match m1, decision 3: the answer was refused: STALE_DECISION too late",
    "match m1, decision 4: the answer was refused: 99 too late",
    "match m1: the referee does not go on with it: STALE_DECISION too late",
  ]);
});

test("async acts of many tables run side by side, within a match in order", async () => {
  const acts = new Map<string, Later>();
  const calls: string[] = [];
  const table = new Table({
    act: ({ match }) => {
      calls.push(`act ${match.id}`);
      const later = new Later();
      acts.set(match.id, later);
      return later.promise;
    },
    onEvent: (match) => void calls.push(`event ${match.id}`),
  });
  table.tell(tell.seated("m1"), tell.seated("m2"), tell.decision(1, "m1"), tell.decision(1, "m2"));
  table.tell(tell.happened(1, "m1"), tell.happened(1, "m2"));
  assert.deepEqual(calls, ["act m1", "act m2"]);
  acts.get("m2")?.resolve(index(1));
  await turn();
  assert.deepEqual(calls, ["act m1", "act m2", "event m2"]);
  assert.deepEqual(table.answers, [tell.index(1, 1, "m2")]);
  acts.get("m1")?.resolve(index(0));
  await turn();
  assert.deepEqual(calls.at(-1), "event m1");
  assert.deepEqual(table.answers, [tell.index(0, 1, "m1")]);
});

const ENDINGS: [string, Kinds][] = [
  ["its decision is closed", [tell.closed(1)]],
  ["its match is over", [tell.finished()]],
  ["the referee has forgotten its match", [tell.refused(0)]],
  ["another attempt begins", [tell.seated("m1", { attempt: 2 })]],
  ["the next decision comes", [tell.decision(2)]],
];

for (const [what, updates] of ENDINGS) {
  test(`an act is given up when ${what}`, async () => {
    const later = new Later();
    const signals: AbortSignal[] = [];
    const table = new Table({
      act: ({ id, signal }) => (signals.push(signal), id === 1 ? later.promise : index(0)),
      onClosed: () => undefined,
      onRefused: () => undefined,
    });
    table.tell(tell.seated(), tell.decision());
    assert.equal(signals[0]?.aborted, false);
    table.tell(...updates);
    assert.equal(signals[0]?.aborted, true);
    await turn();
    later.reject(new Error("stopped"));
    await turn();
    assert.deepEqual(
      table.answers.filter(({ decisionId }) => decisionId === 1),
      [],
    );
    assert.deepEqual(table.lines, []);
    assert.equal(signals.length, what === "the next decision comes" ? 2 : 1);
  });
}

test("a slow sync bot lets its answers out between its acts", async () => {
  const table = new Table(() => ((table.now += 6), index(0)));
  table.tell(...["m1", "m2", "m3"].flatMap((id) => [tell.seated(id), tell.decision(1, id)]));
  assert.equal(table.answers.length, 1);
  await turn();
  assert.equal(table.answers.length, 1);
  await turn();
  assert.equal(table.answers.length, 1);
});

test("closing gives acts up and lets hooks end", async () => {
  const later = new Later();
  let isDone = false;
  const table = new Table({
    act: () => later.promise,
    onFinished: async () => {
      await turn();
      isDone = true;
    },
  });
  table.tell(tell.seated("m1"), tell.decision(1, "m1"), tell.seated("m2"), tell.finished("m2"));
  await table.player.close(60_000);
  assert.equal(isDone, true);
});

test("closing does not wait for ever", async () => {
  const never = new Promise<void>(() => undefined);
  const table = new Table({ act: () => index(0), onSeated: () => never });
  table.tell(tell.seated());
  await table.player.close(1);
});

test("no decision is asked while closing", async () => {
  const calls: string[] = [];
  const table = new Table({
    act: () => (calls.push("act"), index(0)),
    onSeated: () => turn() as Promise<void>,
    onFinished: () => void calls.push("finished"),
  });
  table.tell(tell.seated(), tell.decision(), tell.finished());
  await table.player.close(60_000);
  assert.deepEqual(calls, ["finished"]);
});
