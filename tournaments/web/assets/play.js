// A seat to play: what may be clicked comes with each step, and the page knows no rule.

import { cardWords, drawCard } from "./cards.js";
import { make } from "./table.js";
import { answerWords, confirmWords, prompt } from "./words.js";
import { Board, by, tell } from "./shared.js";
import { listen } from "./streams.js";

const board = new Board();
const MUST = "fairdeal-forced";
let chosen = new Set();
let deadline = 0;
let usesKeys = false;

async function post(path, data) {
  const given = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) };
  const response = await fetch(path, given).catch(() => null);
  if (!response) {
    by("status").textContent = "The answer could not be sent: the connection is lost. Try again.";
    return false;
  }
  if (response.ok) return true;
  const text = await response.text();
  by("status").textContent = response.headers.get("content-type") === "application/json" ? JSON.parse(text).text : text;
  return false;
}

async function answer(given) {
  const { decision } = board.last;
  clear();
  by("status").textContent = "";
  const isTaken = await post("/play/answer", { decision, answer: given });
  if (!isTaken && !by("outcome").textContent) askAgain();
}

// Asks the open question again, at a table that is drawn anew: its cards may be clicked once more.
function askAgain() {
  board.step({ ...board.last, text: [] });
  ask(board.last);
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
  const isChoice = asked.most !== undefined && asked.most !== 1; // one card is chosen by one click
  if (asked.cards) for (const card of cards(".legal")) clickable(card, asked, isChoice);
  const words = prompt(step.view, asked);
  by("ask").append(make("p", "prompt", `${words} `, make("span", "left", "")));
  board.say(words);
  // what the question is about lies on the table
  const shown = step.view.offered ?? (step.view.phase === "upcard" ? step.view.upcard : undefined);
  if (shown) by("ask").append(drawCard(shown));
  (asked.answers ?? []).forEach((text, place) => {
    const act = () => (isChoice ? toggle(place, asked) : answer(given(asked, place)));
    by("ask").append(button(answerWords(step.view, text), act, place));
  });
  if (isChoice || asked.least === 0) {
    by("ask").append(make("button", "confirm", ""));
    by("ask").lastChild.addEventListener("click", () => answer([...chosen]));
    count(asked);
  }
  show();
  if (usesKeys) choices()[0]?.focus();
  if (by("forced").checked) forced(step, asked);
}

// What is sent for one card or one answer: where several may be chosen, it is a list.
const given = (asked, one) => (asked.most === undefined ? one : [one]);

const choices = () => [...cards(".legal"), ...by("ask").querySelectorAll("button:not(:disabled)")];

// Left and right go from one choice to the next, and from elsewhere to the first.
function move(event) {
  usesKeys = true;
  const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const all = choices();
  const at = all.indexOf(event.target);
  if (!steps || !all.length || event.target.closest("input, select, #told")) return;
  event.preventDefault();
  (at < 0 ? all[0] : all.at((at + steps) % all.length)).focus();
}

function button(text, act, place) {
  const made = make("button", "", text);
  made.type = "button";
  made.dataset.place = place;
  made.addEventListener("click", act);
  return made;
}

function clickable(card, asked, isChoice) {
  const name = card.dataset.card;
  card.setAttribute("role", "button");
  card.setAttribute("tabindex", "0");
  const act = () => (isChoice ? toggle(name, asked) : answer(given(asked, name)));
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
  confirm.textContent = confirmWords(board.last.view, chosen.size ? names : asked.least ? "" : "none");
}

// Plays what is the only answer, where that is preferred.
function forced(step, asked) {
  const some = asked.cards ?? asked.answers.map((_, place) => place);
  const isOnly = asked.most === undefined ? some.length === 1 : asked.most === 0 || asked.least === some.length;
  if (!isOnly) return;
  setTimeout(() => {
    if (board.last?.decision === step.decision) answer(asked.most === undefined ? some[0] : some.slice(0, asked.most));
  }, 400);
}

function show() {
  const left = by("ask").querySelector(".left");
  if (!left || !deadline) return;
  const seconds = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  left.textContent = `(${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left)`;
}

setInterval(show, 1000);
document.addEventListener("keydown", move);
document.addEventListener("pointerdown", () => (usesKeys = false));
by("forced").checked = localStorage.getItem(MUST) === "1";
by("forced").addEventListener("change", (event) => {
  localStorage.setItem(MUST, event.target.checked ? "1" : "0");
  if (deadline) askAgain();
});
by("leave").addEventListener("click", () => confirm("Give this match up? It counts as a loss.") && post("/play/leave", {}));
by("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const deals = by("deals").value === "" ? null : Number(by("deals").value);
  post("/play/table", { game: by("game").value, deals, bot: by("bot").value });
});

by("return").addEventListener("click", () => post("/play/return", {}));
by("stop").addEventListener("click", () => post("/play/leave", {}));
by("bot").addEventListener("change", lengths);

// At an open table the referee says how long a match is.
function lengths() {
  by("deals").disabled = by("bot").value === "";
}

lengths();

const handlers = {
  waiting: ({ game }) => {
    by("new").hidden = true;
    by("waiting").hidden = false;
    by("waiting").firstChild.textContent = `Waiting for others who play ${game}.`;
  },
  free: ({ why, seated }) => {
    by("waiting").hidden = true;
    by("new").hidden = seated; // a match goes on without its session
    by("return").hidden = !seated;
    by("leave").hidden = !seated;
    clear();
    if (why) by("status").textContent = why;
  },
  table: (data) => {
    by("new").hidden = true;
    by("waiting").hidden = true;
    by("return").hidden = true;
    by("status").textContent = "";
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
};

listen("/play/events", handlers, { tell, whileHidden: true });
