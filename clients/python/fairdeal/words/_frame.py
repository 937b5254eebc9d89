"""What the texts of all games have in common: seats by place, hands, tricks, answers."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from fairdeal.actions import (
    Bid,
    ChooseCards,
    ChooseCombinations,
    Declare,
    LegalActions,
    LegalChoice,
    OtherAction,
    PlayCard,
    TrumpCall,
)
from fairdeal.cards import Card, Cards, Suit
from fairdeal.combinations import Combination, PointCombination, SequenceCombination
from fairdeal.errors import FairdealError
from fairdeal.updates import Decision, Seated
from fairdeal.views import Trick
from fairdeal.words._names import Names

JsonValue = str | int | list[str] | list[list[str]]


class NoWords(FairdealError):
    """There are no words for this game, or for these rules of it."""


HOW_TO_REPLY: Final = 'Reply with one JSON object, {"action": ...}.'
HOW_TO_ANSWER: Final = (
    'You may think first. End your reply with one JSON object that has the key "action". The last JSON object'
    " of the reply counts, and nothing else in it is read. A card is a string, several cards are a list of"
    " strings, a number of tricks is a number, a word is a string."
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: ``text`` in words, and ``form``, what the value of "action" is."""

    text: str
    form: str


@dataclass(frozen=True, slots=True)
class Places:
    """The seats as one of them calls them."""

    seat: int
    names: tuple[str, ...]
    sides: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, match: Seated) -> "Places":
        """Return the places of a match as its seat calls them."""
        seats = sum(map(len, match.sides))
        opposite = "partner" if len(match.sides) < seats else "across"
        around = ("you", "opponent") if seats == 2 else ("you", "left", opposite, "right")
        names = [around[(seat - match.seat) % seats] for seat in range(seats)]
        return cls(match.seat, tuple(names), match.sides)

    def __getitem__(self, seat: int) -> str:
        return self.names[seat]

    @property
    def around(self) -> tuple[int, ...]:
        """Return the seats clockwise from one's own."""
        return tuple((self.seat + each) % len(self.names) for each in range(len(self.names)))

    def by_seat(self, numbers: Sequence[int]) -> str:
        """Return a number of each seat, one's own first."""
        return ", ".join(f"{self[seat]} {numbers[seat]}" for seat in self.around)

    def by_side(self, numbers: Sequence[int]) -> str:
        """Return a number of each of two sides, one's own first."""
        own = next(place for place, seats in enumerate(self.sides) if self.seat in seats)
        return f"your side {numbers[own]}, the other side {numbers[1 - own]}"

    def trick(self, trick: Trick, names: Names, seats: Sequence[int] = ()) -> str:
        """Return the cards of a trick in the order of play, and who took it; ``seats`` if some sit out."""
        seats = seats or [(trick.leader + each) % len(self.names) for each in range(len(trick.cards))]
        played = [f"{self[seat]} {names.card(card)}" for seat, card in zip(seats, trick.cards, strict=True)]
        taken = "" if trick.winner is None else f" -> {self[trick.winner]}"
        return f"{', '.join(played)}{taken}"


def tricks(
    played: Sequence[Trick], now: Trick | None, told: Callable[[Trick], str], *, leads: bool
) -> list[str]:
    """Return the lines on the tricks of the deal; ``leads`` says that a card is asked for."""
    lines = []
    if played:
        lines.append("Tricks so far, each in the order of play -> who took it:")
        lines += [f"{number}. {told(trick)}" for number, trick in enumerate(played, 1)]
    if now:
        lines.append(f"The trick in play: {told(now)}.")
    elif leads:
        lines.append("The trick in play: you lead to it.")
    return lines


def hand(cards: Iterable[Card], names: Names) -> str:
    """Return the line on one's own hand, by suit, the highest card first."""
    held = sorted(cards, reverse=True)
    suits = [(names.suit(suit), Cards(held).of(suit)) for suit in Suit]
    return f"Your hand, {counted(len(held), 'card')}: {grouped(suits, names)}."


def grouped(suits: Iterable[tuple[str, Cards]], names: Names) -> str:
    """Return cards by suit; suits without any are left out."""
    return "; ".join(f"{word} {names.cards(cards)}" for word, cards in suits if cards) or "none"


def counted(number: int, thing: str) -> str:
    """Return a number of things, such as ``1 card`` and ``2 cards``."""
    return f"{number} {thing}{'s' * (number != 1)}"


def end_of_match(match: Seated, whole_game: str, *, best: str = "higher", of: str = "score") -> str:
    """Return when the match ends, with its number of deals if that is fixed."""
    if match.deals is None:
        return whole_game
    draw = f"equal {of}s draw" if best == "higher" else f"players who share the lowest {of} draw"
    return (
        f"This match has exactly {counted(match.deals, 'deal')}, whatever the {of}s are: the {best} {of}"
        f" wins, {draw}."
    )


def card_question(names: Names) -> Question:
    """Return the question for a card to the trick."""
    return Question("Play a card of your hand.", "the card")


# The value of "action" for an answer


def answer_value(action: object, decision: Decision, names: Names) -> JsonValue:
    """Return what stands under "action" for an action.

    Raises:
        NoWords: it is of a kind that this version does not know.
    """
    held = decision.view.hand if decision.view else Cards()
    match action:
        case PlayCard():
            return names.card(action.card)
        case Bid():
            return action.tricks
        case TrumpCall():
            return names.suit(action.suit) if action.suit else action.name.lower()
        case ChooseCards():
            return [names.card(card) for card in action.cards]
        case Declare():
            made = action.combination
            return [names.card(card) for card in cards_of(made, held)] if made else []
        case ChooseCombinations():
            return [[names.card(card) for card in cards_of(each, held)] for each in action.combinations]
        case OtherAction():
            raise NoWords("this version has no words for an action that is asked for: update fairdeal")
    return str(getattr(action, "name", "")).lower()


def cards_of(combination: Combination, held: Cards) -> Cards:
    """Return the cards of a hand that make up a combination, the highest first."""
    if isinstance(combination, PointCombination):
        found = held.of(combination.suit)
    elif isinstance(combination, SequenceCombination):
        low = combination.top - combination.length
        found = Cards(card for card in held.of(combination.suit) if low < card.rank <= combination.top)
    else:
        found = Cards(card for card in held if card.rank is combination.rank)
    return Cards(sorted(found, reverse=True))


def legal_line(decision: Decision, names: Names) -> str:
    """Return the line that lists what is legal."""
    legal = decision.legal
    if isinstance(legal, LegalActions):
        values = [answer_value(action, decision, names) for action in legal.actions]
        return f'Legal values of "action": {", ".join(json.dumps(value) for value in values)}.'
    if isinstance(legal, LegalChoice):
        return f"Cards to choose from: {names.cards(legal.cards)}."
    held = decision.view.hand if decision.view else Cards()
    offered = [json.dumps([names.card(card) for card in cards_of(each, held)]) for each in legal.combinations]
    return f"Combinations to choose from: {', '.join(offered) or 'none'}."


def answer_schema(decision: Decision, names: Names) -> dict[str, object]:
    """Return the JSON schema of an answer."""
    legal = decision.legal
    if isinstance(legal, LegalActions):
        return {"enum": [answer_value(action, decision, names) for action in legal.actions]}
    held = decision.view.hand if decision.view else Cards()
    offered: list[object] = (
        [names.card(card) for card in legal.cards]
        if isinstance(legal, LegalChoice)
        else [[names.card(card) for card in cards_of(each, held)] for each in legal.combinations]
    )
    # an enum must not be empty
    items = {"items": {"enum": offered}} if offered else {}
    return {"type": "array", **items, "minItems": legal.minimum, "maxItems": legal.maximum}


def amount(decision: Decision) -> str:
    """Return how many are to be chosen."""
    legal = decision.legal
    assert not isinstance(legal, LegalActions)
    if legal.minimum == legal.maximum:
        return str(legal.minimum)
    return f"{legal.minimum} to {legal.maximum}"
