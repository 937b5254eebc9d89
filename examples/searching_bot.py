"""A bot that searches its plays, run as `python examples/searching_bot.py [HOST:PORT]`."""

import sys
from math import sqrt
from statistics import fmean, pstdev

import fairdeal
from fairdeal import bots, model

DEALS = 100
CAUTION = 3  # standard errors
GREEDY = bots.make("greedy")


def gain(decision: fairdeal.Decision, points: tuple[int, ...]) -> float:
    """Return how far the bot's side is ahead of the others; in hearts few points are good."""
    mine = points[decision.match.side or 0]
    ahead = mine - (sum(points) - mine) / (len(points) - 1)
    return -ahead if decision.match.game == "hearts" else ahead


def act(decision: fairdeal.Decision) -> fairdeal.Answer:
    """Play as greedy does, unless another card is clearly better when possible deals are played out."""
    usual, legal = GREEDY.act(decision), decision.legal
    cards = [each.card for each in getattr(legal, "actions", ()) if isinstance(each, fairdeal.PlayCard)]
    if len(cards) < 2:
        return usual
    gains: dict[object, list[float]] = {card: [] for card in cards}
    for deal in model.worlds(decision, DEALS):
        for card in cards:
            after = deal.copy()
            after.apply(card)
            gains[card].append(gain(decision, after.play_out(decision.chance.draw)))
    best = max(cards, key=lambda card: fmean(gains[card]))
    more = [one - other for one, other in zip(gains[best], gains[usual], strict=True)]
    return best if fmean(more) > CAUTION * pstdev(more) / sqrt(DEALS) else usual


if __name__ == "__main__":
    fairdeal.main(act, *sys.argv[1:2])
