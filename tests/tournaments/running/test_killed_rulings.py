"""The process is killed at each write of each ruling; the next one goes on as if nothing had happened.

What a killed process leaves is what is on the disk at that moment. So a ruling is made once, the folder is
copied before and after each write, and a run goes on from each copy that differs from the one before.
"""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.copies import Copies
from tests.tournaments.tournament_under_test import (
    HEAD,
    TournamentUnderTest,
    opened_tournament,
    remote,
    written,
)
from tournaments.plan.states import Chosen, RulingKind, TournamentState
from tournaments.running import entry_rulings
from tournaments.running.rulings import rule
from tournaments.standings import Live
from tournaments.store import FILE, LEFT_OUT, Attempted, Store
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.reader import load

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]

FOUR: Final = remote("a", "b", "c", "d")
FORMATS: Final = {
    "round_robin": f"{HEAD}{FOUR}",
    "swiss": f'{HEAD}format = "swiss"\nrounds = 2\n{FOUR}',
    "knockout": f'{HEAD}format = "knockout"\n{FOUR}',
}
WHY: Final = ("olga", "a slow machine")


class Case:
    """What is ruled, and what is so in the end if the ruling was stored."""

    def __init__(
        self,
        kind: RulingKind,
        *,
        is_struck: bool = False,
        of_played: bool = True,
        is_finished: bool = False,
        is_searched: bool = False,
        was: RulingKind | None = None,
    ) -> None:
        self.kind = kind
        self.is_struck = is_struck
        self.of_played = of_played
        self.is_finished = is_finished
        self.is_searched = is_searched
        self.was = was
        self.match_id = self.entry = ""

    async def make(self, tested: TournamentUnderTest) -> None:
        await self._rule(tested, self.kind)

    async def prepare(self, tested: TournamentUnderTest) -> None:
        """Choose what is ruled on, and make the ruling before."""
        chosen = tested.begun[0 if self.of_played else 1]  # which is over, or in its midst
        self.match_id, self.entry = chosen.match_id, chosen.entries[0]
        if self.was:
            await self._rule(tested, self.was)

    async def _rule(self, tested: TournamentUnderTest, kind: RulingKind) -> None:
        if kind in (RulingKind.WITHDRAW, RulingKind.DISQUALIFY, RulingKind.REINSTATE):
            await entry_rulings.rule(tested.tournament, kind, self.entry, *WHY, is_struck=self.is_struck)
        elif self.is_searched:
            await rule(tested.tournament, kind, Chosen(entries=(self.entry,)), *WHY)
        else:
            await rule(tested.tournament, kind, Chosen([self.match_id]), *WHY)

    def check(self, store: Store) -> None:
        """Check what came of the ruling."""
        attempts = [each for each in store.attempts() if each.issued.match_id == self.match_id]
        mine = [each for each in store.attempts() if self.entry in each.issued.entries]
        match self.kind:
            case RulingKind.VOID:
                assert [_ranked(each) for each in attempts] == [False, True]
            case RulingKind.REPLAY:
                assert [(_ranked(each), each.stands) for each in attempts] == [(True, False), (True, True)]
            case RulingKind.ANNUL:
                assert [(_ranked(each), each.stands) for each in attempts] == [(True, False), (False, True)]
            case RulingKind.REINSTATE:
                assert all(each.issued.attempt != LEFT_OUT for each in mine)
            case _:
                counts = {each.issued.match_id for each in mine if each.stands and _ranked(each)}
                assert counts == ({self.match_id} if self.of_played and not self.is_struck else set())


def _ranked(attempted: Attempted) -> bool:
    return bool(attempted.result and attempted.result.outcome.ranks)


CASES: Final[dict[str, Callable[[], Case]]] = {
    "void": lambda: Case(RulingKind.VOID, of_played=False),
    "replay": lambda: Case(RulingKind.REPLAY),
    "replay of what was finished": lambda: Case(RulingKind.REPLAY, is_finished=True),
    "replay of what an entry played": lambda: Case(RulingKind.REPLAY, is_searched=True),
    "annul": lambda: Case(RulingKind.ANNUL),
    "withdraw": lambda: Case(RulingKind.WITHDRAW, of_played=False),
    "disqualify, kept": lambda: Case(RulingKind.DISQUALIFY),
    "disqualify, struck": lambda: Case(RulingKind.DISQUALIFY, is_struck=True),
    "reinstate": lambda: Case(RulingKind.REINSTATE, was=RulingKind.WITHDRAW),
    "reinstate when it was finished": lambda: Case(
        RulingKind.REINSTATE, was=RulingKind.WITHDRAW, is_finished=True
    ),
}


async def ruled(folder: Path, copies: Copies, case: Case, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play until one match is over and another one in its midst, and rule."""
    async with opened_tournament(folder, written(folder, text)) as tested:
        guests = {name: tested.guest(name, held=True, tables=1) for name in "abcd"}
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        for name in tested.begun[0].entries:
            guests[name].open.set()
        await tested.until(lambda: tested.finished)
        for guest in guests.values():
            guest.open.clear()
        await case.prepare(tested)
        if case.is_finished:
            for guest in guests.values():
                guest.open.set()
            await tested.tournament.running
            case.match_id = tested.begun[-1].match_id  # on which no other one rests
        with copies.at_each_write(monkeypatch):
            await case.make(tested)
            await tested.settled()


async def went_on(folder: Path, case: Case) -> bool:
    """Go on where a process was killed, to the end; return whether the ruling was stored."""
    plan = load(folder / "cup.toml")
    async with opened_tournament(folder, plan) as tested:
        for name in "abcd":
            tested.guest(name)
        if tested.tournament.state is not TournamentState.FINISHED:
            tested.tournament.start()
            await tested.tournament.running
        assert tested.failures == []
        store = tested.store
        assert (tested.tournament.state, store.to_do()) == (TournamentState.FINISHED, ())
        rulings = [each.kind for each in store.adjudications()]
        before = [] if case.was is None else [case.was]
        assert rulings in (before, [*before, case.kind])
        is_stored = len(rulings) > len(before)
        if is_stored:
            case.check(store)
        report = await tested.tournament.standings()
        assert report == Live(store, plan, rebuild=True).report()
        results = [each.result for each in store.attempts() if each.result]
        assert all((plan.folder / each.record).is_file() for each in results)
        assert len(tested.host.referee.core.matches) == 0
        with closing(StoredRecords.in_file(plan.folder / FILE)) as stored:
            assert list(stored.unsettled()) == []
    return is_stored


# there a match decides who goes on, and is not annulled
ALL: Final = [(form, name) for form in FORMATS for name in CASES if (form, name) != ("knockout", "annul")]
FEW: Final = [
    ("round_robin", "void"),
    ("round_robin", "annul"),
    ("round_robin", "replay of what an entry played"),
    ("round_robin", "reinstate when it was finished"),
    ("swiss", "replay of what was finished"),
    ("swiss", "disqualify, struck"),
    ("swiss", "reinstate"),
    ("knockout", "replay"),
    ("knockout", "withdraw"),
    ("knockout", "disqualify, kept"),
]
LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"


@pytest.mark.parametrize(("form", "name"), ALL if LONG else FEW)
async def test_a_kill_at_any_write_of_a_ruling_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, name: str
) -> None:
    case, here = CASES[name](), tmp_path / "here"
    here.mkdir()
    copies = Copies(here, tmp_path / "copies")
    await ruled(here, copies, case, FORMATS[form], monkeypatch)
    stored = [await went_on(copy, case) for copy in copies.made]
    assert (stored[0], stored[-1]) == (False, True)
    assert stored == sorted(stored)  # once it is stored it stays
