import assert from "node:assert/strict";
import { test } from "node:test";

import { ProtocolError, Replaced, v1 } from "../src/index.js";
import { Session } from "../src/session.js";
import {
  asked,
  closed,
  decision,
  finished,
  frame,
  happened,
  index,
  notice,
  refused,
  seated,
  sent,
  welcome,
  welcomed,
} from "./tell.js";

const { NoticeKind, Termination } = v1;

test("the first frame is the hello", () => {
  const hello = v1.Hello.create({ versions: [1], entry: "alice", instance: "i", games: ["hearts"], tables: 3 });
  const [first, ...rest] = sent(new Session(hello));
  assert.deepEqual(first, v1.PlayRequest.create({ hello }));
  assert.deepEqual(rest, []);
});

test("a seat is taken", () => {
  const session = welcomed();
  const [update] = session.receive(frame(seated("m1", { attempt: 2 })));
  assert(update?.kind === "seated");
  const { seated: message, ...match } = update.match;
  assert.deepEqual(match, { id: "m1", attempt: 2, game: "hearts", seat: 2 });
  assert.equal(message.matchId, "m1");
  assert.deepEqual(sent(session), [v1.PlayRequest.create({ framesReceived: 2n, ready: [{ matchId: "m1" }] })]);
  assert.deepEqual(sent(session), []);
});

test("a decision holds all that it takes to answer it", () => {
  const session = welcomed({}, seated());
  const moveTime = { seconds: 2n, nanos: 500_000_000 };
  const [update] = asked(session.receive(frame(decision(7, "m1", { moveTime, bank: { seconds: 60n, nanos: 0 } }))));
  assert(update);
  assert.deepEqual([update.id, update.match.id, update.moveTime, update.bank], [7, "m1", 2.5, 60]);
  assert.equal(update.legal.kind?.$case, "actions");
  assert.equal(update.view.game, undefined);
  assert.equal(update.chance.draw(1), 0);
  assert.equal(update.signal.aborted, false);
});

test("answers of many tables share a frame", () => {
  const session = welcomed({}, seated("m1"), seated("m2"));
  sent(session);
  const decisions = asked(session.receive(frame(decision(1, "m1"), decision(1, "m2"))));
  for (const each of decisions) session.answer(each, index(1, each.id, each.match.id));
  const [request, ...rest] = sent(session);
  assert.deepEqual(request?.answers, [index(1, 1, "m1"), index(1, 1, "m2")]);
  assert.equal(request?.framesReceived, 2n);
  assert.deepEqual(rest, []);
});

test("a decision is answered once, and not when it is closed", () => {
  const session = welcomed({}, seated());
  sent(session);
  const [first] = asked(session.receive(frame(decision(1))));
  assert(first);
  session.answer(first, index(0, 1));
  session.answer(first, index(1, 1));
  assert.deepEqual(sent(session)[0]?.answers, [index(0, 1)]);
  const [second] = asked(session.receive(frame(closed(1), decision(2))));
  assert(second);
  session.receive(frame(closed(2)));
  session.answer(second, index(0, 2));
  assert.deepEqual(sent(session), []);
});

const UNKNOWN = notice(9 as v1.NoticeKind);

/** Return how many frames a session takes until it acknowledges them. */
function borne(session: Session, bytes: Uint8Array): number {
  for (let count = 1; count < 100; count++) {
    session.receive(bytes);
    if (sent(session).length > 0) return count;
  }
  return Infinity;
}

for (const [name, fields, frames] of [
  ["so many frames", { maxUnacknowledgedFrames: 12 }, 3],
  ["so many bytes", { maxUnacknowledgedBytes: 288 }, 2],
  ["frames, where the referee does not say how many", {}, 16],
] as const) {
  test(`an acknowledgement goes out by itself after a quarter of ${name}`, () => {
    const session = new Session(v1.Hello.create({ versions: [1] }));
    sent(session);
    session.receive(frame(welcome(fields), notice(NoticeKind.HEARTBEAT)));
    assert.equal(sent(session)[0]?.framesReceived, 1n);
    const bytes = frame(notice(NoticeKind.UNSPECIFIED, "x".repeat(30))); // 36 bytes
    assert.equal(borne(session, bytes), frames);
    assert.equal(borne(session, bytes), frames);
  });
}

test("a heartbeat is acknowledged at once, and told to nobody", () => {
  const session = welcomed();
  assert.deepEqual(session.receive(frame(notice(NoticeKind.HEARTBEAT))), []);
  assert.deepEqual(sent(session), [v1.PlayRequest.create({ framesReceived: 2n })]);
  assert.deepEqual(sent(session), []);
});

test("events come once, in order and without gaps", () => {
  const session = welcomed({}, seated());
  const told = [...session.receive(frame(happened(1), happened(2))), ...session.receive(frame(happened(2)))];
  assert.deepEqual(
    told.map((update) => update.kind === "happened" && update.message.event?.sequence),
    [1, 2],
  );
  assert.throws(
    () => session.receive(frame(happened(4))),
    new ProtocolError("event 4 of match 'm1' follows event 2: the referee left some out"),
  );
});

test("a new attempt voids the one before", () => {
  const session = welcomed({ matches: 1 }, seated(), happened(1), decision(1));
  const [ended, begun] = session.receive(frame(seated("m1", { attempt: 2 })));
  assert(ended?.kind === "finished" && begun?.kind === "seated");
  assert.equal(ended.message.termination, Termination.VOID);
  assert.deepEqual([ended.match.attempt, begun.match.attempt], [1, 2]);
  assert.equal(session.leaving, false);
  const told = session.receive(frame(happened(1), decision(1)));
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ["happened", "decision"],
  );
});

test("an answer to an attempt that is void is not sent", () => {
  const session = welcomed({}, seated());
  const [old] = asked(session.receive(frame(decision(1))));
  assert(old);
  session.receive(frame(seated("m1", { attempt: 2 }), decision(1)));
  sent(session);
  session.answer(old, index(0));
  assert.deepEqual(sent(session), []);
});

test("a resume point that is refused ends its match", () => {
  const session = welcomed({ matches: 2 }, seated("m1"), seated("m2"));
  const [update] = session.receive(frame(refused(0, "m1")));
  assert(update?.kind === "refused");
  assert.equal(update.match?.id, "m1");
  assert.deepEqual([session.finished, session.leaving, session.playing], [1, false, 1]);
  session.receive(frame(finished("m2")));
  assert.equal(session.leaving, true);
});

test("a bot that wants no more matches says so over each stream, and leaves after those that it plays", () => {
  const session = welcomed({}, seated("m1"), seated("m2"));
  sent(session);
  session.retire();
  assert.deepEqual(sent(session), [v1.PlayRequest.create({ framesReceived: 1n, noMoreMatches: true })]);
  session.receive(frame(notice(NoticeKind.DRAINING), finished("m1")));
  session.rejoin();
  assert.equal(sent(session)[0]?.noMoreMatches, true);
  session.receive(frame(welcome(), seated("m2"), finished("m2")));
  assert.equal(session.leaving, true);
});

test("a refused answer is told, and its match goes on", () => {
  const session = welcomed({}, seated());
  const [known, unknown] = session.receive(frame(refused(3), refused(3, "m9")));
  assert(known?.kind === "refused" && unknown?.kind === "refused");
  assert.deepEqual([known.match?.id, unknown.match], ["m1", undefined]);
  assert.equal(session.playing, 1);
});

test("the bot leaves after its number of matches, of which void ones are none", () => {
  const session = welcomed({ matches: 2 });
  const played = [Termination.VOID, Termination.COMPLETED, Termination.FORFEIT];
  for (const [count, termination] of played.entries()) {
    assert.equal(session.leaving, false);
    session.receive(frame(seated(`m${count}`), finished(`m${count}`, termination)));
  }
  const requests = sent(session);
  assert.deepEqual(requests.at(-1)?.bye, {});
  assert.equal(session.left, true);
  assert.deepEqual(sent(session), []);
});

test("who leaves is told nothing more", () => {
  const session = welcomed({ matches: 1 }, seated());
  const told = session.receive(frame(finished(), seated("m2")));
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ["finished"],
  );
});

test("the bot leaves a referee that is about to leave once no match is left", () => {
  const session = welcomed({}, seated());
  const [told] = session.receive(frame(notice(NoticeKind.DRAINING, "soon")));
  assert(told?.kind === "notice");
  assert.deepEqual([session.draining, session.leaving], [true, false]);
  session.receive(frame(finished()));
  assert.equal(session.leaving, true);
});

test("who is replaced is told what to do", () => {
  assert.throws(
    () => welcomed().receive(frame(notice(NoticeKind.REPLACED))),
    (error) => error instanceof Replaced && /^this session was replaced: .*FAIRDEAL_INSTANCE/.test(error.message),
  );
});

test("a referee of another version is none", () => {
  const session = new Session(v1.Hello.create());
  assert.throws(
    () => session.receive(frame(welcome({ version: 2 }))),
    new ProtocolError("the referee speaks version 2 of the protocol, not 1"),
  );
});

test("a referee that does not begin with its welcome is none", () => {
  for (const updates of [[], [UNKNOWN], [seated()], [notice(NoticeKind.HEARTBEAT), welcome()]]) {
    assert.throws(
      () => new Session(v1.Hello.create()).receive(frame(...updates)),
      new ProtocolError("the referee sent a message before its welcome"),
    );
  }
});

test("a match that the bot does not know makes no sense, a decision of one that is closed does", () => {
  const session = welcomed();
  assert.deepEqual(session.receive(frame(closed(1, "m9"))), []);
  const text = "the referee sent a message about match 'm9', in which the bot has no seat";
  for (const update of [happened(1, "m9"), decision(1, "m9"), finished("m9")]) {
    assert.throws(() => session.receive(frame(update)), new ProtocolError(text));
  }
});

test("what is no message makes no sense", () => {
  assert.throws(() => welcomed().receive(Uint8Array.of(0x0a, 0xff)), ProtocolError);
});

test("unknown kinds, fields and enum values are passed over", () => {
  const field = [0xfa, 0x3f, 2, 1, 2]; // number 127
  const kind = [0x0a, field.length, ...field]; // an update with nothing else
  const session = welcomed({}, seated());
  const bytes = Buffer.concat([
    Buffer.from([...kind, ...field]),
    frame(UNKNOWN, closed(1, "m1", { fault: 99 as v1.Fault })),
  ]);
  const told = session.receive(bytes);
  assert.deepEqual(
    told.map((update) => update.kind),
    ["notice", "closed"],
  );
});

test("cards, actions and 64-bit numbers survive as they are", () => {
  const legal: v1.Legal = {
    kind: { $case: "chooseCards", value: { cards: [52, 77 as v1.Card, 1], minimum: 0, maximum: 3 } },
  };
  const options = [{ name: "n", value: { $case: "number" as const, value: -(2n ** 62n) } }];
  const session = welcomed();
  const told = session.receive(frame(seated("m1", { options }), decision(1, "m1", { legal })));
  const [match, question] = told;
  assert(match?.kind === "seated" && question?.kind === "decision");
  assert.deepEqual(match.match.seated.options, options);
  assert.deepEqual(question.decision.legal, legal);
});

test("what does not fit in one frame is split, goodbye in the last part", () => {
  const session = welcomed({}, welcome({ maxFrameBytes: 64 }));
  const ids = [...Array(20).keys()].map((count) => `match-${count}`);
  const decisions = asked(session.receive(frame(...ids.flatMap((id) => [seated(id), decision(1, id)]))));
  for (const each of decisions) session.answer(each, index(1, 1, each.match.id));
  session.leave();
  const frames = session.takeFrames();
  assert(frames.every((bytes) => bytes.length <= 64));
  const requests = frames.map((bytes) => v1.PlayRequest.decode(bytes));
  assert.deepEqual(
    requests.flatMap(({ ready }) => ready.map(({ matchId }) => matchId)),
    ids,
  );
  assert.deepEqual(
    requests.flatMap(({ answers }) => answers.map(({ matchId }) => matchId)),
    ids,
  );
  assert(requests.every(({ framesReceived }) => framesReceived === 2n));
  assert.deepEqual(
    requests.flatMap(({ bye }, at) => (bye ? [at] : [])),
    [requests.length - 1],
  );
});

test("an item that is larger than a frame goes out by itself", () => {
  const session = welcomed({}, welcome({ maxFrameBytes: 64 }), seated("x".repeat(100)), seated("m2"));
  assert.deepEqual(
    sent(session).map(({ ready }) => ready.length),
    [1, 1],
  );
});

test("a hello that goes on tells where the bot is", () => {
  const session = welcomed({ matches: 5, entry: "alice" }, seated("m1"), happened(1), happened(2), seated("m2"));
  session.receive(frame(seated("m3"), finished("m3")));
  session.rejoin();
  assert.deepEqual([session.welcomed, session.frames], [false, 0]);
  const [request, ...rest] = sent(session);
  assert.deepEqual(rest, []); // what was not sent is dropped
  assert.deepEqual(request?.hello?.resume, [
    { matchId: "m1", sequence: 2, attempt: 1 },
    { matchId: "m2", sequence: 0, attempt: 1 },
  ]);
  assert.deepEqual([request?.hello?.matches, request?.hello?.entry, request?.framesReceived], [4, "alice", 0n]);
});

test("what is asked again is answered as before, and the bot is not asked", () => {
  const session = welcomed({}, seated());
  const [question] = asked(session.receive(frame(decision(1))));
  assert(question);
  session.answer(question, index(1));
  sent(session);
  session.rejoin();
  sent(session);
  assert.deepEqual(session.receive(frame(welcome(), seated(), decision(1))), []);
  const [request] = sent(session);
  assert.deepEqual([request?.ready, request?.answers], [[{ matchId: "m1" }], [index(1)]]);
});

test("an answer that is given while there is no stream waits for its question", () => {
  const session = welcomed({}, seated());
  const [question] = asked(session.receive(frame(decision(1))));
  assert(question);
  session.rejoin();
  session.answer(question, index(0));
  assert.deepEqual(
    sent(session).flatMap(({ answers }) => answers),
    [],
  );
  session.receive(frame(welcome(), seated()));
  assert.deepEqual(
    sent(session).flatMap(({ answers }) => answers),
    [],
  );
  session.receive(frame(decision(1)));
  assert.deepEqual(sent(session)[0]?.answers, [index(0)]);
});

test("an answer that is given after its question came again is sent", () => {
  const session = welcomed({}, seated());
  const [question] = asked(session.receive(frame(decision(1))));
  assert(question);
  session.rejoin();
  assert.deepEqual(session.receive(frame(welcome(), seated(), decision(1))), []);
  sent(session);
  session.answer(question, index(0));
  assert.deepEqual(sent(session)[0]?.answers, [index(0)]);
});

test("an empty choice, and no action at all, are on the wire", () => {
  const session = welcomed({}, seated("m1"), seated("m2"));
  const [first, second] = asked(session.receive(frame(decision(1, "m1"), decision(1, "m2"))));
  assert(first && second);
  const answer = (matchId: string, value: v1.Action): v1.Answer => ({
    matchId,
    decisionId: 1,
    answer: { $case: "action", value },
    note: new Uint8Array(),
  });
  const answers = [
    answer("m1", { kind: { $case: "chooseCombinations", value: { combinations: [] } } }),
    answer("m2", { kind: undefined }),
  ];
  session.answer(first, answers[0]!);
  session.answer(second, answers[1]!);
  assert.deepEqual(sent(session)[0]?.answers, answers);
});

test("an answer to the decision before is not one to this", () => {
  const session = welcomed({}, seated());
  sent(session);
  const [first, second] = asked(session.receive(frame(decision(1), decision(2))));
  assert(first && second);
  session.answer(first, index(0, 1));
  assert.deepEqual(sent(session), []);
  session.answer(second, index(1, 2));
  assert.deepEqual(sent(session)[0]?.answers, [index(1, 2)]);
});

test("a decision that is asked again is not answered as the one before", () => {
  const session = welcomed({}, seated());
  const [first] = asked(session.receive(frame(decision(1))));
  assert(first);
  session.answer(first, index(0, 1));
  session.receive(frame(decision(2)));
  session.rejoin();
  sent(session);
  session.receive(frame(welcome(), seated(), decision(2)));
  assert.deepEqual(sent(session)[0]?.answers, []);
});

test("a heartbeat of the stream before is not acknowledged over the next", () => {
  const session = welcomed();
  session.receive(frame(notice(NoticeKind.HEARTBEAT)));
  session.rejoin();
  assert.deepEqual(
    sent(session).map(({ hello }) => hello !== undefined),
    [true],
  );
  assert.deepEqual(sent(session), []);
});
