/** The bot `random`: any legal answer, all equally likely. It plays every game. */

import { index, type PlainAnswer } from "./answers.js";
import type { Decision } from "./decision.js";

/** Return one of the legal answers, drawn from the decision's generator. */
export function randomAnswer({ legal, chance }: Decision): PlainAnswer {
  switch (legal.kind?.$case) {
    case "chooseCards": {
      const { cards, minimum, maximum } = legal.kind.value;
      return chance.choose(cards, minimum, maximum);
    }
    case "chooseCombinations": {
      const { combinations, minimum, maximum } = legal.kind.value;
      return chance.choose(combinations, minimum, maximum);
    }
    default:
      return index(chance.draw(legal.kind?.value.actions.length ?? 0));
  }
}
