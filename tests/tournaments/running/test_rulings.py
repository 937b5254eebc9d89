"""An organiser's rulings on matches of a tournament that is being played, or waits at a server."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from referee.match.faults import Termination
from tests.tournaments.tournament_under_test import CUP, HEAD, TWO, opened_tournament, remote, written
from tournaments.plan.plan import Plan
from tournaments.plan.states import Chosen, RulingKind, TournamentState
from tournaments.running.errors import WrongState
from tournaments.running.progress import Progress
from tournaments.running.rulings import rule
from tournaments.standings import Live
from tournaments.store import Issued, Store, StoreError, StoreLost

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]
WHY: Final = ("olga", "a slow machine")


class Again(Progress):
    """Counts the matches that are to be played again."""

    def __init__(self) -> None:
        self.matches = 0

    def taken_back(self, matches: int) -> None:
        self.matches += matches


async def test_a_match_is_played_again_while_others_are_played(tmp_path: Path) -> None:
    again = Again()
    plan = written(tmp_path, CUP + remote("a", "b", "c"))
    async with opened_tournament(tmp_path, plan, progress=[again]) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) == 2)  # the others wait for c
        before = await tested.tournament.standings()
        name = tested.finished[0].match_id
        await rule(tested.tournament, RulingKind.REPLAY, Chosen([name]), *WHY)
        assert again.matches == 1
        await tested.until(lambda: len(tested.finished) == 3)
        assert [(each.match_id, each.attempt) for each in tested.finished[2:]] == [(name, 2)]
        assert (
            before != await tested.tournament.standings() == Live(tested.store, plan, rebuild=True).report()
        )
        tested.guest("c")
        await tested.tournament.running
        snapshot = tested.tournament.snapshot()
        assert (snapshot.state, snapshot.played, snapshot.taken_back) == (TournamentState.FINISHED, 6, 1)
        assert [(each.match_id, each.who, each.why) for each in snapshot.rulings] == [(name, *WHY)]
        counted = tested.store.terminations()
        tested.store._ended = None
        assert tested.store.terminations() == counted


async def test_a_match_is_annulled_while_others_are_played(tmp_path: Path) -> None:
    plan = written(tmp_path, CUP + remote("a", "b", "c"))
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) == 2)
        await tested.tournament.standings()
        await rule(tested.tournament, RulingKind.ANNUL, Chosen([tested.finished[0].match_id]), *WHY)
        found = await tested.tournament.standings()
        assert {each.entry: each.matches for each in found.standings} == {"a": 1, "b": 1, "c": 0}
        tested.guest("c")
        await tested.tournament.running
        snapshot = tested.tournament.snapshot()
        assert (snapshot.state, snapshot.played, snapshot.skipped) == (TournamentState.FINISHED, 5, 1)


async def test_nothing_is_issued_while_a_ruling_is_made(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        held: list[bool] = []

        def chosen(plan: Plan, store: Store) -> tuple[Issued, ...]:
            held.append(tested.tournament._runner.issuing.locked())
            return ()

        await tested.tournament.rulings.adjudicate(RulingKind.REPLAY, chosen, *WHY)
        assert held == [True]


async def test_a_finished_one_is_paused_and_goes_on_when_it_is_started(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        name = tested.finished[0].match_id
        await rule(tested.tournament, RulingKind.REPLAY, Chosen([name]), *WHY)
        assert tested.tournament.state is TournamentState.PAUSED
        tested.tournament.start()
        await tested.tournament.running
        assert tested.tournament.state is TournamentState.FINISHED
        assert (tested.finished[-1].match_id, tested.finished[-1].attempt) == (name, 2)


async def test_the_next_round_of_a_knockout_waits_for_the_match_that_is_played_again(tmp_path: Path) -> None:
    text = f'{HEAD}format = "knockout"\n{remote("a", "b", "c", "d")}'
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        guests = [tested.guest(name, held=name in "bc") for name in "abcd"]
        tested.tournament.start()
        await tested.until(lambda: tested.finished)
        name = tested.finished[0].match_id
        for guest in guests[:1]:
            guest.open.clear()
        await rule(tested.tournament, RulingKind.REPLAY, Chosen([name]), *WHY)
        for guest in guests:
            guest.open.set()
        await tested.tournament.running
        assert tested.tournament.state is TournamentState.FINISHED
        order = [each.match_id for each in tested.finished]
        final = tested.begun[-1].match_id
        assert order.count(name) == 2
        assert order.index(final) > max(at for at, each in enumerate(order) if each == name)


@pytest.mark.parametrize("patience", [0, 300])
@pytest.mark.parametrize("is_over", [False, True])
async def test_a_ruling_whose_answer_is_lost_is_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: int, is_over: bool
) -> None:
    plan = replace(written(tmp_path, CUP + remote("a", "b", "c")), store_patience=patience)
    async with opened_tournament(tmp_path, plan) as tested:
        tested.tournament._stored._sleep = _at_once
        for name in "abc" if is_over else "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) == (6 if is_over else 2))
        if is_over:
            await tested.tournament.running
        name = tested.finished[0].match_id
        kept = tested.store.take_back
        answers = ["done", None]

        def lost(results: Iterable[Issued], who: str, why: str) -> None:
            kept(results, who, why)
            if answers.pop() is None:
                raise StoreLost("the answer was lost")

        monkeypatch.setattr(tested.store, "take_back", lost)
        with nullcontext() if patience else pytest.raises(StoreError):
            await rule(tested.tournament, RulingKind.REPLAY, Chosen([name]), *WHY)
        assert len(tested.store.adjudications()) == 1
        if is_over:
            tested.tournament.start()
        else:
            tested.guest("c")
        await tested.tournament.running
        assert (tested.tournament.state, tested.store.to_do()) == (TournamentState.FINISHED, ())
        assert [each.attempt for each in tested.finished if each.match_id == name] == [1, 2]


async def _at_once(seconds: float) -> None:
    """Wait no time."""


async def test_a_running_match_is_void_and_played_again_and_it_is_told_why(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        guests = [tested.guest(name, held=True) for name in "ab"]
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        name = tested.begun[0].match_id
        await rule(tested.tournament, RulingKind.VOID, Chosen([name]), *WHY)
        (told,) = tested.store.adjudications()
        assert (told.kind, told.match_id, told.attempt, told.who, told.why) == ("void", name, 1, *WHY)
        with pytest.raises(WrongState, match="m0 is not being played"):
            await rule(tested.tournament, RulingKind.VOID, Chosen(["m0"]), *WHY)
        with pytest.raises(WrongState, match="m0 is not being played"):
            await rule(tested.tournament, RulingKind.VOID, Chosen([tested.begun[1].match_id, "m0"]), *WHY)
        with pytest.raises(WrongState, match="a match without a name is not being played"):
            await rule(tested.tournament, RulingKind.VOID, Chosen([""]), *WHY)
        with pytest.raises(WrongState, match="needs a reason"):
            await rule(tested.tournament, RulingKind.VOID, Chosen([name]), "olga", "")
        with pytest.raises(WrongState, match=r"two_handed_spades- \(it begins 2 matches\) is not being"):
            await rule(tested.tournament, RulingKind.VOID, Chosen(["two_handed_spades-"]), *WHY)
        assert len(tested.store.adjudications()) == 1
        for guest in guests:
            guest.open.set()
        await tested.tournament.running
        snapshot = tested.tournament.snapshot()
        assert (snapshot.played, snapshot.taken_back, len(snapshot.rulings)) == (2, 0, 1)
        assert snapshot.attempts == {Termination.COMPLETED: 2, Termination.CANCELLED: 1}
        with pytest.raises(WrongState, match="is not being played; what is over can be played again"):
            await rule(tested.tournament, RulingKind.VOID, Chosen([name]), *WHY)
