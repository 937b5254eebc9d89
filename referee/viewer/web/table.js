// A table as elements: hands around it, the trick in its middle, scores and facts beside it.

import { asHeld, cardWords, drawCard } from "./cards.js";
import { namesOf, viewOf } from "./frames.js";
import { facts, plate } from "./games.js";

const PLACES = { 2: ["south", "north"], 4: ["south", "west", "north", "east"] };

export function make(tag, marks, ...inside) {
  const element = document.createElement(tag);
  if (marks) element.className = marks;
  element.append(...inside);
  return element;
}

// Draws a frame into a place; `seat` is the one whose knowledge is shown, null for the whole table.
export function drawTable(place, data, frame, seat) {
  const shown = viewOf(frame, seat);
  const names = namesOf(data);
  const seats = names.map((_, number) => drawSeat(data, names, frame, number, seat));
  place.replaceChildren(make("div", `table for${names.length}`, ...seats, drawTrick(names, shown, seat)));
  const name = (number) => names[number] ?? `seat ${number}`;
  return { scores: drawScores(data, shown), facts: drawFacts(facts(data.game, shown, name)) };
}

const placeOf = (count, number, seat) => PLACES[count]?.[(number - (seat ?? 0) + count) % count] ?? "";

function drawSeat(data, names, frame, number, seat) {
  const asked = frame.asked[number];
  const label = make("div", "plate", make("span", "name", names[number]));
  for (const text of plate(data.game, viewOf(frame, seat), number)) label.append(make("span", "said", text));
  if (asked) label.append(make("span", "turn", "to act"));
  const thought = frame.thought[number];
  if (thought !== undefined) label.append(make("span", "thought", `answered after ${seconds(thought)}`));
  const drawn = make("div", `seat ${placeOf(names.length, number, seat)}${asked ? " asked" : ""}`, label);
  if (seat !== null && seat !== number) return drawn;
  const view = viewOf(frame, number);
  const bright = asked?.cards;
  const hand = make("div", "hand");
  hand.setAttribute("role", "group");
  hand.setAttribute("aria-label", `cards of ${names[number]}`);
  for (const card of asHeld(view.hand ?? [])) {
    hand.append(drawCard(card, bright && (bright.includes(card) ? "legal" : "dim")));
  }
  drawn.append(hand);
  if (asked?.answers) drawn.append(make("p", "answers", `may answer: ${asked.answers.join(", ") || "nothing"}`));
  if (asked?.most !== undefined) drawn.append(make("p", "answers", `chooses ${amount(asked)}`));
  return drawn;
}

const amount = ({ least, most }) => (least === most ? `${least}` : `${least} to ${most}`);
export const seconds = (micros) => `${(micros / 1e6).toFixed(3)} s`;

function drawTrick(names, view, seat) {
  const middle = make("div", "middle");
  const last = view.tricks?.at(-1);
  const trick = view.trick ?? last;
  if (!trick) return middle;
  middle.setAttribute("role", "group");
  middle.setAttribute("aria-label", view.trick ? "trick" : "last trick");
  // in some games a seat sits out, so that the cards are counted from the leader on, without it
  const players = orderOf(names.length, view, trick.leader);
  trick.cards.forEach((card, turn) => {
    const player = players[turn];
    const played = make("div", `played ${placeOf(names.length, player, seat)}`, drawCard(card));
    if (!view.trick && player === last.winner) played.classList.add("won");
    played.title = `${names[player]}: ${cardWords(card)}`;
    middle.append(played);
  });
  return middle;
}

function orderOf(count, view, leader) {
  const out = (view.alone ?? []).filter((each) => each.choice === "alone").map((each) => (each.seat + 2) % 4);
  const order = Array.from({ length: count }, (_, turn) => (leader + turn) % count);
  return order.filter((seat) => !out.includes(seat));
}

function drawScores(data, view) {
  const totals = view.totals ?? view.scores ?? [];
  const body = make("tbody");
  data.sides.forEach((side, number) => {
    const head = make("th", "", side.map((seat) => data.entries[seat]).join(" + "));
    head.scope = "row";
    body.append(make("tr", "", head, make("td", "", String(totals[number] ?? "-"))));
  });
  return make("table", "scores", make("caption", "", "Score of the deals that are over"), body);
}

function drawFacts(rows) {
  const list = make("dl", "facts");
  for (const [label, text, cards] of rows) {
    list.append(make("dt", "", label), make("dd", "", String(text), ...cards.map((card) => drawCard(card, "small"))));
  }
  return list;
}
