// A seat to play: what may be clicked comes with each step, and the page knows no rule.

import { cardWords, drawCard } from "./cards.js";
import { make } from "./table.js";
import { Board, by, listen } from "./shared.js";

const board = new Board();
const MUST = "fairdeal-forced";
let chosen = new Set();
let deadline = 0;

async function post(path, data) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(data),
  });
  if (response.ok) return true;
  const text = await response.text();
  by("status").textContent = response.headers.get("content-type") === "application/json" ? JSON.parse(text).text : text;
  return false;
}

async function answer(given) {
  const { decision } = board.last;
  clear();
  by("status").textContent = "";
  if (!(await post("/play/answer", { decision, answer: given }))) ask(board.last);
}

// Takes away what can be clicked.
function clear() {
  deadline = 0;
  by("ask").replaceChildren();
  for (const card of cards(".legal")) {
    card.replaceWith(card.cloneNode(true)); // without what listens to it
  }
  for (const card of cards(".legal")) {
    card.classList.remove("legal", "chosen");
    card.removeAttribute("tabindex");
    card.setAttribute("role", "img");
  }
}

const cards = (marks) => by("table").querySelectorAll(`.south .hand .card${marks}`);

function ask(step) {
  const asked = step.asked[board.data.seat];
  by("ask").replaceChildren();
  chosen = new Set();
  if (!asked || step.decision === undefined) return;
  deadline = Date.now() + step.seconds * 1000;
  const is_choice = asked.most !== undefined;
  if (asked.cards) for (const card of cards(".legal")) clickable(card, asked, is_choice);
  const phase = step.view.phase.replaceAll("_", " ");
  by("ask").append(make("p", "prompt", `${phase}: ${prompt(asked, is_choice)} `, make("span", "left", "")));
  // what the question is about lies on the table
  const shown = step.view.offered ?? (step.view.phase === "upcard" ? step.view.upcard : undefined);
  if (shown) by("ask").append(drawCard(shown));
  (asked.answers ?? []).forEach((text, place) => by("ask").append(button(text, () => (is_choice ? toggle(place, asked) : answer(place)), place)));
  if (is_choice) {
    by("ask").append(make("button", "confirm", ""));
    by("ask").lastChild.addEventListener("click", () => answer([...chosen]));
    count(asked);
  }
  show();
  if (by("forced").checked) forced(step, asked, is_choice);
}

function prompt(asked, is_choice) {
  const what = asked.cards ? "card" : "answer";
  if (!is_choice) return asked.cards ? "play a card" : "choose an answer";
  const amount = asked.least === asked.most ? `${asked.least}` : `${asked.least} to ${asked.most}`;
  return `choose ${amount} ${what}${asked.most === 1 ? "" : "s"}`;
}

function button(text, act, place) {
  const made = make("button", "", text);
  made.type = "button";
  made.dataset.place = place;
  made.addEventListener("click", act);
  return made;
}

function clickable(card, asked, is_choice) {
  const name = card.dataset.card;
  card.setAttribute("role", "button");
  card.setAttribute("tabindex", "0");
  const act = () => (is_choice ? toggle(name, asked) : answer(name));
  card.addEventListener("click", act);
  card.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

function toggle(each, asked) {
  if (chosen.has(each)) chosen.delete(each);
  else if (chosen.size < asked.most) chosen.add(each);
  for (const card of cards(".legal")) mark(card, chosen.has(card.dataset.card));
  for (const made of by("ask").querySelectorAll("button[data-place]")) mark(made, chosen.has(Number(made.dataset.place)));
  count(asked);
}

function mark(element, is_chosen) {
  element.classList.toggle("chosen", is_chosen);
  element.setAttribute("aria-pressed", is_chosen);
}

function count(asked) {
  const confirm = by("ask").querySelector(".confirm");
  confirm.disabled = chosen.size < asked.least;
  const names = asked.cards ? [...chosen].map(cardWords).join(", ") : `${chosen.size}`;
  confirm.textContent = chosen.size ? `Choose: ${names}` : asked.least ? "Choose" : "Choose none";
}

// Plays what is the only answer, where that is preferred.
function forced(step, asked, is_choice) {
  const only = is_choice ? asked.most === 0 : (asked.cards ?? asked.answers).length === 1;
  if (!only) return;
  setTimeout(() => {
    if (board.last?.decision === step.decision) answer(is_choice ? [] : asked.cards ? asked.cards[0] : 0);
  }, 400);
}

function show() {
  const left = by("ask").querySelector(".left");
  if (!left || !deadline) return;
  const seconds = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  left.textContent = `(${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left)`;
}

setInterval(show, 1000);
by("forced").checked = localStorage.getItem(MUST) === "1";
by("forced").addEventListener("change", (event) => {
  localStorage.setItem(MUST, event.target.checked ? "1" : "0");
  if (board.last) ask(board.last);
});
by("leave").addEventListener("click", () => confirm("Give this match up? It counts as a loss.") && post("/play/leave", {}));
by("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const deals = by("deals").value === "" ? null : Number(by("deals").value);
  post("/play/table", { game: by("game").value, deals, bot: by("bot").value });
});

listen("/play/events", {
  free: ({ why }) => {
    by("new").hidden = false;
    by("leave").hidden = true;
    by("ask").replaceChildren();
    if (why) by("status").textContent = why;
  },
  table: (data) => {
    by("new").hidden = true;
    by("leave").hidden = false;
    by("board").hidden = false;
    board.begin(data);
  },
  step: (step) => {
    board.step(step);
    ask(step);
  },
  end: (outcome) => {
    clear();
    board.end(outcome);
  },
  refused: ({ text }) => (by("status").textContent = text),
});
