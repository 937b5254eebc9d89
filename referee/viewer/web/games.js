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

// Returns what is shown beside the name of a seat: short texts, such as its bid.
export function plate(game, view, seat) {
  return PLATES[game]?.(view, seat).filter(Boolean) ?? [];
}

const points = (view, seat) => view.points && `${view.points[seat]} point${view.points[seat] === 1 ? "" : "s"}`;
const byBid = (view, seat) => {
  const made = view.bids?.find((each) => each.seat === seat);
  return [view.dealer === seat && "deals", made && `bids ${bid(made)}`, view.phase === "play" && view.taken && `took ${view.taken[seat]}`];
};

const PLATES = {
  hearts: (view, seat) => [points(view, seat)],
  spades: byBid,
  two_handed_spades: byBid,
  euchre: (view, seat) => [
    view.dealer === seat && "deals",
    view.trump && view.maker === seat && `made ${view.trump} trump`,
    view.alone?.some((each) => each.seat === seat && each.choice === "alone") && "plays alone",
  ],
  piquet: (view, seat) => [view.elder === seat && "elder", points(view, seat)],
};

const GAMES = {
  hearts(view, row) {
    row("passing", words(view.direction ?? "-"));
    if (view.passed?.length) row("passed", "", view.passed);
    if (view.received?.length) row("received", "", view.received);
    row("hearts broken", view.hearts_broken ? "yes" : "no");
  },
  spades(view, row) {
    if (view.bags) row("bags", view.bags.join(" : "));
  },
  two_handed_spades(view, row) {
    if (view.offered) row("looks at", cardWords(view.offered), [view.offered]);
    if (view.discarded?.length) row("discarded", "", view.discarded);
    if (view.bags) row("bags", view.bags.join(" : "));
  },
  euchre(view, row) {
    if (view.upcard) row("turned up", cardWords(view.upcard), [view.upcard]);
    if (view.trump) row("trump", view.trump);
    if (view.taken) row("tricks taken", view.taken.join(" : "));
  },
  piquet(view, row, name) {
    for (const each of view.exchanges ?? []) row(`exchanged by ${name(each.seat)}`, each.count);
    if (view.discarded?.length) row("discarded", "", view.discarded);
    if (view.looked?.length) row("left, looked at", "", view.looked);
    if (view.leftovers?.length) row("left over", "", view.leftovers);
    for (const each of view.declarations ?? []) row(`declares ${each.round}`, declared(each));
    for (const each of view.shown ?? []) row(`${name(each.seat)}: ${each.round}, ${each.points}`, "", each.cards);
  },
};

function declared(each) {
  if (!each.length) return "none";
  const what = each.rank ? `${each.length}, ${each.rank} high` : each.length;
  return each.answer ? `${what}: ${words(each.answer)}` : what;
}
