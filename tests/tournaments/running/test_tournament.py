"""A tournament: started, paused, resumed, cancelled, left."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.match.effects import Owner
from referee.match.faults import Termination
from tests.tournaments.tournament_under_test import (
    CUP,
    HEAD,
    TWO,
    TournamentUnderTest,
    hosted,
    opened_tournament,
    remote,
    written,
)
from tournaments.plan.states import TournamentState
from tournaments.running.errors import WrongState
from tournaments.running.watch import EntryChanged, MatchBegun, StateChanged
from tournaments.store import Store

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]


# From beginning to end


async def test_all_is_played_and_published(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        assert (tested.tournament.state, tested.store.issued_count()) == (TournamentState.CREATED, 0)
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        await tested.settled()
        assert tested.states == [TournamentState.RUNNING, TournamentState.FINISHED]
        assert tested.present == [("a", True), ("b", True)]
        assert [match.match_id for match in tested.begun] == [
            issued.match_id for issued in tested.store.last_issued(9)
        ]
        assert {match.match_id for match in tested.finished} == {match.match_id for match in tested.begun}
        assert {match.termination for match in tested.finished} == {Termination.COMPLETED}
        assert sum(line.matches for line in (await tested.tournament.standings()).standings) == 4
        snapshot = tested.tournament.snapshot()
        assert (snapshot.planned, snapshot.issued, snapshot.played, snapshot.playing) == (2, 2, 2, 0)
        with pytest.raises(WrongState, match="it is finished"):
            tested.tournament.start()
        with pytest.raises(WrongState, match="it is finished"):
            tested.tournament.pause()
        with pytest.raises(WrongState, match="it is finished already"):
            await tested.tournament.cancel()


@pytest.mark.parametrize(("seed", "matches"), [(0, 4), (1, 5)])
async def test_the_second_final_counts_when_there_is_one(tmp_path: Path, seed: int, matches: int) -> None:
    text = f'{HEAD}format = "double_knockout"\nseed = {seed}\n{remote("a", "b", "c")}'
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        assert tested.tournament.snapshot().planned == 4
        for name in "abc":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        snapshot = tested.tournament.snapshot()
        assert (snapshot.planned, snapshot.issued, snapshot.played) == (matches, matches, matches)


async def test_what_is_published_says_nothing_of_a_match_that_is_being_played(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        known = {StateChanged, EntryChanged, MatchBegun}
        assert {type(change) for change in tested.seen} == known
        assert tested.begun[0].__slots__ == ("match_id", "attempt", "round", "entries")


async def test_beginning_twice_is_beginning_once(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        tested.tournament.start()
        run = tested.tournament.running
        tested.tournament.start()
        assert tested.tournament.running is run


async def test_what_is_left_goes_on_in_the_next_run(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
    async with opened_tournament(tmp_path, plan) as tested:
        assert tested.tournament.state is TournamentState.RUNNING
        assert tested.tournament.snapshot().playing == 2
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        assert [match.attempt for match in tested.finished] == [1, 1]
    async with opened_tournament(tmp_path, plan) as tested:
        assert tested.tournament.state is TournamentState.FINISHED
        with pytest.raises(WrongState, match="it is finished"):
            tested.tournament.start()


async def test_rounds_that_are_added_are_played(tmp_path: Path) -> None:
    for rounds in (2, 3):
        async with opened_tournament(
            tmp_path, written(tmp_path, TWO.replace("rounds = 2", f"rounds = {rounds}"))
        ) as tested:
            for name in "ab":
                tested.guest(name)
            tested.tournament.start()
            await tested.tournament.running
            assert tested.store.played_count() == rounds


# Pausing


async def test_a_pause_lets_end_what_is_being_played_and_no_more_begin(tmp_path: Path) -> None:
    async with opened_tournament(
        tmp_path, written(tmp_path, TWO.replace("rounds = 2", "rounds = 4"))
    ) as tested:
        guests = [tested.guest(name, held=True) for name in "ab"]
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.tournament.pause()
        with pytest.raises(WrongState, match="it is pausing"):
            tested.tournament.start()
        with pytest.raises(WrongState, match="it is paused: only what is running can be paused"):
            tested.tournament.pause()
        for guest in guests:
            guest.open.set()
        await tested.until_over()
        assert (len(tested.begun), len(tested.finished)) == (2, 2)
        tested.tournament.start()
        await tested.tournament.running
        await tested.settled()
        assert len(tested.finished) == 4
        assert tested.states == [
            TournamentState.RUNNING,
            TournamentState.PAUSED,
            TournamentState.RUNNING,
            TournamentState.FINISHED,
        ]


async def test_a_pause_at_once_is_a_pause(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        tested.tournament.pause()
        await tested.until_over()
        assert (tested.begun, tested.tournament.state) == ([], TournamentState.PAUSED)
        assert tested.failures == []


async def test_a_pause_that_the_end_of_the_process_cuts_short_is_no_failure(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.tournament.pause()
        await tested.settled()
    assert tested.tournament.running.cancelled()
    assert tested.failures == []


async def test_what_was_being_played_in_a_pause_is_played_again_after_a_restart(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.tournament.pause()
        await tested.settled()
    async with opened_tournament(tmp_path, plan) as tested:
        assert tested.tournament.state is TournamentState.PAUSED
        assert len(tested.host.referee.core.matches) == 0  # nobody loses on time what nobody plays
        for name in "ab":
            tested.guest(name)
        tested.tournament.start()
        await tested.tournament.running
        assert tested.store.terminations() == {Termination.CANCELLED: 2, Termination.COMPLETED: 2}
        assert [match.attempt for match in tested.begun] == [1, 1, 2, 2]  # the first two were taken over


# Cancelling


async def test_what_is_cancelled_has_no_results_and_does_not_go_on(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        await tested.tournament.cancel()
        await tested.settled()
        assert tested.store.terminations() == {Termination.CANCELLED: 2}
        assert tested.states == [TournamentState.RUNNING, TournamentState.CANCELLED]
        assert tested.failures == []
        with pytest.raises(WrongState, match="it is cancelled, and cannot begin again"):
            tested.tournament.start()
        with pytest.raises(WrongState, match="it is cancelled already"):
            await tested.tournament.cancel()
    async with opened_tournament(tmp_path, plan) as tested:
        assert (tested.tournament.state, len(tested.host.referee.core.matches)) == (
            TournamentState.CANCELLED,
            0,
        )
        with pytest.raises(WrongState, match="it is cancelled"):
            tested.tournament.start()


async def test_a_pause_can_be_cancelled_while_matches_end(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.tournament.pause()
        await tested.tournament.cancel()
        assert tested.store.terminations() == {Termination.CANCELLED: 2}
        assert tested.tournament.state is TournamentState.CANCELLED


@pytest.mark.parametrize("how", ["created", "paused"])
async def test_what_does_not_run_can_be_cancelled(tmp_path: Path, how: str) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        if how == "paused":
            tested.tournament.start()
            tested.tournament.pause()
            await tested.until_over()
        await tested.tournament.cancel()
        assert tested.tournament.state is TournamentState.CANCELLED
        assert tested.failures == []


async def test_a_match_that_is_cancelled_often_fails_nothing(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        for times in range(1, 5):
            await tested.until(lambda times=times: len(tested.begun) == 2 * times)
            for setup in tested.host.referee.core.matches.setups:
                tested.host.referee.cancel(setup.match_id)
        await tested.until(lambda: len(tested.begun) == 10)
        assert (tested.failures, tested.tournament.state) == ([], TournamentState.RUNNING)


async def test_being_killed_while_it_is_cancelled_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written(tmp_path, TWO)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)

        def killed(_match_id: str) -> bool:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(tested.host.referee, "cancel", killed)
            with pytest.raises(KeyboardInterrupt):
                await tested.tournament.cancel()
    async with opened_tournament(tmp_path, plan) as tested:
        # nobody was told that it is cancelled: it goes on
        assert (tested.tournament.state, len(tested.host.referee.core.matches)) == (
            TournamentState.RUNNING,
            2,
        )


async def test_what_is_cancelled_does_not_go_on_where_a_kill_left_it(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with opened_tournament(tmp_path, plan) as tested:
        for name in "ab":
            tested.guest(name, held=True)
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        tested.store.set_state(TournamentState.CANCELLED)
    async with opened_tournament(tmp_path, plan) as tested:
        assert len(tested.host.referee.core.matches) == 0


# At a referee host with others


async def test_nothing_of_the_referee_or_of_other_tournaments_is_shown_to_a_sandbox(tmp_path: Path) -> None:
    others = {tmp_path / "other.fairdeal", tmp_path / "cup.fairdeal.season-1"}
    for other in others:
        other.mkdir()
    async with opened_tournament(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as tested:
        hidden = tested.tournament._hidden_from("h")
        assert {*others, tested.plan.folder} <= set(hidden)
        assert {path.name for path in hidden} >= {"journal", "records", "secrets", "tokens.json"}


async def test_a_bot_that_was_busy_in_another_tournament_is_seated_when_it_is_free(tmp_path: Path) -> None:
    one, other = (written(tmp_path, TWO, name) for name in ("one", "other"))
    async with opened_tournament(tmp_path, one, other) as (first, second):
        guests = [first.guest(name, tables=1, held=True) for name in "ab"]
        first.tournament.start()
        await first.until(lambda: len(first.begun) == 1)
        second.tournament.start()
        await second.settled()
        assert second.begun == []
        first.tournament.pause()  # it plays no more, and nothing else of the second one changes
        for guest in guests:
            guest.open.set()
        await second.tournament.running
        assert len(second.finished) == 2


@pytest.mark.process
async def test_hosted_bots_of_one_name_are_of_different_tournaments(tmp_path: Path) -> None:
    text = CUP + hosted("h") + remote("a")
    plans = [replace(written(tmp_path, text, name), instance=name) for name in ("one", "other")]
    async with opened_tournament(tmp_path, *plans) as (first, second):
        first.tournament.start()
        second.tournament.start()
        await first.until(lambda: first.tournament._bots.running)
        first.guest("a")
        first.hosted_guest("h")
        await first.tournament.running
        assert len(first.finished) == 2
        assert second.begun == []


@pytest.mark.process
async def test_nobody_else_plays_for_a_bot_that_is_hosted(tmp_path: Path) -> None:
    plan = written(tmp_path, CUP + hosted("h") + remote("a"))
    async with opened_tournament(tmp_path, plan) as tested:
        early = tested.guest("h")  # before its own bot is there
        assert not tested.host.referee.core.sessions.is_here(("h", ""))
        assert early.denied
        tested.tournament.start()
        tested.guest("a")
        late = tested.guest("h")
        await tested.until(lambda: tested.tournament._bots.running)
        assert late.denied
        assert tested.begun == []
        tested.hosted_guest("h")
        await tested.tournament.running
        assert len(tested.finished) == 2


@pytest.mark.process
async def test_who_was_there_before_a_hosted_bot_gets_none_of_its_seats(tmp_path: Path) -> None:
    plans = [written(tmp_path, CUP + hosted("h") + remote("a"))]
    async with opened_tournament(tmp_path, written(tmp_path, TWO, "earlier")) as earlier:
        impostor = earlier.guest("h")
        with Store.open(plans[0]) as store:
            tested = TournamentUnderTest(plans[0], store, earlier.host)
            tested.tournament.take_over()
            tested.tournament.start()
            tested.guest("a")
            await tested.until(lambda: tested.tournament._bots.running)
            assert earlier.host.referee.core.sessions.free_tables(("h", "")) > 0
            assert (tested.begun, impostor.seats) == ([], 0)
            hosted_bot = tested.hosted_guest("h")
            await tested.tournament.running
            assert (hosted_bot.seats, impostor.seats) == (2, 0)
            await tested.close()


class RunnerNotes:
    """Notes what a runner would be told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def wake(self) -> None:
        self.told.append("finished")

    def arrived(self, owner: Owner) -> None:
        self.told.append(f"arrived {owner[0]}")


async def test_a_closed_tournament_is_told_no_more_of_others(tmp_path: Path) -> None:
    plan = written(tmp_path, CUP + remote("a", "b"))
    async with opened_tournament(tmp_path, written(tmp_path, TWO, "earlier")) as earlier:
        with Store.open(plan) as store:
            tested = TournamentUnderTest(plan, store, earlier.host)
            runner: Any = RunnerNotes()
            tested.tournament._runner = runner
            earlier.host.arrived(("c", ""))
            earlier.host.finished()
            assert runner.told == ["arrived c", "finished"]
            await tested.tournament.close()
            await tested._watching
            earlier.host.arrived(("c", ""))
            earlier.host.finished()
            assert runner.told == ["arrived c", "finished"]
