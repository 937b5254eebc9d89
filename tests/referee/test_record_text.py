"""Records of real matches as text and in the documentation: nothing is lost, nothing is invented.

With FAIRDEAL_REGENERATE=1 in the environment the golden texts are written anew, and their tests fail once.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairdeal.chance import Chance
from referee import record
from referee.cards import ALL_CARDS, Card, Seat, cards
from referee.clock import SECOND, ClockSettings
from referee.deals import MatchDeals
from referee.effects import Append, Effect, MatchSetup, Tell, Wake
from referee.faults import FaultPolicy
from referee.games.actions import Action, ChooseCards, LegalActions, PlayCard
from referee.games.events import BidMade, DealScored
from referee.games.options import OptionValue
from referee.games.registry import GAMES
from referee.match import Match
from referee.record import Record, RecordError
from referee.record_text import WIDTH, lines
from referee.updates import Closed, Decision, Index, Malformed
from referee.vault import SeededKeys

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
ENTRIES = ("careful", "greedy", "random-1", "slow")
CLOCK = ClockSettings(move=2 * SECOND, bank=10 * SECOND, increment=SECOND // 10)
STARTED = "2026-11-21T02:13:35+00:00"

Incidents = Mapping[tuple[int, int], str]  # seat and decision id -> what happens instead of an answer


class Unshuffled(MatchDeals):
    """Deals every seat one suit."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        return ALL_CARDS


class Table:
    """Plays a match in process, with bots that choose at random and what is to go wrong."""

    def __init__(
        self,
        game: str,
        *,
        deals: int | None = 1,
        options: Mapping[str, OptionValue] | None = None,
        faults: FaultPolicy | None = None,
        arrivals: Sequence[str] = (),
        incidents: Incidents | None = None,
        dealing: type[MatchDeals] = MatchDeals,
        first_legal: bool = False,
        entries: Sequence[str] = ENTRIES,
    ) -> None:
        self.game = GAMES[game]
        self.setup = MatchSetup(
            match_id="m-0001",
            game=game,
            options=self.game.bind(options or {}),
            deals=deals,
            entries=tuple(entries[: self.game.seats]),
            clock=CLOCK,
            faults=faults or FaultPolicy(),
        )
        self.deals = dealing(self.setup, self.game, SeededKeys("seed"))
        self.match = Match(self.setup, self.game, self.deals)
        self.incidents = dict(incidents or {})
        self.first_legal = first_legal
        self.now = 1_000 * SECOND
        self.wake = 0
        self.log: list[Any] = []
        self.open: dict[Seat, Decision] = {}
        self._arrive(arrivals)
        while not self.match.outcome:
            self._step()

    def record(self, folder: Path) -> Record:
        """Return the record, read back from its file."""
        header = record.header_line(
            self.setup, self.game, self.deals.commitment, software="fairdeal 0.1.0", started=STARTED
        )
        path = record.path_of(folder, self.setup.match_id, self.setup.attempt)
        record.write(path, record.encode(header, self.log, self.deals.secret))
        return record.read(path)

    def _take(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Append(entry):
                    self.log.append(entry)
                case Tell(seat, Decision() as decision):
                    self.open[seat] = decision
                case Tell(seat, Closed()):
                    del self.open[seat]
                case Wake(at):
                    self.wake = at

    def _arrive(self, arrivals: Sequence[str]) -> None:
        self._take(self.match.start(self.now))
        ways = [*arrivals, *["ready"] * self.game.seats][: self.game.seats]
        for seat, way in ((Seat(s), way) for s, way in enumerate(ways) if way != "absent"):
            self.now += SECOND // 100
            self._take(self.match.back(seat, self.now))
            match way:
                case "ready":
                    self._take(self.match.ready(seat, self.now))
                case "decline":
                    self._take(self.match.decline(seat, self.now))
                case "returns":
                    self._take(self.match.lost(seat, self.now))
                    self._take(self.match.back(seat, self.now))
                    self._take(self.match.ready(seat, self.now))
        if not self.open and not self.match.outcome:
            self._wait()

    def _wait(self) -> None:
        self.now = self.wake
        self._take(self.match.tick(self.now))

    def _step(self) -> None:
        # who is to go wrong waits, so that of several that choose at once only one runs out of time
        seat, decision = min(
            self.open.items(), key=lambda item: ((item[0], item[1].decision_id) in self.incidents, item[0])
        )
        self.now += SECOND // 20 * (1 + seat)
        number = decision.decision_id
        match self.incidents.get((seat, number)):
            case "illegal":
                self._take(self.match.answer(seat, number, _illegal(decision), self.now))
            case "malformed":
                given = Malformed("the answer holds neither an action nor an index")
                self._take(self.match.answer(seat, number, given, self.now))
            case "late":
                self._wait()
            case "gone":
                self._take(self.match.lost(seat, self.now))
                self._wait()
                self._take(self.match.back(seat, self.now + SECOND))
            case "returns":
                self._take(self.match.lost(seat, self.now))
                self.now += SECOND
                self._take(self.match.back(seat, self.now))
                del self.incidents[seat, number]
            case "abandon":
                self._take(self.match.abandon(seat, self.now))
            case "cancel":
                self._take(self.match.cancel(self.now))
            case "void":
                self._take(self.match.void(self.now))
            case _:
                self._take(self.match.answer(seat, number, self._chosen(seat, decision), self.now))

    def _chosen(self, seat: Seat, decision: Decision) -> Action:
        legal = decision.legal
        if isinstance(legal, LegalActions):
            chance = Chance("seed", self.setup.match_id, seat, decision.decision_id)
            return legal.actions[0] if self.first_legal else chance.choice(legal.actions)
        # unshuffled, seat 0 then keeps its high clubs and gets three high spades: it shoots the moon
        return ChooseCards(legal.cards[:3] if seat == 0 else legal.cards[-3:])


def _illegal(decision: Decision) -> Action | Index:
    legal = decision.legal
    return Index(len(legal.actions)) if isinstance(legal, LegalActions) else ChooseCards(legal.cards[:2])


def hearts_with_faults(**given: Any) -> Table:
    """Play hearts until nearly everything has gone wrong that lets a match go on."""
    return Table(
        "hearts",
        deals=2,
        options={"target": 50, "moon": "add"},
        arrivals=("ready", "returns", "ready", "ready"),
        incidents={
            (0, 5): "returns",
            (1, 1): "illegal",
            (2, 3): "late",
            (2, 6): "gone",
            (2, 9): "illegal",
            (3, 2): "malformed",
            (3, 17): "late",
        },
        **given,
    )


def spades_with_faults(**given: Any) -> Table:
    """Play two-handed spades with a fault in each phase."""
    incidents = {(0, 4): "illegal", (0, 7): "returns", (1, 14): "malformed", (1, 18): "late"}
    return Table("two_handed_spades", deals=2, incidents=incidents, **given)


def moon(**given: Any) -> Table:
    return Table("hearts", dealing=Unshuffled, first_legal=True, **given)


def text_of(played: Table, folder: Path) -> list[str]:
    return list(lines(played.record(folder)))


def normal(text: Sequence[str]) -> list[str]:
    """Return lines without their alignment."""
    return [" ".join(line.split()) for line in text]


# --- whole texts ------------------------------------------------------------------------------------------

SHORT_MATCHES = {"hearts": hearts_with_faults, "two_handed_spades": spades_with_faults}


@pytest.mark.parametrize("game", GAMES)
def test_the_text_of_a_match_is_the_golden_one(game: str, tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in text_of(SHORT_MATCHES[game](), tmp_path))
    path = GOLDEN / f"record_{game}.txt"
    if os.environ.get("FAIRDEAL_REGENERATE") == "1":
        path.write_text(text)
        pytest.fail(f"{path} was written anew: read it, and run again without FAIRDEAL_REGENERATE")
    assert text == path.read_text()
