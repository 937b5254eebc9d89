"""Matches played in process, in which goes wrong what a test wants, and their records."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairdeal.chance import Chance
from referee.cards import ALL_CARDS, Card, Rank, Seat
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, ChooseFurther, LegalActions
from referee.games.options import OptionValue
from referee.games.registry import GAMES
from referee.match.clock import SECOND, ClockSettings
from referee.match.effects import Append, Effect, MatchSetup, Tell, Wake
from referee.match.faults import FaultPolicy
from referee.match.match import Match
from referee.match.messages import Closed, Decision, Given, Index, Malformed
from referee.storage import record, record_files
from referee.storage.record import Record
from referee.transcript import lines

ENTRIES = ("careful", "greedy", "random-1", "slow")
CLOCK = ClockSettings(move=2 * SECOND, bank=10 * SECOND, increment=SECOND // 10)
STARTED = "2026-11-21T02:13:35+00:00"

Incidents = Mapping[tuple[int, int], str]  # seat and decision id -> what happens instead of an answer


class Unshuffled(MatchDeals):
    """Deals every seat one suit."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        return ALL_CARDS


class NoCourtCards(MatchDeals):
    """Deals seat 0 a hand of piquet without king, queen and jack."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        courts = [c for c in GAMES["piquet"].cards if Rank.JACK <= c % 13 <= Rank.KING]
        plain = [c for c in GAMES["piquet"].cards if c not in courts]
        return (*plain[:12], *courts, *plain[12:])


class Failed(Exception):
    """The referee itself fails."""


class FailingDecks(MatchDeals):
    """Gives one deck, and fails after it."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        if deal:
            raise Failed
        return super().deck(deal)


class RecordedTable:
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
        event_grid: int = 0,
    ) -> None:
        self.game = GAMES[game]
        self.setup = MatchSetup(
            match_id="m-0001",
            game=game,
            options=self.game.bind(options or {}),
            deals=deals,
            entries=ENTRIES[: self.game.seats],
            clock=CLOCK,
            faults=faults or FaultPolicy(),
            event_grid=event_grid,
        )
        self.deals = dealing(self.setup, self.game, SeededKeys("seed"))
        self.match = Match(self.setup, self.game, self.deals)
        self.incidents = dict(incidents or {})
        self.first_legal = first_legal
        self.now = 1_000 * SECOND
        self.wake = 0
        self.log: list[Any] = []
        self.open: dict[Seat, Decision] = {}
        self.asked: dict[Seat, int] = {}
        self.thought: list[list[int]] = [[] for _ in range(self.game.seats)]
        self._arrive(arrivals)
        while not self.match.outcome:
            try:
                self._step()
            except Failed:
                self._take(self.match.void(self.now))

    def record(self, folder: Path) -> Record:
        """Return the record, read back from its file."""
        path = record_files.path_of(folder, self.setup.match_id, self.setup.attempt)
        record.write(path, self.encoded())
        return record.read(path)

    def encoded(self) -> bytes:
        """Return the record as the bytes of its file."""
        header = record.header_line(
            self.setup,
            [(entry, "") for entry in self.setup.entries],
            self.game,
            self.deals.commitment,
            software="fairdeal/0.1.0",
            started=STARTED,
        )
        return record.encode(header, self.log, self.deals.secret)

    def _take(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Append(entry):
                    self.log.append(entry)
                case Tell(seat, Decision() as decision):
                    # one that was put before a session was lost is told again
                    if seat not in self.open:
                        self.asked[seat] = self.now
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
                case "leaves":
                    self._take(self.match.ready(seat, self.now))
                    self._take(self.match.lost(seat, self.now))
        if not self.open and not self.match.outcome:
            self._wait()

    def _wait(self) -> None:
        self.now = self.wake
        self._take(self.match.tick(self.now))

    def _step(self) -> None:
        if not self.open:  # the next decision is held back until the next point of the grid
            self._wait()
            return
        # who is to go wrong waits, so that of several that choose at once only one runs out of time
        seat, decision = min(
            self.open.items(), key=lambda item: ((item[0], item[1].decision_id) in self.incidents, item[0])
        )
        self.now += SECOND // 20 * (1 + seat)
        number = decision.decision_id
        match self.incidents.get((seat, number)):
            case "illegal":
                self._answer(seat, _illegal(decision))
            case "malformed":
                self._answer(seat, Malformed("the answer holds neither an action nor an index"))
            case "late":
                self._wait()
            case "gone":
                self._take(self.match.lost(seat, self.now))
                self._wait()
                self.now += SECOND
                self._take(self.match.back(seat, self.now))
            case "returns":
                self._take(self.match.lost(seat, self.now))
                self.now += SECOND
                self._take(self.match.back(seat, self.now))
                del self.incidents[seat, number]
            case "abandon":
                self._take(self.match.abandon(seat, self.now))
            case "resign":
                self._take(self.match.resign(seat, self.now))
            case "cancel":
                self._take(self.match.cancel(self.now))
            case "void":
                self._take(self.match.void(self.now))
            case _:
                self._answer(seat, self._chosen(seat, decision))

    def _answer(self, seat: Seat, given: Given) -> None:
        self.thought[seat].append(self.now - self.asked[seat])
        self._take(self.match.answer(seat, self.open[seat].decision_id, given, self.now))

    def _chosen(self, seat: Seat, decision: Decision) -> Action:
        legal = decision.legal
        if isinstance(legal, LegalActions):
            chance = Chance("seed", self.setup.match_id, seat, decision.decision_id)
            return legal.actions[0] if self.first_legal else chance.choice(legal.actions)
        if isinstance(legal, ChooseFurther):
            return ChooseCombinations(legal.combinations)
        # unshuffled, seat 0 then keeps its high clubs and gets three high spades: it shoots the moon
        count = min(3, legal.maximum)
        return ChooseCards(legal.cards[:count] if seat == 0 else legal.cards[-count:])


def _illegal(decision: Decision) -> Action | Index:
    legal = decision.legal
    if isinstance(legal, LegalActions):
        return Index(len(legal.actions))
    assert isinstance(legal, Choose) and legal.minimum
    return ChooseCards(legal.cards[: legal.minimum - 1])


def hearts_with_faults() -> RecordedTable:
    """Play hearts until nearly everything has gone wrong that lets a match go on."""
    return RecordedTable(
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
    )


def spades_with_faults() -> RecordedTable:
    """Play two-handed spades with a fault in each phase."""
    incidents = {(0, 4): "illegal", (0, 7): "returns", (1, 14): "malformed", (1, 18): "late"}
    return RecordedTable("two_handed_spades", deals=2, incidents=incidents)


def blind_spades() -> RecordedTable:
    """Play spades, where a side is soon far enough behind to bid blind, with faults."""
    return RecordedTable(
        "spades",
        deals=2,
        options={"blind_nil_gap": 10},
        incidents={(0, 1): "illegal", (1, 3): "late", (3, 15): "malformed", (2, 16): "illegal"},
    )


def euchre_with_faults() -> RecordedTable:
    """Play euchre with a fault in each phase."""
    return RecordedTable(
        "euchre",
        deals=4,
        options={"stick_the_dealer": False},
        incidents={(0, 2): "late", (1, 1): "illegal", (2, 2): "malformed", (3, 2): "illegal"},
    )


def piquet_with_faults() -> RecordedTable:
    """Play piquet with faults."""
    return RecordedTable(
        "piquet", deals=2, incidents={(1, 2): "illegal", (0, 2): "late", (1, 4): "malformed"}
    )


SHORT_MATCHES = {
    "hearts": hearts_with_faults,
    "spades": blind_spades,
    "euchre": euchre_with_faults,
    "piquet": piquet_with_faults,
    "two_handed_spades": spades_with_faults,
}


def text_of(played: RecordedTable, folder: Path) -> list[str]:
    """Return the lines of a match's text, which is made from its record as it stands in a file."""
    return list(lines(played.record(folder)))


def normal(text: Iterable[str]) -> list[str]:
    """Return lines without their alignment."""
    return [" ".join(line.split()) for line in text]
