#!/usr/bin/env node
/** The bot `random` from a terminal; exit status 0, 1 when the session failed, 2 for a wrong setting. */

import { randomBytes } from "node:crypto";

import { HELP, parse } from "../arguments.js";
import { randomAnswer } from "../random.js";
import { asProgram, run } from "../run.js";
import type { Bot } from "../player.js";
import { Termination } from "../v1.js";

const NAME = "fairdeal-random-bot";

/** The bot random that says what it plays. */
const TELLING: Bot = {
  act: randomAnswer,
  onSeated({ id, game, seat, seated: { entries } }) {
    console.log(`${id}: ${game}, seat ${seat}${entries.length > 0 ? ` with ${entries.join(", ")}` : ""}`);
  },
  onFinished({ id }, { termination, scores }) {
    const name = (Termination[termination] ?? "unknown").toLowerCase();
    console.log(`${id}: ${name}${scores.length > 0 ? `, scores by side: ${scores.join(", ")}` : ""}`);
  },
};

await asProgram(NAME, async () => {
  const options = parse(process.argv.slice(2), process.env, () => randomBytes(4).toString("hex"));
  if (!options) {
    process.stdout.write(HELP);
    return;
  }
  await run(options.address === undefined ? randomAnswer : TELLING, options);
});
