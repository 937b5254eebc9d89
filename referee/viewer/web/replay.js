// Steps through a match: its controls, its keys, and what is told of each step.

import { cardWords } from "./cards.js";
import { expand, withNames } from "./frames.js";
import { fromRecord, readText, unpacked } from "./record.js";
import { drawTable, make, seconds } from "./table.js";

const by = (id) => document.getElementById(id);
const write = (id, text) => by(id) && (by(id).textContent = text); // a site says these things in its own words
const STEP = 1200; // milliseconds at normal speed

// Shows the match of `data`; whatever is shown before is left behind.
class Replay {
  constructor(given) {
    const data = withNames(given);
    this.data = data;
    this.frames = expand(data);
    this.at = 0;
    this.seat = null;
    this.timer = null;
    write("title", data.title);
    if (by("title")) document.title = `${data.title}: ${data.entries.join(", ")}`;
    write("match", `${data.match_id}, attempt ${data.attempt}, ${data.started}`);
    write("outcome", outcomeText(data));
    by("place").max = Math.max(0, this.frames.length - 1);
    this.fill("seat", [["", "whole table"], ...data.entries.map((entry, seat) => [seat, `seat ${seat}: ${entry}`])]);
    const deals = this.frames.flatMap((frame, at) => (frame.isNewDeal ? [[at, `deal ${frame.deal}`]] : []));
    this.fill("deal", deals);
    this.tell();
    this.go(linked() ?? deals[0]?.[0] ?? 0);
  }

  fill(id, choices) {
    by(id).replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  }

  tell() {
    this.told = this.frames.map((frame, at) => {
      const item = make("li", "", make("span", "time", seconds(frame.at)), make("pre", "", frame.text.join("\n").replace(/^\n+/, "")));
      item.addEventListener("click", () => this.go(at));
      item.hidden = !frame.text.join("").trim();
      return item;
    });
    by("told").replaceChildren(...this.told);
  }

  go(at) {
    if (!this.frames.length) return;
    this.told[this.at]?.removeAttribute("aria-current");
    this.at = Math.min(Math.max(at, 0), this.frames.length - 1);
    const frame = this.frames[this.at];
    const { scores, facts } = drawTable(by("table"), this.data, frame, this.seat);
    by("beside").replaceChildren(scores, facts);
    by("place").value = this.at;
    by("count").textContent = `${this.at + 1} of ${this.frames.length}`;
    history.replaceState(null, "", `#step-${this.at + 1}`);
    const deals = [...by("deal").options].filter((option) => Number(option.value) <= this.at);
    by("deal").value = deals.at(-1)?.value ?? by("deal").options[0]?.value ?? "";
    const told = this.told[this.at];
    told.setAttribute("aria-current", "step");
    by("told").scrollTop = told.offsetTop - by("told").clientHeight / 2;
    if (this.at === this.frames.length - 1) this.stop();
    // while it plays by itself, nobody could listen to all of it
    by("now").textContent = this.timer ? "" : frame.text.join(" ").trim() || lastCard(this.data, frame);
  }

  step(steps) {
    this.go(this.at + steps);
  }

  play() {
    if (this.timer) return this.stop();
    if (this.at === this.frames.length - 1) this.go(0);
    by("play").textContent = "Pause";
    this.timer = setInterval(() => this.step(1), STEP / Number(by("speed").value));
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    by("play").textContent = "Play";
  }

  look(seat) {
    this.seat = seat;
    this.go(this.at);
  }
}

// The address names the step, so that it can be shown to others.
function linked() {
  const step = location.hash.match(/^#step-([0-9]{1,6})$/);
  return step ? Number(step[1]) - 1 : null;
}

function lastCard(data, { public: { trick, tricks }, deal }) {
  const last = trick ?? tricks?.at(-1);
  return last ? `deal ${deal}: ${cardWords(last.cards.at(-1))}` : "";
}

function outcomeText({ outcome, sides, entries }) {
  if (!outcome) return "not over";
  if (!outcome.ranks.length) return `${outcome.termination}: no result`;
  const order = sides.map((_, side) => side).sort((one, other) => outcome.ranks[one] - outcome.ranks[other]);
  const line = (side) => `${outcome.ranks[side]}. ${sides[side].map((seat) => entries[seat]).join(" + ")} (${outcome.scores[side] ?? "-"})`;
  return `${outcome.termination}: ${order.map(line).join(", ")}`;
}

let replay = null;

function show(data) {
  replay?.stop();
  by("problem").hidden = true;
  by("viewer").hidden = false;
  replay = new Replay(data);
}

async function open(file) {
  try {
    show(fromRecord(await readText(file)));
  } catch (error) {
    fail(new Error(`${file.name}: ${error.message}`));
  }
}

function fail(error) {
  by("problem").textContent = error.message;
  by("problem").hidden = false;
}

const KEYS = {
  ArrowRight: () => replay.step(1),
  ArrowLeft: () => replay.step(-1),
  Home: () => replay.go(0),
  End: () => replay.go(Infinity),
  " ": () => replay.play(),
};

function listen() {
  by("first").addEventListener("click", () => replay.go(0));
  by("back").addEventListener("click", () => replay.step(-1));
  by("play").addEventListener("click", () => replay.play());
  by("next").addEventListener("click", () => replay.step(1));
  by("last").addEventListener("click", () => replay.go(Infinity));
  by("place").addEventListener("input", (event) => replay.go(Number(event.target.value)));
  by("deal").addEventListener("change", (event) => replay.go(Number(event.target.value)));
  by("seat").addEventListener("change", (event) => replay.look(event.target.value === "" ? null : Number(event.target.value)));
  by("speed").addEventListener("change", () => replay.timer && (replay.stop(), replay.play()));
  document.addEventListener("keydown", press);
  if (!by("file")) return;
  by("file").addEventListener("change", (event) => event.target.files[0] && open(event.target.files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  });
}

function press(event) {
  const isOwn = event.target.closest("select, input, button, a, summary, .scroll"); // which has keys of its own
  if (!replay || !KEYS[event.key] || isOwn || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
}

listen();
const within = by("data");
if (within?.type === "application/json") show(JSON.parse(within.textContent));
else if (within) unpacked(within.textContent).then(show, fail);
