"""Counting the ways in which a position can go on, by the referee and by a naive player of the same rules.

A position is a file of ``tests/data/counts``: a deck in named blocks, options, the actions so far, and how
many sequences of one, two, three ... further actions there are, up to the verb ``until`` if there is one.
Actions are words, such as ``2 play QS``: a seat, a verb, and what it is done with. Where several seats choose
at the same time the lowest goes first. FAIRDEAL_REGENERATE=1 writes the counts anew, if both agree on them.

A naive player is made of a position's deck and options. Its ``turn()`` is None at the end of the deal, else
the ``seat`` to act and either its ``actions``, in words, or what it may ``choose`` from, at ``least`` and at
``most``, with the ``verb``. Its ``do(seat, verb, what)`` carries out an action.
"""

import copy
import itertools
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cards import CARD_NAMES, RANKS, SUITS, Rank, Seat, Suit, cards
from referee.games import actions as acts
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.base import State, check_action, check_deck
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.registry import GAMES

FOLDER: Final = Path(__file__).parents[1] / "data" / "counts"
REGENERATE: Final = os.environ.get("FAIRDEAL_REGENERATE") == "1"

Turn = Mapping[str, Any]
Naive = Any

VERBS: Final[dict[type, tuple[str, type[Any]]]] = {
    acts.Moon: ("moon", acts.MoonChoice),
    acts.Draft: ("draft", acts.DraftChoice),
    acts.Blind: ("blind", acts.BlindChoice),
    acts.CallUpcard: ("upcard", acts.UpcardCall),
    acts.CallTrump: ("trump", acts.TrumpCall),
    acts.Alone: ("alone", acts.AloneChoice),
    acts.Blank: ("blank", acts.BlankChoice),
    acts.Leftovers: ("leftovers", acts.LeftoversChoice),
}
MADE: Final = {verb: (made, choices) for made, (verb, choices) in VERBS.items()}


# The referee in words


def named(combination: Combination) -> str:
    match combination:
        case PointCombination(suit):
            return f"point {SUITS[suit]}"
        case SequenceCombination(suit, top, length):
            return f"sequence {SUITS[suit]} {RANKS[top]} {length}"
        case SetCombination(rank, count):
            return f"set {RANKS[rank]} {count}"


def combination(name: str) -> Combination:
    match name.split():
        case ["point", suit]:
            return PointCombination(Suit(SUITS.index(suit)))
        case ["sequence", suit, top, length]:
            return SequenceCombination(Suit(SUITS.index(suit)), Rank(RANKS.index(top)), int(length))
        case ["set", rank, count]:
            return SetCombination(Rank(RANKS.index(rank)), int(count))
    raise ValueError(name)


def in_words(action: Action) -> str:
    match action:
        case PlayCard(c):
            return f"play {CARD_NAMES[c]}"
        case acts.Bid(tricks):
            return f"bid {tricks}"
        case acts.Declare(declared):
            return f"declare {named(declared) if declared else 'nothing'}"
        case ChooseCards() | ChooseCombinations():
            raise TypeError("choices are counted, not listed")
    return f"{VERBS[type(action)][0]} {action.choice.name.lower()}"


def action_of(verb: str, what: str) -> Action:
    match verb:
        case "play":
            return PlayCard(cards(what)[0])
        case "bid":
            return acts.Bid(int(what))
        case "declare":
            return acts.Declare(None if what == "nothing" else combination(what))
        case "choose":
            return ChooseCards(cards(what.replace(",", "")))
        case "further":
            return ChooseCombinations(tuple(map(combination, what.split(", ") if what else ())))
    made, choices = MADE[verb]
    action: Action = made(choices[what.upper()])
    return action


class Referee:
    """The referee's own rules, spoken to in words."""

    def __init__(self, position: Mapping[str, Any]) -> None:
        game = GAMES[position["game"]]
        deck = [c for block in position["deck"].values() for c in cards(block)]
        check_deck(game, deck)
        self.state: State = game.new(
            game.bind(position["options"]), deals=None, first=Seat(position["first"])
        )
        self.state.deal(deck)

    def turn(self) -> Turn | None:
        if not self.state.to_act():
            return None
        seat = self.state.to_act()[0]
        return {"seat": seat, **described(self.state.legal(seat))}

    def do(self, seat: int, verb: str, what: str) -> None:
        action = action_of(verb, what)
        check_action(self.state, Seat(seat), action)
        self.state.apply(Seat(seat), action)


def described(legal: Legal) -> Turn:
    if isinstance(legal, LegalActions):
        return {"actions": [in_words(action) for action in legal.actions]}
    if isinstance(legal, Choose):
        verb, pool = "choose", [CARD_NAMES[c] for c in legal.cards]
    else:
        verb, pool = "further", [named(one) for one in legal.combinations]
    return {"verb": verb, "choose": pool, "least": legal.minimum, "most": legal.maximum}


# Counting


def alike(turn: Turn | None) -> Turn | None:
    """Return a turn with everything in alphabetical order, so that two of them can be compared."""
    return turn and {key: sorted(item) if isinstance(item, list) else item for key, item in turn.items()}


def number_of(turn: Turn) -> int:
    """Return how many actions there are, choices counted and not listed."""
    if "actions" in turn:
        return len(turn["actions"])
    return sum(math.comb(len(turn["choose"]), n) for n in range(turn["least"], turn["most"] + 1))


def actions_in(turn: Turn) -> Iterator[str]:
    if "actions" in turn:
        yield from turn["actions"]
    else:
        for n in range(turn["least"], turn["most"] + 1):
            for some in itertools.combinations(turn["choose"], n):
                yield f"{turn['verb']} {', '.join(some)}"


def stops(turn: Turn, until: str | None) -> bool:
    """Return whether the counting ends before a turn, since it is one of the verb at which it ends."""
    return any(words.split()[0] == until for words in turn.get("actions", ()))


def count(
    referee: Referee, naive: Naive, counts: list[int], until: str | None, said: tuple[str, ...] = ()
) -> None:
    """Add to ``counts`` the sequences from here on, where both must offer the same at every step."""
    depth, turn = len(said), alike(referee.turn())
    assert turn == alike(naive.turn()), f"after {', '.join(said)}"
    if turn is None or stops(turn, until):
        return
    counts[depth] += number_of(turn)
    if depth + 1 == len(counts):
        return
    for words in actions_in(turn):
        verb, _, what = words.partition(" ")
        then = copy.deepcopy(referee), copy.deepcopy(naive)
        for player in then:
            player.do(turn["seat"], verb, what)
        count(*then, counts, until, (*said, f"{turn['seat']} {words}"))


def check(name: str, make: Callable[[Mapping[str, Any]], Naive]) -> None:
    """Check a position's counts against the referee and a naive player, or write them if both agree."""
    path = FOLDER / f"{name}.json"
    position = json.loads(path.read_text())
    referee, naive = Referee(position), make(position)
    for number, words in enumerate(position["actions"]):
        turn = alike(referee.turn())
        assert turn == alike(naive.turn()), f"before action {number}, {words}"
        seat, verb, *what = words.split(" ", 2)
        assert turn is not None and turn["seat"] == int(seat), f"before action {number}, {words}"
        for player in (referee, naive):
            player.do(int(seat), verb, *what or [""])
    counts = [0] * len(position["counts"])
    count(referee, naive, counts, position.get("until"))
    if REGENERATE:
        position["counts"] = counts
        path.write_text(json.dumps(position, indent=2) + "\n")
        pytest.fail(f"{path} was written anew: read it, and run again without FAIRDEAL_REGENERATE")
    assert counts == position["counts"]


@pytest.fixture
def counted() -> Callable[..., None]:
    return check
