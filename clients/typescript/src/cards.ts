/** What a card's number says: clubs, diamonds, hearts, spades, each from two to ace. */

import { Card, type Rank, type Suit } from "./v1.js";

const RANKS = 13;

/** Return a card's rank, which counts from two = 1 to ace = 13. */
export function rankOf(card: Card): Rank {
  return ((card - Card.TWO_OF_CLUBS) % RANKS) + 1;
}

/** Return a card's suit. */
export function suitOf(card: Card): Suit {
  return Math.floor((card - Card.TWO_OF_CLUBS) / RANKS) + 1;
}
