"""American hearts in words."""

from typing import Final

from fairdeal.cards import Rank, Suit
from fairdeal.events import PassDirection
from fairdeal.updates import Decision, Seated
from fairdeal.views import HeartsPhase, HeartsView
from fairdeal.words._frame import Places, Question, card_question, end_of_match, hand, tricks
from fairdeal.words._names import Names

RULES_VERSION: Final = 1
OPTIONS: Final = frozenset({"target", "jack_of_diamonds", "any_heart_breaks", "moon", "max_deals"})
LOWEST: Final = Rank.TWO
TITLE: Final = "American hearts"


def rules(match: Seated, names: Names) -> list[str]:
    """Return the rules of a match, a paragraph each."""
    options = match.options
    hearts, queen = names.suit(Suit.HEARTS), names.named("QS")
    broken_by = "in any way" if options["any_heart_breaks"] else "to a trick in which another suit was led"
    jack = (
        f" Whoever takes {names.named('JD')} has 10 points taken off." if options["jack_of_diamonds"] else ""
    )
    return [
        "Four players, each for itself, clockwise: you, left, across, right. Points are bad: the lowest"
        " total wins.",
        "Each player has thirteen cards. There are no trumps.",
        "The pass: in the first deal each player passes three cards to the left, in the second to the"
        " right, in the third across, in the fourth none, and so on in turn. Any three of the cards dealt"
        " may be passed. All choose at the same time, and the cards change hands when all have chosen.",
        "Play: thirteen tricks, clockwise. The highest card of the suit led takes the trick and its player"
        " leads the next.",
        f"Whoever holds {names.named('2C')} after the pass must lead it to the first trick. A player who has"
        " a card of the suit led must play one; else it may play any card, with one exception: to the first"
        f" trick it may play neither {_a(hearts)} nor {queen} unless it holds nothing else.",
        f"{names.broken(Suit.HEARTS, True)} as soon as a card of {hearts} has been played {broken_by}, or"
        f" {queen} in any way. Before that no card of {hearts} may be led, unless the leader holds nothing"
        f" but {hearts} and {queen}. {names.card_title('QS')} may be led at any time.",
        f"Scores: each card of {hearts} taken counts 1 point, {queen} 13, together 26.{jack}",
        f"The moon: a player who takes all thirteen cards of {hearts} and {queen} in one deal does not score"
        f" these 26 points. {_moon(str(options['moon']))}",
        end_of_match(
            match,
            f"The game ends after a deal in which some total is {options['target']} or more. The lowest"
            f" total wins; players who share it draw. After {options['max_deals']} deals without an end the"
            " totals decide in the same way.",
            best="lowest",
            of="total",
        ),
    ]


def _a(suit: str) -> str:
    return f"a card of {suit}"


def _moon(option: str) -> str:
    subtract = "26 points are taken off its own total"
    add = "26 points are added to the total of each other player"
    if option == "choose":
        return f"After the last trick it chooses: either {subtract}, or {add}."
    return f"Instead {subtract if option == 'subtract' else add}."


def situation(view: HeartsView, places: Places, names: Names) -> list[str]:
    """Return what the seat knows, a line each."""
    lines = [
        f"Deal {view.deal}. {_pass(view.direction)}",
        f"Totals before this deal: {places.by_seat(view.totals)}.",
    ]
    if view.passed:
        lines.append(f"You passed {names.cards(view.passed)} and received {names.cards(view.received)}.")
    if view.phase is not HeartsPhase.PASS:
        lines.append(f"Points taken in this deal: {places.by_seat(view.points)}.")
    if view.phase is HeartsPhase.PLAY:
        lines.append(f"{names.broken(Suit.HEARTS, view.hearts_broken)}.")
    leads = view.phase is HeartsPhase.PLAY
    lines += tricks(view.tricks, view.trick, lambda trick: places.trick(trick, names), leads=leads)
    if view.phase is not HeartsPhase.MOON:
        lines.append(hand(view.hand, names))
    return lines


def _pass(direction: PassDirection) -> str:
    if direction is PassDirection.NONE:
        return "No cards are passed in it."
    where = direction.name.lower()
    return f"Three cards are passed {where if direction is PassDirection.ACROSS else f'to the {where}'}."


def question(view: HeartsView, decision: Decision, names: Names) -> Question:
    """Return what is asked."""
    match view.phase:
        case HeartsPhase.PASS:
            return Question("Choose three cards of your hand to pass.", "a list of the three cards")
        case HeartsPhase.MOON:
            return Question(
                "You have shot the moon. Subtract 26 points from your own total, or add 26 to the total of"
                " each other player.",
                '"subtract" or "add"',
            )
    return card_question(names)
