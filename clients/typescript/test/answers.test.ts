import assert from "node:assert/strict";
import { test } from "node:test";

import { noAnswer, toMessage } from "../src/answers.js";
import {
  BadAnswer,
  Card,
  Rank,
  Suit,
  bid,
  chooseCards,
  chooseCombinations,
  declare,
  index,
  noted,
  playCard,
  randomAnswer,
  rankOf,
  suitOf,
  v1,
  type Answer,
  type Combination,
  type PlainAnswer,
} from "../src/index.js";
import { Decision, matchOf } from "../src/decision.js";
import { actions, bidding } from "./tell.js";

const CARDS = [Card.TWO_OF_CLUBS, Card.QUEEN_OF_SPADES, Card.ACE_OF_SPADES];
const TENS: Combination = { kind: { $case: "set", value: { rank: Rank.TEN, count: 3 } } };
const POINT: Combination = { kind: { $case: "point", value: { suit: Suit.HEARTS } } };

const LIST = actions(bidding(0), bidding(1), bidding(2));
const CHOICE: v1.Legal = { kind: { $case: "chooseCards", value: { cards: CARDS, minimum: 1, maximum: 2 } } };
const FURTHER: v1.Legal = {
  kind: { $case: "chooseCombinations", value: { combinations: [TENS, POINT], minimum: 0, maximum: 2 } },
};

function ask(legal: v1.Legal, decisionId = 3): Decision {
  const match = matchOf(v1.Seated.create({ matchId: "m", seat: v1.Seat.SEAT_1 }));
  return new Decision(match, { ...v1.Decision.create({ decisionId }), legal }, "seed");
}

const GOOD: [string, v1.Legal, Answer, v1.Answer["answer"]][] = [
  ["an index", LIST, index(0), { $case: "index", value: 0 }],
  ["an action", LIST, bid(2), { $case: "action", value: bidding(2) }],
  ["an action that is not listed", LIST, playCard(Card.ACE_OF_CLUBS), { $case: "action", value: playCard(13) }],
  ["cards, in the order of the list", CHOICE, [CARDS[2]!, CARDS[0]!], { $case: "action", value: chooseCards([1, 52]) }],
  [
    "combinations that look alike",
    FURTHER,
    [structuredClone(POINT)],
    { $case: "action", value: chooseCombinations([POINT]) },
  ],
  ["none", FURTHER, [], { $case: "action", value: chooseCombinations([]) }],
  ["a declaration", LIST, declare(TENS), { $case: "action", value: declare(TENS) }],
];

for (const [name, legal, given, answer] of GOOD) {
  test(`an answer: ${name}`, () => {
    const expected = { matchId: "m", decisionId: 3, answer };
    const unexpected = (line: string): void => assert.fail(line);
    assert.deepEqual(toMessage(ask(legal), given, unexpected), { ...expected, note: new Uint8Array() });
    const note = new TextEncoder().encode('{"thought":"♠"}');
    const withNote = noted(given as PlainAnswer, { thought: "♠" });
    assert.deepEqual(toMessage(ask(legal), withNote, unexpected), { ...expected, note });
  });
}

const NOTES: [string, unknown, string, string[]][] = [
  ["a text", "low ♠", "low ♠", []],
  ["the longest", "x".repeat(4096), "x".repeat(4096), []],
  ["too long", "é".repeat(2049), "", ["it has 4098 bytes, and 4096 may be sent"]],
  ["no JSON", { eval: 1n }, "", ["it is neither text nor JSON: Do not know how to serialize a BigInt"]],
  ["nothing", undefined, "", []],
];

for (const [name, note, sent, logged] of NOTES) {
  test(`a note: ${name}`, () => {
    const lines: string[] = [];
    const message = toMessage(ask(LIST), { answer: index(0), note } as Answer, (line) => lines.push(line));
    assert.deepEqual(message.answer, { $case: "index", value: 0 });
    assert.equal(new TextDecoder().decode(message.note), sent);
    assert.deepEqual(
      lines,
      logged.map((what) => `match m, decision 3: the note is not sent: ${what}`),
    );
  });
}

const BAD: [v1.Legal, unknown, string][] = [
  [LIST, index(3), "answered index 3, but there are 3 legal actions"],
  [LIST, index(-1), "answered index -1, but there are 3 legal actions"],
  [LIST, index(0.5), "answered index 0.5, but there are 3 legal actions"],
  [LIST, 1, "answered 1, which is neither an action, index(...) nor a list"],
  [LIST, undefined, "answered undefined, which is neither an action, index(...) nor a list"],
  [LIST, {}, "answered an object, which is neither an action, index(...) nor a list"],
  [LIST, [Card.TWO_OF_CLUBS], "answered a list, but one action is to be chosen"],
  [CHOICE, index(0), "answered an index, but there is no list of actions"],
  [CHOICE, [], "chose 0, but 1 to 2 cards are to be chosen"],
  [CHOICE, CARDS, "chose 3, but 1 to 2 cards are to be chosen"],
  [CHOICE, [1, 1], "chose a card twice"],
  [CHOICE, [2], "chose a card that is not offered"],
  [FURTHER, [TENS, structuredClone(TENS)], "chose a combination twice"],
];

for (const [legal, given, text] of BAD) {
  test(`no answer: ${text}`, () => {
    const error = new BadAnswer(`match m, decision 3: act ${text}`);
    assert.throws(() => toMessage(ask(legal), given as Answer, assert.fail), error);
  });
}

test("who has no answer sends an action that is none", () => {
  const { answer } = noAnswer(ask(LIST));
  assert.deepEqual(answer, { $case: "action", value: { kind: undefined } });
});

const RANDOM: [string, v1.Legal, (decision: Decision) => unknown][] = [
  ["one of a list", LIST, ({ chance }) => index(chance.draw(3))],
  ["some of the cards", CHOICE, ({ chance }) => chance.choose(CARDS, 1, 2)],
  ["some of the combinations", FURTHER, ({ chance }) => chance.choose([TENS, POINT], 0, 2)],
];

for (const [name, legal, drawn] of RANDOM) {
  test(`the random bot answers with ${name}`, () => {
    const ids = [...Array(50).keys()];
    const given = ids.map((id) => randomAnswer(ask(legal, id)));
    assert.deepEqual(
      given,
      ids.map((id) => drawn(ask(legal, id))),
    );
    assert(new Set(given.map((each) => JSON.stringify(each))).size > 2);
    for (const [id, each] of given.entries()) toMessage(ask(legal, id), each, assert.fail);
  });
}

test("the random bot has no answer where there is nothing to choose", () => {
  assert.throws(() => randomAnswer(ask({ kind: undefined })), RangeError);
});

test("a card's rank and suit", () => {
  assert.deepEqual(
    [Card.TWO_OF_CLUBS, Card.ACE_OF_CLUBS, Card.TWO_OF_DIAMONDS, Card.QUEEN_OF_SPADES].map((card) => [
      rankOf(card),
      suitOf(card),
    ]),
    [
      [Rank.TWO, Suit.CLUBS],
      [Rank.ACE, Suit.CLUBS],
      [Rank.TWO, Suit.DIAMONDS],
      [Rank.QUEEN, Suit.SPADES],
    ],
  );
});
