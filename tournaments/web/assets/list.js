// The list of tables, or of tournaments, which is fetched again when matches begin or end.

import { notice, present, renewing } from "./streams.js";

const by = (place, id) => place.getElementById(id);

async function renew() {
  const page = await present();
  if (!page) return;
  const focused = document.activeElement.getAttribute("href");
  by(document, "tables").replaceWith(document.adoptNode(by(page, "tables")));
  document.dispatchEvent(new Event("content"));
  document.querySelector(`#tables a[href="${CSS.escape(focused ?? "")}"]`)?.focus();
  const [count, now] = [by(document, "count"), by(page, "count").textContent];
  if (count.textContent !== now) count.textContent = now; // which is read aloud
}

renewing("/events", renew, notice("The server does not answer; trying again."));
