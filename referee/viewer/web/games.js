// What is shown of a game besides hands, tricks and scores: rows of a label and a text or cards.

import { cardWords } from "./cards.js";

const words = (text) => String(text).replaceAll("_", " ");
const bid = (each) => `${each.blind ? "blind " : ""}${each.tricks === 0 ? "nil" : each.tricks}`;

// Returns rows [label, text, cards] for a view of the game; `name` gives the entry of a seat.
export function facts(game, view, name) {
  const rows = [];
  const row = (label, text, cards = []) => rows.push([label, text, cards]);
  if (view.phase) row("phase", words(view.phase));
  GAMES[game]?.(view, row, name);
  return rows;
}

const taken = (view, row) => view.taken && row("tricks taken", view.taken.join(" : "));
const bids = (view, row, name) => {
  for (const each of view.bids ?? []) row(`bid of ${name(each.seat)}`, bid(each));
};

const GAMES = {
  hearts(view, row, name) {
    row("passing", words(view.direction ?? "-"));
    if (view.passed?.length) row("passed", "", view.passed);
    if (view.received?.length) row("received", "", view.received);
    for (const [seat, points] of (view.points ?? []).entries()) row(`points of ${name(seat)}`, points);
    row("hearts broken", view.hearts_broken ? "yes" : "no");
  },
  spades(view, row, name) {
    if (view.dealer !== undefined) row("dealer", name(view.dealer));
    bids(view, row, name);
    taken(view, row);
    if (view.bags) row("bags", view.bags.join(" : "));
  },
  two_handed_spades(view, row, name) {
    if (view.offered) row("looks at", cardWords(view.offered), [view.offered]);
    if (view.discarded?.length) row("discarded", "", view.discarded);
    bids(view, row, name);
    taken(view, row);
    if (view.bags) row("bags", view.bags.join(" : "));
  },
  euchre(view, row, name) {
    if (view.dealer !== undefined) row("dealer", name(view.dealer));
    if (view.upcard) row("turned up", cardWords(view.upcard), [view.upcard]);
    if (view.trump) row("trump", view.maker === undefined ? view.trump : `${view.trump}, by ${name(view.maker)}`);
    for (const each of view.alone ?? []) if (each.choice === "alone") row("plays alone", name(each.seat));
    taken(view, row);
  },
  piquet(view, row, name) {
    if (view.elder !== undefined) row("elder", name(view.elder));
    for (const each of view.exchanges ?? []) row(`exchanged by ${name(each.seat)}`, each.count);
    if (view.discarded?.length) row("discarded", "", view.discarded);
    if (view.looked?.length) row("left, looked at", "", view.looked);
    if (view.leftovers?.length) row("left over", "", view.leftovers);
    for (const each of view.declarations ?? []) row(`declares ${each.round}`, declared(each));
    for (const each of view.shown ?? []) row(`${name(each.seat)}: ${each.round}, ${each.points}`, "", each.cards);
    if (view.points) row("points", view.points.join(" : "));
  },
};

function declared(each) {
  if (!each.length) return "none";
  const what = each.rank ? `${each.length}, ${each.rank} high` : each.length;
  return each.answer ? `${what}: ${words(each.answer)}` : what;
}
