/** Write card-game bots for fairdeal referees; see README.md. */

export {
  bid,
  chooseCards,
  chooseCombinations,
  declare,
  index,
  noted,
  playCard,
  type Answer,
  type Noted,
  type PlainAnswer,
} from "./answers.js";
export { rankOf, suitOf } from "./cards.js";
export { Chance } from "./chance.js";
export { type Decision, type Match } from "./decision.js";
export {
  BadAnswer,
  BadSetting,
  CannotConnect,
  ConnectionLost,
  FairdealError,
  ProtocolError,
  Rejected,
  Replaced,
} from "./errors.js";
export type { AnyBot, Bot } from "./player.js";
export { randomAnswer } from "./random.js";
export { main, run } from "./run.js";
export type { Options, RunOptions } from "./settings.js";
export { Card, Rank, Seat, Suit, type Action, type Combination } from "./v1.js";
export * as v1 from "./v1.js";
