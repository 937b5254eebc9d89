// A table to watch, as the public may see it.

import { Board, by, listen } from "./shared.js";

const board = new Board();

listen(`${location.pathname}/events`, {
  table: (data) => board.begin(data),
  step: (step) => board.step(step),
  end: (outcome, source) => {
    source.close();
    board.end(outcome);
  },
  refused: ({ text }, source) => {
    source.close();
    by("status").textContent = text;
  },
});
