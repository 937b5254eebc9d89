"""Reads the reply of a model: the last JSON object in it, and no prose."""

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Final, NoReturn

from fairdeal.actions import (
    CHOICES,
    Action,
    Bid,
    ChooseCards,
    ChooseCombinations,
    Declare,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    PlainAnswer,
    PlayCard,
    TrumpCall,
)
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.updates import Decision
from fairdeal.words._frame import cards_of
from fairdeal.words._names import Names

KEY: Final = "action"
READ: Final = 16_384  # characters at the end of a reply that are read
SHOWN: Final = 200  # characters that are shown of what could not be read

_SYMBOLS: Final = {
    "♣": "c",
    "♧": "c",
    "♦": "d",
    "♢": "d",
    "♥": "h",
    "♡": "h",
    "♠": "s",
    "♤": "s",
    "\ufe0f": "",
}
_NOTHING: Final = {"none", "nothing", "no"}


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


class Problem(Enum):
    """Why a reply gives no answer."""

    EMPTY = "empty"
    UNREADABLE = "unreadable"
    ILLEGAL = "illegal"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: an ``answer``, or a ``problem`` and ``why``, a clause for people and models."""

    answer: PlainAnswer | None
    problem: Problem | None = None
    why: str = ""


class _Unreadable(ValueError):
    pass


class _Illegal(ValueError):
    pass


def read_reply(decision: Decision, reply: str, names: Names) -> Reading:
    """Return the answer in a reply, or what is wrong with it; the end of a long reply is read."""
    if not reply.strip():
        return Reading(None, Problem.EMPTY, "it is empty")
    try:
        return Reading(_Reader(decision, names).answer(_action_in(reply[-READ:])))
    except _Unreadable as error:
        return Reading(None, Problem.UNREADABLE, str(error))
    except _Illegal as error:
        return Reading(None, Problem.ILLEGAL, str(error))


def _action_in(text: str) -> object:
    """Return what stands under the key of the last JSON object that is not part of another."""
    last: object = None
    at = text.find("{")
    while at >= 0:
        try:
            last, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        at = text.find("{", at)
    if not isinstance(last, dict):
        raise _Unreadable(f"there is no JSON object in it; it ends with {_shown(text[-SHOWN:])}")
    if KEY not in last:
        raise _Unreadable(f'its last JSON object has no key "{KEY}"')
    return last[KEY]


class _Reader:
    """Turns the value of "action" into an answer to a decision."""

    def __init__(self, decision: Decision, names: Names) -> None:
        self._legal = decision.legal
        self._hand = decision.view.hand if decision.view else Cards()
        self._names = names
        self._suits: dict[str, Suit] = {}
        for suit, word in names.suits.items():
            self._suits |= dict.fromkeys((word[0], word, word.removesuffix("s")), suit)
        self._ranks: dict[str, Rank] = {}
        for rank in Rank:
            self._ranks |= dict.fromkeys((names.letters[rank].lower(), names.rank(rank)), rank)
        if not names.is_other:
            self._ranks |= {"10": Rank.TEN, "knave": Rank.JACK}
            self._ranks |= {str(rank.value): rank for rank in Rank if rank < Rank.TEN}
        suits, ranks = (
            "|".join(sorted(map(re.escape, each), key=len, reverse=True))
            for each in (self._suits, self._ranks)
        )
        self._rank_first = re.compile(rf"({ranks})[ -]*(?:of )?({suits})")
        self._suit_first = re.compile(rf"({suits})[ -]*({ranks})")

    def answer(self, value: object) -> PlainAnswer:
        """Return the answer that a value is.

        Raises:
            _Unreadable: it is none.
            _Illegal: it is one, but not legal now.
        """
        legal = self._legal
        if isinstance(legal, LegalChoice):
            return ChooseCards(self._chosen(self._several(value), legal))
        if isinstance(legal, LegalCombinations):
            return self._further(value, legal)
        first = legal.actions[0] if legal.actions else None
        action: Action
        if isinstance(first, PlayCard):
            action = PlayCard(self._one(value))
            if action not in legal.actions:
                name = self._names.card(action.card)
                held = action.card in self._hand
                raise _Illegal(f"{name} may not be played now" if held else f"you do not hold {name}")
        elif isinstance(first, Bid):
            action = Bid(_number(value))
        elif isinstance(first, Declare):
            return self._declared(value, legal)
        else:
            action = self._word(value, first)
        if action not in legal.actions:
            raise _Illegal(f"{_shown(value)} is not among the legal answers")
        return action

    # Cards

    def _card(self, value: object) -> Card:
        if not isinstance(value, str):
            raise _Unreadable(f"{_shown(value)} is not a card")
        text = " ".join(_plain(value).split())
        if found := self._rank_first.fullmatch(text):
            rank, suit = self._ranks[found[1]], self._suits[found[2]]
        elif found := self._suit_first.fullmatch(text):
            rank, suit = self._ranks[found[2]], self._suits[found[1]]
        else:
            raise _Unreadable(f"{_shown(value)} is not a card")
        return ALL_CARDS[13 * (suit - 1) + rank - 2]

    def _one(self, value: object) -> Card:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        return self._card(value)

    def _several(self, value: object) -> Cards:
        """Return the cards of a list, or of a text with commas or blanks between them."""
        if isinstance(value, str):
            if _plain(value).strip() in _NOTHING | {""}:
                return Cards()
            try:
                return Cards([self._card(value)])
            except _Unreadable:
                value = [
                    each for each in re.split(r"[,;]" if "," in value else r"\s+", value) if each.strip()
                ]
        if not isinstance(value, list):
            raise _Unreadable(f"{_shown(value)} is not a list of cards")
        return Cards(map(self._card, value))

    def _chosen(self, cards: Cards, legal: LegalChoice) -> Cards:
        self._differ(cards)
        if foreign := next((card for card in cards if card not in legal.cards), None):
            raise _Illegal(f"{self._names.card(foreign)} cannot be chosen")
        _check_count(len(cards), legal.minimum, legal.maximum, "card")
        return cards

    def _differ(self, cards: Cards) -> None:
        if twice := next((card for card in cards if cards.count(card) > 1), None):
            raise _Illegal(f"{self._names.card(twice)} is named twice")

    # Combinations

    def _declared(self, value: object, legal: LegalActions) -> PlainAnswer:
        cards = self._several([] if value is None else value)
        self._differ(cards)
        for action in legal.actions:
            if isinstance(action, Declare) and frozenset(cards) == self._cards_of(action):
                return action
        raise _Illegal(f"{self._names.cards(cards)} is no combination that you may declare now")

    def _cards_of(self, action: Declare) -> frozenset[Card]:
        return frozenset(cards_of(action.combination, self._hand) if action.combination else ())

    def _further(self, value: object, legal: LegalCombinations) -> PlainAnswer:
        if value is None or (isinstance(value, str) and _plain(value).strip() in _NOTHING):
            value = []
        if not isinstance(value, list):
            raise _Unreadable(f"{_shown(value)} is not a list of combinations")
        if value and not any(isinstance(each, list) for each in value):
            value = [value]  # the cards of one combination
        offered = {frozenset(cards_of(each, self._hand)): each for each in legal.combinations}
        chosen = []
        for each in value:
            cards = self._several(each)
            made = offered.get(frozenset(cards))
            if made is None:
                raise _Illegal(f"{self._names.cards(cards)} is no combination that you may add")
            if made in chosen:
                raise _Illegal(f"{self._names.cards(cards)} is named twice")
            chosen.append(made)
        _check_count(len(chosen), legal.minimum, legal.maximum, "combination")
        return ChooseCombinations(tuple(chosen))

    # Words

    def _word(self, value: object, like: object) -> Action:
        if not isinstance(value, str):
            raise _Unreadable(f"{_shown(value)} is not a word")
        word = _plain(value).strip()
        if isinstance(like, TrumpCall) and (suit := self._suits.get(word)):
            return TrumpCall[Suit(suit).name]
        for kind in CHOICES.values():
            if isinstance(like, kind):
                for member in kind:
                    if member.value and member.name.lower() == word and word.upper() not in Suit.__members__:
                        return member
        raise _Unreadable(f"{_shown(value)} is none of the words that may be answered")


def _plain(text: str) -> str:
    """Return a text in small letters, with letters in place of the symbols of suits."""
    return "".join(_SYMBOLS.get(letter, letter) for letter in text[:READ].lower())


def _number(value: object) -> int:
    if isinstance(value, str):
        text = value.strip().lower()
        if text == "nil":
            return 0
        if re.fullmatch(r"[0-9]{1,3}", text):
            return int(text)
    if type(value) is int and abs(value) < 1000:
        return value
    raise _Unreadable(f"{_shown(value)} is not a number of tricks")


def _check_count(number: int, minimum: int, maximum: int, thing: str) -> None:
    if not minimum <= number <= maximum:
        wanted = f"{minimum}" if minimum == maximum else f"{minimum} to {maximum}"
        raise _Illegal(f"{number} {thing}s are named, and {wanted} must be")


def _shown(value: object) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:  # the writer of JSON comes less deep than its reader
        return "a value of too many levels"
    short = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    return json.dumps(short)
