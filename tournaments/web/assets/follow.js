// A page of results: when there is something new its content is fetched again and put in its place. What the
// reader has done to it stays: what is searched, sorted, opened and scrolled, and where the focus is.

import { notice, present, renewing } from "./streams.js";

const SAID = 30_000; // milliseconds between two times that those who do not see the page are told of news
const content = () => document.getElementById("content");
const all = (marks) => [...content().querySelectorAll(marks)];
const news = document.createElement("p");
let shown = content().innerHTML; // before the script of the tables, which comes later, adds anything to it
let saidAt = -Infinity;

async function renew() {
  const page = await present();
  const next = page?.getElementById("content");
  if (!next || next.innerHTML === shown || document.getElementById("viewer")) return; // a replay is left as it is
  if (page.getElementById("viewer")) {
    location.reload(); // with the scripts of a replay
    return;
  }
  const put = kept();
  shown = next.innerHTML;
  content().replaceWith(document.adoptNode(next));
  document.title = page.title;
  document.dispatchEvent(new Event("content"));
  put();
  say();
}

// Returns a function that puts the content in the state in which the content before it was.
function kept() {
  const sorted = all("th[aria-sort]").map((each) => [named(each), each.getAttribute("aria-sort")]);
  const searched = content().querySelector("input[type=search]")?.value;
  const opened = all("details").map((each) => each.open);
  const scrolled = all(".scroll").map((each) => [each.scrollLeft, each.scrollTop]);
  const focused = content().contains(document.activeElement) && named(document.activeElement);
  return () => {
    for (const [name, order] of sorted) {
      const button = found(name)?.querySelector("button");
      button?.click();
      if (order === "descending") button?.click();
    }
    const input = content().querySelector("input[type=search]");
    if (input && searched) {
      input.value = searched;
      input.dispatchEvent(new Event("input"));
    }
    all("details").forEach((each, place) => (each.open = opened[place]));
    all(".scroll").forEach((each, place) => each.scrollTo(...(scrolled[place] ?? [0, 0])));
    if (focused) found(focused)?.focus({ preventScroll: true });
  };
}

// Names an element by what it is called and by its place among those of the same name.
function named(element) {
  const name = nameOf(element);
  return [element.localName, name, namesakes(element.localName, name).indexOf(element)];
}

const nameOf = (element) => element.getAttribute("href") ?? element.getAttribute("aria-label") ?? element.textContent;
const namesakes = (kind, name) => all(kind).filter((each) => nameOf(each) === name);
const found = ([kind, name, place]) => namesakes(kind, name)[place];

function say() {
  if (Date.now() - saidAt < SAID) return;
  saidAt = Date.now();
  news.textContent = `There are new results: ${new Date().toLocaleTimeString()}.`;
}

news.className = "unseen";
news.setAttribute("role", "status");
document.querySelector("header").append(news);
const tell = notice(
  "The server does not answer; trying again. Pages that a run serves end with it: fairdeal tournament export writes them as files, which stay.",
);
renewing(`${location.pathname.match(/^\/(results|tournaments\/[^/]+)\//)[0]}events`, renew, tell);
