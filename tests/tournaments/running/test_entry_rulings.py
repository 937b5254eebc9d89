"""An entry is withdrawn, disqualified or brought back while its tournament is played."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from referee.match.faults import Termination
from tests.tournaments.cup import Cup
from tests.tournaments.tournament_under_test import CUP, HEAD, opened_tournament, remote, written
from tournaments.plan.states import Chosen, RulingKind, TournamentState
from tournaments.running.entry_rulings import rule
from tournaments.running.errors import WrongState
from tournaments.running.rulings import rule as rule_on_matches

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]

WHY: Final = ("olga", "a slow machine")

WITHDRAW, DISQUALIFY, REINSTATE = RulingKind.WITHDRAW, RulingKind.DISQUALIFY, RulingKind.REINSTATE
FORMATS: Final = {
    "round_robin": CUP,
    "swiss": f'{HEAD}format = "swiss"\nrounds = 3\n',
    "knockout": f'{HEAD}format = "knockout"\n',
    "double_knockout": f'{HEAD}format = "double_knockout"\n',
}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS)
async def test_what_it_plays_ends_without_a_result_and_the_others_go_on(tmp_path: Path, text: str) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, text + remote("a", "b", "c", "d"))) as tested:
        guests = [tested.guest(name, held=name == "b") for name in "abcd"]
        tested.tournament.start()
        await tested.until(lambda: any("b" in each.entries for each in tested.begun))
        await rule(tested.tournament, WITHDRAW, "b", *WHY)
        for guest in guests:
            guest.open.set()
        await tested.tournament.running
        snapshot = tested.tournament.snapshot()
        assert snapshot.state is TournamentState.FINISHED
        assert snapshot.attempts[Termination.CANCELLED] >= 1
        assert not any("b" in issued.entries for issued, _result in tested.store.results())
        assert {each.name: each.state for each in snapshot.entries}["b"] == "withdrawn"
        assert (tested.store.to_do(), snapshot.skipped > 0) == ((), True)


async def test_who_is_back_plays_what_was_left_out(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + remote("a", "b", "c"))) as tested:
        guests = [tested.guest(name, held=name == "b") for name in "abc"]
        tested.tournament.start()
        await tested.until(lambda: any("b" in each.entries for each in tested.begun))
        await rule(tested.tournament, DISQUALIFY, "b", *WHY, is_struck=True)
        await rule(tested.tournament, REINSTATE, "b", *WHY)
        for guest in guests:
            guest.open.set()
        await tested.tournament.running
        found = await tested.tournament.standings()
        assert {each.entry: each.matches for each in found.standings} == {"a": 4, "b": 4, "c": 4}


async def test_what_was_finished_is_paused_when_there_is_something_to_play(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + remote("a", "b", "c"))) as tested:
        await rule(tested.tournament, WITHDRAW, "c", *WHY)  # before it begins
        for name in "abc":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        assert len(tested.finished) == 2
        assert tested.tournament.state is TournamentState.FINISHED
        await rule(tested.tournament, REINSTATE, "c", *WHY)
        assert tested.tournament.state is TournamentState.PAUSED
        tested.tournament.start()
        await tested.tournament.running
        assert (tested.tournament.state, len(tested.finished)) == (TournamentState.FINISHED, 6)


async def test_several_are_void_or_none_and_all_mistakes_are_told(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + remote("a", "b", "c"))) as tested:
        guests = [tested.guest(name, held=True) for name in "abc"]
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) >= 2)
        first, second, *_ = (each.match_id for each in tested.begun)
        with pytest.raises(WrongState, match=r"^m0, m1 are not being played; .* no match is void now$"):
            await rule_on_matches(
                tested.tournament, RulingKind.VOID, Chosen([first, "m0", second, "m1"]), *WHY
            )
        assert tested.store.adjudications() == ()
        await rule_on_matches(tested.tournament, RulingKind.VOID, Chosen([first[:-2], second]), *WHY)
        assert [each.match_id for each in tested.store.adjudications()] == [first, second]
        for guest in guests:
            guest.open.set()
        await tested.tournament.running
        attempts = {issued.match_id: issued.attempt for issued, _result in tested.store.results()}
        assert (attempts[first], attempts[second], len(attempts)) == (2, 2, 6)


@pytest.mark.parametrize("is_back", [False, True])
async def test_a_match_in_play_of_who_was_taken_out_while_nobody_ran_it(
    tmp_path: Path, is_back: bool
) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        running.cancel()
    async with Cup(tmp_path, "ab") as cup:
        cup.store.rule_on_entry(WITHDRAW, "a", *WHY)
        if is_back:
            cup.store.rule_on_entry(REINSTATE, "a", *WHY)
        for name in "ab":
            cup.guest(name)
        await cup.run()
        assert [issued.attempt for issued, _result in cup.store.results()] == ([1, 1] if is_back else [])
        assert len(list(cup.store.voids())) == (0 if is_back else 2)
    async with Cup(tmp_path, "ab") as cup:
        assert cup.host.recovered == ()


async def test_a_match_that_was_made_void_before_the_referee_was_killed(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        first, second = cup.store.to_do()
        assert cup.store.void([first], *WHY) == []  # and then it is killed
        running.cancel()
    async with Cup(tmp_path, "ab") as cup:
        for name in "ab":
            cup.guest(name)
        await cup.run()
        results = {issued.match_id: issued.attempt for issued, _result in cup.store.results()}
        assert results == {first.match_id: 2, second.match_id: 1}
        (told,) = cup.store.adjudications()
        assert (told.kind, told.match_id, told.attempt, told.who, told.why) == (
            "void",
            first.match_id,
            1,
            *WHY,
        )
