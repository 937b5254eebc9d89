/** What a bot answers, and its message. */

import { BadAnswer } from "./errors.js";
import type { Decision } from "./decision.js";
import { Combination, type Action, type Answer as AnswerMessage, type Card } from "./v1.js";

/**
 * An answer: an action (one of the list, or made by `playCard`, `bid`, ...), the `index` of one in the list, or,
 * where several are to be chosen, the cards or combinations; any of them with a note.
 */
export type Answer = PlainAnswer | Noted;

/** An answer without a note. */
export type PlainAnswer = Action | { readonly index: number } | readonly Card[] | readonly Combination[];

/** An answer with a note for the record; `noted` makes one. */
export interface Noted {
  readonly answer: PlainAnswer;
  readonly note: string | object;
}

/** The most bytes of a note, in UTF-8. */
const MAX_NOTE = 4096;

/**
 * Return an answer with a note for the record: a text, or an object that becomes JSON.
 *
 * Nobody is shown it before the deals of the match are revealed, and it changes nothing. By convention an object has
 * some of the keys `thought`, `tokens_in`, `tokens_out`, `cost`, `seconds`, `attempts`, `finish` and `eval`. A note
 * that has more than 4 KiB or cannot be JSON is logged and not sent; the answer is.
 */
export const noted = (answer: PlainAnswer, note: string | object): Noted => ({ answer, note });

/** Return the answer that is at this position of the legal actions, from 0. */
export const index = (position: number): PlainAnswer => ({ index: position });

/** Return the action of playing a card. */
export const playCard = (card: Card): Action => ({ kind: { $case: "playCard", value: card } });

/** Return the action of bidding a number of tricks, 0 being nil. */
export const bid = (tricks: number): Action => ({ kind: { $case: "bid", value: tricks } });

/** Return the action of declaring a combination, or nothing. */
export const declare = (combination?: Combination): Action => ({
  kind: { $case: "declare", value: { combination } },
});

/** Return the action of choosing several cards. */
export const chooseCards = (cards: readonly Card[]): Action => ({
  kind: { $case: "chooseCards", value: { cards: [...cards] } },
});

/** Return the action of choosing several combinations. */
export const chooseCombinations = (combinations: readonly Combination[]): Action => ({
  kind: { $case: "chooseCombinations", value: { combinations: [...combinations] } },
});

/**
 * Return the message for what a bot answered; `log` is told of a note that cannot be sent.
 *
 * Throws BadAnswer when it is not an answer, or its index, cards or combinations are not among the legal ones. Actions
 * are sent as they are.
 */
export function toMessage(decision: Decision, given: Answer, log: (line: string) => void): AnswerMessage {
  if (!isNoted(given)) return message(decision, plain(decision, given));
  return { ...message(decision, plain(decision, given.answer)), note: bytesOf(decision, given.note, log) };
}

/** Return the one answer that is legal; undefined where there are several or none is known. */
export function onlyAnswer({ legal: { kind } }: Decision): PlainAnswer | undefined {
  switch (kind?.$case) {
    case "actions":
      return kind.value.actions.length === 1 ? index(0) : undefined;
    case "chooseCards":
      return onlyChoice(kind.value.cards, kind.value.minimum, kind.value.maximum);
    case "chooseCombinations":
      return onlyChoice(kind.value.combinations, kind.value.minimum, kind.value.maximum);
    default:
      return undefined;
  }
}

function onlyChoice<T>(offered: readonly T[], minimum: number, maximum: number): readonly T[] | undefined {
  if (minimum === offered.length && maximum === offered.length) return offered;
  return maximum === 0 || offered.length === 0 ? [] : undefined;
}

/** Return an answer that is not an action, on which the referee plays the default and counts a fault. */
export function noAnswer(decision: Decision): AnswerMessage {
  return message(decision, { $case: "action", value: { kind: undefined } });
}

function message(decision: Decision, answer: NonNullable<AnswerMessage["answer"]>): AnswerMessage {
  return { matchId: decision.match.id, decisionId: decision.id, answer, note: new Uint8Array() };
}

function isNoted(given: Answer): given is Noted {
  return typeof given === "object" && given !== null && "note" in given;
}

/** Return the bytes of a note, none where it cannot be sent: it must never cost the answer. */
function bytesOf(decision: Decision, note: unknown, log: (line: string) => void): Uint8Array {
  let problem: string;
  try {
    const text = typeof note === "string" ? note : (JSON.stringify(note) as string | undefined);
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= MAX_NOTE) return bytes;
    problem = `has ${bytes.length} bytes, and ${MAX_NOTE} may be sent`;
  } catch (error) {
    problem = `is neither text nor JSON: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`;
  }
  log(`match ${decision.match.id}, decision ${decision.id}: the note is not sent: it ${problem}`);
  return new Uint8Array();
}

function plain(decision: Decision, given: PlainAnswer): NonNullable<AnswerMessage["answer"]> {
  return Array.isArray(given) ? chosen(decision, given) : single(decision, given);
}

function single(decision: Decision, given: unknown): NonNullable<AnswerMessage["answer"]> {
  if (typeof given === "object" && given !== null) {
    if ("index" in given) return { $case: "index", value: position(decision, given.index) };
    if ("kind" in given) return { $case: "action", value: given as Action };
  }
  throw bad(decision, `answered ${show(given)}, which is neither an action, index(...) nor a list`);
}

function position(decision: Decision, given: unknown): number {
  const { kind } = decision.legal;
  if (kind?.$case !== "actions") throw bad(decision, "answered an index, but there is no list of actions");
  const { length } = kind.value.actions;
  if (typeof given === "number" && Number.isInteger(given) && given >= 0 && given < length) return given;
  throw bad(decision, `answered index ${show(given)}, but there are ${length} legal actions`);
}

function chosen(decision: Decision, given: readonly unknown[]): NonNullable<AnswerMessage["answer"]> {
  const { kind } = decision.legal;
  switch (kind?.$case) {
    case "chooseCards": {
      const { cards, minimum, maximum } = kind.value;
      const places = place(decision, given, cards, "card", minimum, maximum);
      return { $case: "action", value: chooseCards(places.map((at) => cards[at] as Card)) };
    }
    case "chooseCombinations": {
      const { combinations, minimum, maximum } = kind.value;
      const offered = combinations.map(text);
      const places = place(decision, (given as Combination[]).map(text), offered, "combination", minimum, maximum);
      return { $case: "action", value: chooseCombinations(places.map((at) => combinations[at] as Combination)) };
    }
    default:
      throw bad(decision, "answered a list, but one action is to be chosen");
  }
}

/** Return where the items given stand among those offered, in the order of those offered. */
function place(
  decision: Decision,
  given: readonly unknown[],
  offered: readonly unknown[],
  item: string,
  minimum: number,
  maximum: number,
): number[] {
  const items = new Set(given);
  if (items.size < given.length) throw bad(decision, `chose a ${item} twice`);
  if (given.length < minimum || given.length > maximum) {
    const bounds = minimum === maximum ? `${minimum}` : `${minimum} to ${maximum}`;
    throw bad(decision, `chose ${given.length}, but ${bounds} ${item}s are to be chosen`);
  }
  const places = [...offered.keys()].filter((at) => items.has(offered[at]));
  if (places.length < given.length) throw bad(decision, `chose a ${item} that is not offered`);
  return places;
}

function text(combination: Combination): string {
  return Buffer.from(Combination.encode(combination).finish()).toString("latin1");
}

function show(given: unknown): string {
  return typeof given === "object" && given !== null ? "an object" : String(given);
}

function bad(decision: Decision, what: string): BadAnswer {
  return new BadAnswer(`match ${decision.match.id}, decision ${decision.id}: act ${what}`);
}
