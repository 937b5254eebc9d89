"""Playthroughs: text files that hold the inputs of a match and all that follows from them.

A file opens with a head: what it ``shows``, the ``game``, its ``option`` lines, the number of ``deals`` if
fixed, and who is ``first``. Below it the lines that begin with ``>`` are inputs, and all others follow from
them: a file is written by hand as head and inputs alone, and completed by regenerating.

=============================  =============================================================================
``> deal QS 7D ...``           a deck, in the order of the deal
``> deal by KEY``              a deck that is a function of the key
``> 2 bid 3``                  an action of a seat, as the legal actions are written
``> play QS 3S ...``           cards, each by the seat in turn
``> default``                  the referee's default actions to the end of the deal
``> draw KEY``                 actions that are functions of the key and of how many there were in the deal
``> ... while PHASE``          either of them as long as it is this phase
``> ... for NUMBER``           either of them for so many actions
``> show``                     all views and legal actions
=============================  =============================================================================

Below an input stand its events, one a line, with the whole truth. What observers are told stands further in,
where it is not the event as it stands. Each phase's first decision is shown: the public view, then what each
seat's view has otherwise, and its legal actions. What is empty, absent or false is left out; a ``-`` says
that what the public view has is so for a seat.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from referee.cards import Card, Seat, cards
from referee.codec.json import plain, tagged
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.base import Event, Game, Result, State, check_action, check_deck
from referee.games.events import DealScored
from referee.games.registry import GAMES
from tests.draws import pick, shuffled

GOLDEN = Path(__file__).parents[1] / "golden" / "playthroughs"


# --- text -------------------------------------------------------------------------------------------------


def absent(value: Any) -> bool:
    """Return whether plain data is left out."""
    return value is None or value is False or value == []


def text_of(value: Any, *, names: bool = True) -> str:
    """Return plain data on one line, the fields of objects with or without their names."""
    if isinstance(value, dict):
        fields = [(name, text_of(field, names=names)) for name, field in value.items() if not absent(field)]
        return " ".join(f"{name} {text}" if names and name != "type" else text for name, text in fields)
    if isinstance(value, list):
        nested = any(isinstance(item, dict | list) for item in value)
        return (" / " if nested else " ").join(text_of(item, names=names) or "-" for item in value)
    return "true" if value is True else str(value)


def action_text(action: Action) -> str:
    """Return an action as its kind and what is chosen, without the names of fields."""
    return text_of(tagged(action), names=False)


def legal_text(legal: Legal) -> str:
    """Return legal actions on one line, in their order, each kind named once."""
    if not isinstance(legal, LegalActions):
        kind = "choose_cards" if isinstance(legal, Choose) else "choose_combinations"
        offered, minimum, maximum = plain(legal).values()
        return f"{kind} {minimum} to {maximum} of {text_of(offered, names=False) or '-'}"
    parts = []
    for kind, group in groupby(
        (action_text(action).partition(" ") for action in legal.actions), itemgetter(0)
    ):
        chosen = [what or "-" for _kind, _blank, what in group]
        parts.append(f"{kind} {(' / ' if any(' ' in what for what in chosen) else ' ').join(chosen)}")
    return "; ".join(parts) or "-"


def view_lines(view: Any, known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of a view that are not as ``known``: on a line, or with one for each object in it."""
    fields = plain(view)
    for field in dataclasses.fields(view):
        value, before = fields.get(field.name), known.get(field.name)
        if value == before or (absent(value) and absent(before)):
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield field.name
            yield from (f"  {text_of(item)}" for item in value)
        else:
            yield f"{field.name} {'-' if absent(value) else text_of(value)}"


# --- playing ----------------------------------------------------------------------------------------------


class Playthrough:
    """A match played from the head and the inputs of a file, and the ``text`` of the file that follows.

    ``events`` are the true ones; ``decided`` holds the phases in which a seat had a decision.

    Raises:
        ValueError: an input cannot be read, or not be given now; the text names it.
    """

    def __init__(self, source: str) -> None:
        head, _blank, body = source.partition("\n\n")
        facts = [line.partition(" ") for line in head.splitlines()]
        fact = {name: value.strip() for name, _blank, value in facts}
        given = [value.partition("=") for name, _blank, value in facts if name == "option"]
        self.game: Game[Any] = GAMES[fact["game"]]
        self.options = self.game.bind({name.strip(): json.loads(value) for name, _equals, value in given})
        self.deals = int(fact["deals"]) if "deals" in fact else None
        self.state: State = self.game.new(self.options, deals=self.deals, first=Seat(int(fact["first"])))
        self.events: list[Event] = []
        self.decided: set[str] = set()
        self._seats = tuple(map(Seat, range(self.game.seats)))
        self._actions = 0
        self._lines = [*head.splitlines(), ""]
        for line in body.splitlines():
            if line.startswith("> "):
                self._lines.append(line)
                try:
                    self._give(line.split()[1:])
                except (AssertionError, LookupError, ValueError) as error:
                    raise ValueError(f"{line!r} in deal {self.state.deal_number}: {error!r}") from error
        if (result := self.state.result()) is not None:
            self._lines += ["", f"result {text_of(plain(result))}"]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    @property
    def result(self) -> Result:
        """Return the result; every playthrough is of a whole match."""
        result = self.state.result()
        assert result is not None, "the inputs end before the match does"
        return result

    @property
    def scored(self) -> list[DealScored]:
        """Return the scored deals, in order."""
        return [event for event in self.events if isinstance(event, DealScored)]

    @property
    def phase(self) -> str:
        """Return the name of the phase."""
        phase = self.state.phase
        assert isinstance(phase, IntEnum)
        return phase.name.lower()

    def _give(self, words: Sequence[str]) -> None:
        match words:
            case ["deal", "by", key]:
                self._deal(shuffled(self.game.cards, key))
            case ["deal", *names]:
                self._deal(cards(" ".join(names)))
            case ["play", *names]:
                for c in cards(" ".join(names)):
                    self._act(self.state.to_act()[0], PlayCard(c))
            case ["default", *until]:
                self._play_on(until, self._default)
            case ["draw", key, *until]:
                self._play_on(until, lambda seat: pick(self.state.legal(seat), key, self._actions))
            case ["show"]:
                self._show()
            case [seat, *action]:
                self._act(Seat(int(seat)), self._action(Seat(int(seat)), " ".join(action)))

    def _action(self, seat: Seat, text: str) -> Action:
        legal = self.state.legal(seat)
        kind, _blank, chosen = text.partition(" ")
        if kind == "choose_cards":
            return ChooseCards(cards(chosen))
        if isinstance(legal, ChooseFurther):
            offered = {text_of(tagged(c), names=False): c for c in legal.combinations}
            return ChooseCombinations(tuple(offered[c] for c in chosen.split(" / ") if c))
        assert isinstance(legal, LegalActions)
        return {action_text(action): action for action in legal.actions}[text]

    def _default(self, seat: Seat) -> Action:
        return self.game.default(self.game.view(self.state, seat), self.state.legal(seat))

    def _play_on(self, until: Sequence[str], choose: Callable[[Seat], Action]) -> None:
        begun = self._actions
        while self.state.to_act():
            match until:
                case ["while", phase] if phase != self.phase:
                    return
                case ["for", count] if self._actions == begun + int(count):
                    return
                case [] | ["while" | "for", _]:
                    seat = self.state.to_act()[0]
                    self._act(seat, choose(seat))
                case _:
                    raise ValueError(f"no such limit: {' '.join(until)}")

    def _deal(self, deck: Sequence[Card]) -> None:
        assert self.state.needs_deck
        check_deck(self.game, deck)
        self._actions = 0
        self._happened(self.state.deal(deck))

    def _act(self, seat: Seat, action: Action) -> None:
        check_action(self.state, seat, action)
        self._actions += 1
        events = self.state.apply(seat, action)
        if not events:
            self._lines.append(f"  (seat {seat} {action_text(action)})")
        self._happened(events)

    def _happened(self, events: Sequence[Event]) -> None:
        for event in events:
            self.events.append(event)
            self._lines.append(f"  {text_of(tagged(event))}")
            told = [(self.game.project(event, seat), seat) for seat in (*self._seats, None)]
            for what in dict.fromkeys(what for what, _seat in told if what != event):
                observers = " ".join("public" if seat is None else str(seat) for w, seat in told if w == what)
                self._lines.append(f"    {observers}: {'-' if what is None else text_of(tagged(what))}")
        if self.state.to_act() and self.phase not in self.decided:
            self.decided.add(self.phase)
            self._show()

    def _show(self) -> None:
        public = self.game.view(self.state, None)
        self._lines += ["", "public view", *(f"  {line}" for line in view_lines(public, {}))]
        for seat in self._seats:
            self._lines.append(f"for seat {seat}")
            self._lines += [
                f"  {line}" for line in view_lines(self.game.view(self.state, seat), plain(public))
            ]
            self._lines.append(f"  legal {legal_text(self.state.legal(seat))}")
        self._lines.append("")


@pytest.fixture(scope="session")
def playthrough() -> type[Playthrough]:
    return Playthrough


@pytest.fixture(scope="session")
def corpus() -> Mapping[str, Playthrough]:
    """Every playthrough by the name of its file, played anew."""
    return {path.name: Playthrough(path.read_text()) for path in sorted(GOLDEN.glob("*.txt"))}
