"""Partnership spades in words."""

from typing import Final

from fairdeal.cards import Rank, Suit
from fairdeal.updates import Decision, Seated
from fairdeal.views import SpadesPhase, SpadesView
from fairdeal.words._frame import Places, Question, card_question, end_of_match, hand, tricks
from fairdeal.words._names import Names
from fairdeal.words._spades import bag_rules, bid_question, bids, play_rules

RULES_VERSION: Final = 1
OPTIONS: Final = frozenset(
    {
        "target",
        "floor",
        "blind_nil_gap",
        "nil_points",
        "blind_nil_points",
        "bag_limit",
        "bag_penalty",
        "failed_nil_tricks",
        "max_deals",
    }
)
LOWEST: Final = Rank.TWO
TITLE: Final = "Spades"


def rules(match: Seated, names: Names) -> list[str]:
    """Return the rules of a match, a paragraph each."""
    options = match.options
    return [
        "Four players, clockwise: you, left, partner, right. You and your partner are one side, left and"
        " right the other. Scores belong to a side; the higher score wins.",
        f"Each player has thirteen cards. {names.title(Suit.SPADES)} are always trump. After each deal the"
        " player on the dealer's left deals.",
        "Bids: the dealer first, then clockwise, each player bids once, 0 to 13 tricks. A bid of 0 is nil:"
        " to take no trick. The bids of two partners together are the contract of their side.",
        f"Blind nil: if at the start of a deal a side is {options['blind_nil_gap']} points or more behind,"
        " its players do not see their cards until it is their turn to bid. Then each bids nil without"
        " having seen its cards, or looks at them and bids as usual.",
        "Play: thirteen tricks, clockwise. The dealer leads first, then the winner of the last trick."
        f" {play_rules(names)}",
        "Scores of a side: its contract is made if the tricks of those of its players who did not bid nil"
        " reach it. Then it scores 10 points for each trick of the contract, and 1 for each trick over it,"
        " which is a bag. If the contract is not made, it loses 10 points for each trick of the contract.",
        f"Each nil counts for itself: {options['nil_points']} points are won if its player takes no trick,"
        f" and lost otherwise; {options['blind_nil_points']} for a blind nil. {bag_rules(match)}",
        end_of_match(
            match,
            f"The game ends after a deal in which a score is {options['target']} or more, or"
            f" {options['floor']} or less. The higher score wins, equal scores draw. After"
            f" {options['max_deals']} deals without an end the scores decide in the same way.",
        ),
    ]


def situation(view: SpadesView, places: Places, names: Names) -> list[str]:
    """Return what the seat knows, a line each."""
    lines = [
        f"Deal {view.deal}. The dealer: {places[view.dealer]}.",
        f"Scores before this deal: {places.by_side(view.scores)}.",
        f"Bags before this deal: {places.by_side(view.bags)}.",
    ]
    for side in view.blind_sides:
        who = "Your side" if side % 2 == places.seat % 2 else "The other side"
        lines.append(f"{who} may bid blind nil in this deal.")
    if view.looked:
        lines.append(f"Looked instead of bidding blind: {', '.join(places[seat] for seat in view.looked)}.")
    lines += bids(view.bids, places)
    if view.phase is SpadesPhase.PLAY:
        lines.append(f"Tricks taken: {places.by_seat(view.taken)}.")
        lines.append(f"{names.broken(Suit.SPADES, view.spades_broken)}.")
        lines += tricks(view.tricks, view.trick, lambda trick: places.trick(trick, names), leads=True)
    if view.phase is SpadesPhase.BLIND:
        lines.append("You have not seen your cards.")
    else:
        lines.append(hand(view.hand, names))
    return lines


def question(view: SpadesView, decision: Decision, names: Names) -> Question:
    """Return what is asked."""
    match view.phase:
        case SpadesPhase.BLIND:
            text = "Bid nil without having seen your cards, or look at them and bid then."
            return Question(text, '"nil" or "look"')
        case SpadesPhase.BID:
            return bid_question()
    return card_question(names)
