// A table that is drawn as its steps come: what the pages to watch and to play have in common.

import { withNames } from "./frames.js";
import { drawTable, make } from "./table.js";

export const by = (id) => document.getElementById(id);

const SAID = 8; // lines that are read aloud at once
const PAUSE = 1500; // milliseconds between them

export class Board {
  unsaid = [];
  pause = null;

  // Begins a match; what was shown before is left behind.
  begin(given) {
    const data = withNames(given);
    this.data = data;
    this.last = null;
    this.played = 0;
    by("title").textContent = data.title;
    document.title = `${data.title}: ${data.entries.join(", ")}`;
    by("match").textContent = data.match_id;
    by("outcome").textContent = "";
    by("table").replaceChildren();
    by("beside").replaceChildren();
    by("told").replaceChildren();
  }

  // Draws a step as the seat of the page sees it, or the public.
  step(step) {
    const asked = Object.fromEntries(Object.entries(step.asked).map(([seat, each]) => [Number(seat), each]));
    this.last = { ...step, asked };
    const frame = { public: step.view, seats: this.data.entries.map(() => ({})), asked, thought: {} };
    const { scores, facts } = drawTable(by("table"), this.data, frame, this.data.seat);
    by("beside").replaceChildren(scores, facts);
    this.tell(step.text);
    this.say(this.news(step));
  }

  // Says something to those who do not see the table; of what comes faster than it can be heard, the last.
  say(text) {
    if (text) this.unsaid = [...this.unsaid, text].slice(-SAID);
    if (!this.unsaid.length || this.pause) return;
    by("now").append(make("p", "", this.unsaid.join("; ")));
    while (by("now").children.length > SAID) by("now").firstChild.remove();
    this.unsaid = [];
    this.pause = setTimeout(() => {
      this.pause = null;
      this.say();
    }, PAUSE);
  }

  // Returns the cards that were played since the step before, and who took them; else what was told.
  news({ view, text }) {
    const count = [...(view.tricks ?? []), view.trick].reduce((sum, trick) => sum + (trick?.cards.length ?? 0), 0);
    const more = count - this.played;
    this.played = count;
    if (more <= 0) return text.join(" ").trim();
    const played = [...by("table").querySelectorAll(".played")].slice(-more).map((each) => each.title);
    const won = by("table").querySelector(".won");
    return [...played, ...(won ? [`taken by ${won.title.slice(0, won.title.lastIndexOf(":"))}`] : [])].join("; ");
  }

  tell(lines) {
    if (!lines.join("").trim()) return;
    const log = by("told");
    log.append(make("li", "", make("span", "time", ""), make("pre", "", lines.join("\n").replace(/^\n+/, ""))));
    while (log.children.length > 400) log.firstChild.remove();
    log.scrollTop = log.scrollHeight;
  }

  end(outcome) {
    const replay = make("a", "", "Replay it");
    replay.href = `/matches/${encodeURIComponent(this.data.match_id)}`;
    by("outcome").replaceChildren(`${outcomeText(outcome, this.data)} `, replay);
  }
}

function outcomeText({ termination, ranks, scores }, { sides, entries }) {
  if (!ranks.length) return `${termination}: no result`;
  const order = sides.map((_, side) => side).sort((one, other) => ranks[one] - ranks[other]);
  const line = (side) => `${ranks[side]}. ${sides[side].map((seat) => entries[seat]).join(" + ")} (${scores[side] ?? "-"})`;
  return `${termination}: ${order.map(line).join(", ")}`;
}

// Says what has become of the connection.
export function tell(what) {
  if (what === "open") by("status").textContent = "";
  if (what === "lost") by("status").textContent = "The connection is lost; trying again.";
  if (what !== "refused") return;
  const again = make("a", "", "look again");
  again.href = location.pathname;
  by("status").replaceChildren("The table cannot be shown: it is over, or is not shown yet: ", again, ".");
}
