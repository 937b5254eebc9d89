// A record file as frames: what its lines say, without the rules. Who may play what is not told by them.

import { cardWords } from "./cards.js";
import { asShown } from "./frames.js";

const BLANK = { tricks: [], bids: [], declarations: [], shown: [], exchanges: [], alone: [] };

// Returns the text of a record file, which is compressed by gzip or plain.
export async function readText(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] !== 0x1f || start[1] !== 0x8b) return file.text();
  return inflated(file).text();
}

// Returns what a page of a site holds of its match: JSON, compressed by gzip, in base64.
export function unpacked(text) {
  return inflated(new Blob([Uint8Array.from(atob(text), (each) => each.charCodeAt(0))])).json();
}

const inflated = (file) => new Response(file.stream().pipeThrough(new DecompressionStream("gzip")));

// Returns the data of a record as `expand` takes them. Throws an Error that says what is wrong with the text.
export function fromRecord(text) {
  const lines = text.trim().split("\n").map((line, number) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(`line ${number + 1} is not JSON: this is no record of fairdeal, or it is cut off`);
    }
  });
  const header = lines[0];
  if (header?.type !== "header" || !Array.isArray(header.entries)) {
    throw new Error("the first line is no header: this is no record of fairdeal");
  }
  const count = header.entries.length;
  const title = String(header.game).replaceAll("_", " ");
  const told = new Told(count, header.entries.map(asShown));
  const frames = [];
  let at = 0;
  let began;
  let outcome = null;
  for (const line of lines.slice(1)) {
    if (line.type === "input" || line.type === "time") {
      began ??= line.at;
      at = line.at - began;
    } else if (line.type === "outcome") outcome = line;
    else if (line.type !== "reveal") frames.push({ at, text: [told.take(line)], ...told.frame() });
  }
  // of four seats with two scores those that face each other are partners
  const scores = frames.findLast((frame) => frame.public.totals)?.public.totals ?? outcome?.ranks ?? [];
  const sides = count === 4 && scores.length === 2 ? [[0, 2], [1, 3]] : header.entries.map((_, seat) => [seat]);
  const { match_id, attempt, game, started, entries, options } = header;
  return { match_id, attempt, game, title, started, entries, options, sides, frames, outcome };
}

// What the lines so far have told.
class Told {
  constructor(count, entries) {
    this.count = count;
    this.entries = entries;
    this.public = { ...BLANK };
    this.hands = [];
  }

  frame() {
    const copied = structuredClone(this.public);
    if (!copied.trick) copied.trick = null;
    return { public: copied, seats: Array.from({ length: this.count }, (_, seat) => ({ hand: this.hands[seat] ?? [] })) };
  }

  take(line) {
    const { type, seat, ...rest } = line;
    const text = this[type]?.(line) ?? Object.entries(rest).map(([name, value]) => `${name} ${plain(value)}`).join(", ");
    const who = seat === undefined ? "" : `${this.entries[seat] ?? seat}: `;
    return `${who}${type.replaceAll("_", " ")} ${text}`.trim();
  }

  dealt({ type, hands, talon, stock, unseen, ...rest }) {
    const { totals, scores, bags } = this.public;
    this.public = { ...structuredClone(BLANK), totals, scores, bags, ...rest };
    this.hands = (hands ?? []).map((hand) => [...hand]);
    return `${rest.deal}`;
  }

  looked({ seat, hand }) {
    this.hands[seat] = [...hand];
  }

  cards_passed({ direction, passed }) {
    const step = { left: 1, across: 2, right: 3 }[direction] ?? 0;
    passed.forEach((cards, seat) => this.drop(seat, cards));
    passed.forEach((cards, seat) => this.add((seat + step) % this.count, cards));
  }

  picked_up({ seat, discarded }) {
    this.add(this.public.dealer ?? seat, [this.public.upcard]);
    this.drop(this.public.dealer ?? seat, [discarded]);
  }

  exchanged({ seat, discarded, drawn }) {
    this.public.exchanges.push({ seat, count: discarded.length });
    this.drop(seat, discarded);
    this.add(seat, drawn);
  }

  drafted({ seat, kept }) {
    this.add(seat, [kept]);
  }

  card_played({ seat, card }) {
    this.drop(seat, [card]);
    if (this.public.trick?.by.includes(seat)) this.close();
    this.public.trick ??= { leader: seat, cards: [], by: [] };
    this.public.trick.cards.push(card);
    this.public.trick.by.push(seat);
    return cardWords(card);
  }

  trick_taken({ seat }) {
    this.close(seat);
    return "";
  }

  close(winner) {
    if (this.public.trick) this.public.tricks.push({ ...this.public.trick, winner });
    this.public.trick = null;
  }

  bid_made(line) {
    this.public.bids.push(line);
    return line.tricks === 0 ? "nil" : String(line.tricks);
  }

  trump_called({ seat, call }) {
    if (call !== "pass") Object.assign(this.public, { trump: call, maker: seat });
    return call;
  }

  alone_chosen(line) {
    this.public.alone.push(line);
    return line.choice;
  }

  declared(line) {
    this.public.declarations.push(line);
  }

  combinations_shown(line) {
    this.public.shown.push(line);
  }

  deal_scored({ points, totals, bags }) {
    Object.assign(this.public, { totals, bags: bags.length ? bags : undefined });
    return `${points.join(" : ")}, in all ${totals.join(" : ")}`;
  }

  drop(seat, cards) {
    this.hands[seat] = (this.hands[seat] ?? []).filter((card) => !cards.includes(card));
  }

  add(seat, cards) {
    this.hands[seat] = [...(this.hands[seat] ?? []), ...cards.filter(Boolean)];
  }
}

const plain = (value) => (typeof value === "string" ? value.replaceAll("_", " ") : JSON.stringify(value));
