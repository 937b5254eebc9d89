// The list of tables, which is fetched again when matches begin or end.

import { by } from "./shared.js";

let isDue = false;
let isFetching = false;

// Fetches the list, one answer at a time, so that an older one never replaces a newer.
async function renew() {
  isDue = true;
  if (isFetching) return;
  isFetching = true;
  while (isDue) {
    isDue = false;
    await fetched().catch(() => {}); // without a connection; its stream begins again and tells of a change
  }
  isFetching = false;
}

async function fetched() {
  const response = await fetch(location.pathname);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  by("tables").replaceWith(document.adoptNode(page.getElementById("tables")));
}

new EventSource("/events").addEventListener("changed", renew);
