// A table to watch, as the public may see it.

import { Board, by, tell } from "./shared.js";
import { listen } from "./streams.js";

const board = new Board();
const handlers = {
  table: (data) => board.begin(data),
  step: (step) => board.step(step),
  end: (outcome, stop) => {
    stop();
    board.end(outcome);
  },
  refused: ({ text }, stop) => {
    stop();
    by("status").textContent = text;
  },
};

listen(`${location.pathname}/events`, handlers, { tell });
