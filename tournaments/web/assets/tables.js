// The list of tables, which is fetched again when matches begin or end.

import { present, renewing } from "./streams.js";

renewing("/events", async () => {
  const page = await present();
  if (page) document.getElementById("tables").replaceWith(document.adoptNode(page.getElementById("tables")));
});
