"""What both spades games have in common."""

from collections.abc import Sequence

from fairdeal.cards import Suit
from fairdeal.events import BidMade
from fairdeal.updates import Seated
from fairdeal.words._frame import Places, Question
from fairdeal.words._names import Names


def play_rules(names: Names) -> str:
    """Return how tricks are played, after who leads."""
    spades = names.suit(Suit.SPADES)
    return (
        "A player who has a card of the suit led must play one; else it may play any card. The highest card"
        f" of {spades} takes the trick, without one the highest card of the suit led."
        f" {names.broken(Suit.SPADES, True)} as soon as a card of {spades} has been played to a trick in"
        f" which another suit was led. Before that no card of {spades} may be led, unless the leader holds"
        " nothing else."
    )


def bag_rules(match: Seated) -> str:
    """Return what bags cost, and what the tricks of a failed nil count."""
    options = match.options
    failed = {
        "bags_and_points": "Each trick of a failed nil counts 1 point and is a bag too.",
        "bags_only": "Each trick of a failed nil is a bag too, but counts no point.",
        "nothing": "The tricks of a failed nil count nothing and are no bags.",
    }[str(options["failed_nil_tricks"])]
    return (
        f"{failed} Bags are counted from deal to deal: each full {options['bag_limit']} of them cost"
        f" {options['bag_penalty']} points, and the rest is carried on."
    )


def bids(made: Sequence[BidMade], places: Places) -> list[str]:
    """Return the line on the bids, none before the first."""
    if not made:
        return []
    told = [f"{places[bid.seat]} {_bid(bid)}" for bid in made]
    return [f"Bids, in order: {', '.join(told)}."]


def _bid(bid: BidMade) -> str:
    if bid.blind:
        return "blind nil"
    return f"{bid.tricks}" if bid.tricks else "0 (nil)"


def bid_question() -> Question:
    """Return the question for a bid."""
    text = "Bid the number of tricks that you want to take, from 0 to 13; 0 is nil."
    return Question(text, "the number")
