"""Two-handed spades in words."""

from typing import Final

from fairdeal.cards import Rank, Suit
from fairdeal.updates import Decision, Seated
from fairdeal.views import TwoHandedSpadesPhase, TwoHandedSpadesView
from fairdeal.words._frame import Places, Question, card_question, end_of_match, hand, tricks
from fairdeal.words._names import Names
from fairdeal.words._spades import bag_rules, bid_question, bids, play_rules

RULES_VERSION: Final = 1
OPTIONS: Final = frozenset(
    {"target", "nil_points", "bag_limit", "bag_penalty", "failed_nil_tricks", "max_deals"}
)
LOWEST: Final = Rank.TWO
TITLE: Final = "Two-handed spades"


def rules(match: Seated, names: Names) -> list[str]:
    """Return the rules of a match, a paragraph each."""
    options = match.options
    return [
        "Two players: you and the opponent. The higher score wins.",
        f"{names.title(Suit.SPADES)} are always trump. Nobody deals: the shuffled pack lies face down as the"
        " stock. One player goes first: it drafts, bids and leads first. In the next deal the other does.",
        "The draft: the players take turns, thirteen each. A turn uses the two top cards of the stock. The"
        " player looks at the first and keeps or refuses it without knowing the second. If it keeps the"
        " first, it looks at the second and discards it. If it refuses the first, that is discarded and the"
        " second is its own, whatever it is. In the end each has thirteen cards and has discarded thirteen."
        " The opponent sees whether a card was kept or refused, but not the cards.",
        "Bids: each player bids once, 0 to 13 tricks. A bid of 0 is nil: to take no trick.",
        "Play: thirteen tricks of two cards. Who goes first leads first, then the winner of the last trick."
        f" {play_rules(names)}",
        "Scores: a bid of one or more is made if its player takes as many tricks. Then it scores 10 points"
        " for each trick bid, and 1 for each trick over it, which is a bag. If it is not made, 10 points"
        f" for each trick bid are lost. A nil wins {options['nil_points']} points if its player takes no"
        f" trick, and loses them otherwise. {bag_rules(match)}",
        end_of_match(
            match,
            f"The game ends after a deal in which a score is {options['target']} or more and the scores"
            f" differ; the higher one wins. After {options['max_deals']} deals without an end the higher"
            " score wins, equal scores draw.",
        ),
    ]


def situation(view: TwoHandedSpadesView, places: Places, names: Names) -> list[str]:
    """Return what the seat knows, a line each."""
    lines = [
        f"Deal {view.deal}. Going first: {places[view.first]}.",
        f"Scores before this deal: {places.by_seat(view.scores)}.",
        f"Bags before this deal: {places.by_seat(view.bags)}.",
    ]
    if view.choices:
        lines += _draft(view, places)
    if view.discarded:
        lines.append(f"Cards that you discarded: {names.cards(view.discarded)}.")
    lines += bids(view.bids, places)
    if view.phase is TwoHandedSpadesPhase.PLAY:
        lines.append(f"Tricks taken: {places.by_seat(view.taken)}.")
        lines.append(f"{names.broken(Suit.SPADES, view.spades_broken)}.")
        lines += tricks(view.tricks, view.trick, lambda trick: places.trick(trick, names), leads=True)
    lines.append(hand(view.hand, names))
    return lines


def _draft(view: TwoHandedSpadesView, places: Places) -> list[str]:
    """Return what each player did with the cards that it looked at, in order."""
    told = []
    for turn, seat in enumerate((view.first, 1 - view.first)):
        if made := view.choices[turn::2]:
            told.append(f"{places[seat]} {' '.join(choice.name.lower() for choice in made)}")
    return [f"The choices in the draft, in order: {'; '.join(told)}."]


def question(view: TwoHandedSpadesView, decision: Decision, names: Names) -> Question:
    """Return what is asked."""
    match view.phase:
        case TwoHandedSpadesPhase.DRAFT:
            offered = names.card(view.offered) if view.offered else ""
            return Question(f"You look at {offered}. Keep it or refuse it.", '"keep" or "refuse"')
        case TwoHandedSpadesPhase.BID:
            return bid_question()
    return card_question(names)
