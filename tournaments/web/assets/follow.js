// A page of results: when there is something new its content is fetched again and put in its place.

import { present, renewing } from "./streams.js";

let hadFocus = null;

async function renew() {
  const page = await present();
  const content = document.getElementById("content");
  const next = page?.getElementById("content");
  if (!next || document.getElementById("viewer")) return; // a replay is left as it is
  if (page.getElementById("viewer")) {
    location.reload(); // with the scripts of a replay
    return;
  }
  const searched = content.querySelector("input[type=search]");
  const sorted = content.querySelector("#standings [aria-sort]");
  content.replaceWith(document.adoptNode(next));
  document.title = page.title;
  await enhanced();
  if (sorted) sort(sorted.cellIndex, sorted.getAttribute("aria-sort"));
  if (searched) search(searched);
}

// Makes the tables sortable, as when the page is loaded.
function enhanced() {
  const known = document.querySelector('script[src$="assets/tables.js"]');
  const script = document.createElement("script");
  script.src = known.src;
  known.replaceWith(script);
  return new Promise((done) => (script.onload = script.onerror = done));
}

function sort(column, order) {
  const button = document.querySelectorAll("#standings thead th")[column]?.querySelector("button");
  button?.click();
  if (order === "descending") button?.click();
}

function search(before) {
  const input = document.querySelector("input[type=search]");
  if (!input) return;
  input.value = before.value;
  input.dispatchEvent(new Event("input"));
  if (before === hadFocus) input.focus();
}

document.addEventListener("focusin", (event) => (hadFocus = event.target));
renewing(`${location.pathname.match(/^\/(results|tournaments\/[^/]+)\//)[0]}events`, renew);
