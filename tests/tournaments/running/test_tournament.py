"""A tournament: begun, paused, gone on with, cancelled, left."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.match.effects import Owner
from referee.match.faults import Termination
from tests.tournaments.stage import CUP, HEAD, TWO, Stage, hosted, remote, staged, written
from tournaments.plan.states import TournamentState
from tournaments.running.tournament import WrongState
from tournaments.running.watch import EntryChanged, MatchBegun, StateChanged
from tournaments.store import Store

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]


# From beginning to end


async def test_all_is_played_and_published(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        assert (stage.tournament.state, stage.store.issued_count()) == (TournamentState.CREATED, 0)
        for name in "ab":
            stage.guest(name)
        stage.tournament.start()
        await stage.tournament.running
        await stage.settled()
        assert stage.states == [TournamentState.RUNNING, TournamentState.FINISHED]
        assert stage.present == [("a", True), ("b", True)]
        assert [match.match_id for match in stage.begun] == [
            issued.match_id for issued in stage.store.last_issued(9)
        ]
        assert {match.match_id for match in stage.finished} == {match.match_id for match in stage.begun}
        assert {match.termination for match in stage.finished} == {Termination.COMPLETED}
        assert sum(line.matches for line in (await stage.tournament.standings()).standings) == 4
        snapshot = stage.tournament.snapshot()
        assert (snapshot.planned, snapshot.issued, snapshot.played, snapshot.playing) == (2, 2, 2, 0)
        with pytest.raises(WrongState, match="it is finished"):
            stage.tournament.start()
        with pytest.raises(WrongState, match="it is finished"):
            stage.tournament.pause()
        with pytest.raises(WrongState, match="it is finished already"):
            await stage.tournament.cancel()


@pytest.mark.parametrize(("seed", "matches"), [(0, 4), (1, 5)])
async def test_the_second_final_counts_when_there_is_one(tmp_path: Path, seed: int, matches: int) -> None:
    text = f'{HEAD}format = "double_knockout"\nseed = {seed}\n{remote("a", "b", "c")}'
    async with staged(tmp_path, written(tmp_path, text)) as stage:
        assert stage.tournament.snapshot().planned == 4
        for name in "abc":
            stage.guest(name)
        stage.tournament.start()
        await stage.tournament.running
        snapshot = stage.tournament.snapshot()
        assert (snapshot.planned, snapshot.issued, snapshot.played) == (matches, matches, matches)


async def test_what_is_published_says_nothing_of_a_match_that_is_being_played(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        known = {StateChanged, EntryChanged, MatchBegun}
        assert {type(change) for change in stage.seen} == known
        assert stage.begun[0].__slots__ == ("match_id", "attempt", "round", "entries")


async def test_beginning_twice_is_beginning_once(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        stage.tournament.start()
        run = stage.tournament.running
        stage.tournament.start()
        assert stage.tournament.running is run


async def test_what_is_left_goes_on_in_the_next_run(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with staged(tmp_path, plan) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
    async with staged(tmp_path, plan) as stage:
        assert stage.tournament.state is TournamentState.RUNNING
        assert stage.tournament.snapshot().playing == 2
        for name in "ab":
            stage.guest(name)
        stage.tournament.start()
        await stage.tournament.running
        assert [match.attempt for match in stage.finished] == [1, 1]
    async with staged(tmp_path, plan) as stage:
        assert stage.tournament.state is TournamentState.FINISHED
        with pytest.raises(WrongState, match="it is finished"):
            stage.tournament.start()


async def test_rounds_that_are_added_are_played(tmp_path: Path) -> None:
    for rounds in (2, 3):
        async with staged(
            tmp_path, written(tmp_path, TWO.replace("rounds = 2", f"rounds = {rounds}"))
        ) as stage:
            for name in "ab":
                stage.guest(name)
            stage.tournament.start()
            await stage.tournament.running
            assert stage.store.played_count() == rounds


# Pausing


async def test_a_pause_lets_end_what_is_being_played_and_no_more_begin(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO.replace("rounds = 2", "rounds = 4"))) as stage:
        guests = [stage.guest(name, held=True) for name in "ab"]
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        stage.tournament.pause()
        with pytest.raises(WrongState, match="it is pausing"):
            stage.tournament.start()
        with pytest.raises(WrongState, match="it is paused: only what is running can be paused"):
            stage.tournament.pause()
        for guest in guests:
            guest.open.set()
        await stage.until_over()
        assert (len(stage.begun), len(stage.finished)) == (2, 2)
        stage.tournament.start()
        await stage.tournament.running
        await stage.settled()
        assert len(stage.finished) == 4
        assert stage.states == [
            TournamentState.RUNNING,
            TournamentState.PAUSED,
            TournamentState.RUNNING,
            TournamentState.FINISHED,
        ]


async def test_a_pause_at_once_is_a_pause(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        for name in "ab":
            stage.guest(name)
        stage.tournament.start()
        stage.tournament.pause()
        await stage.until_over()
        assert (stage.begun, stage.tournament.state) == ([], TournamentState.PAUSED)
        assert stage.failures == []


async def test_a_pause_that_the_end_of_the_process_cuts_short_is_no_failure(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with staged(tmp_path, plan) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        stage.tournament.pause()
        await stage.settled()
    assert stage.tournament.running.cancelled()
    assert stage.failures == []


async def test_what_was_being_played_in_a_pause_is_played_again_after_a_restart(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with staged(tmp_path, plan) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        stage.tournament.pause()
        await stage.settled()
    async with staged(tmp_path, plan) as stage:
        assert stage.tournament.state is TournamentState.PAUSED
        assert len(stage.host.referee.core.matches) == 0  # nobody loses on time what nobody plays
        for name in "ab":
            stage.guest(name)
        stage.tournament.start()
        await stage.tournament.running
        assert stage.store.terminations() == {Termination.CANCELLED: 2, Termination.COMPLETED: 2}
        assert [match.attempt for match in stage.begun] == [1, 1, 2, 2]  # the first two were taken over


# Cancelling


async def test_what_is_cancelled_has_no_results_and_does_not_go_on(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with staged(tmp_path, plan) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        await stage.tournament.cancel()
        await stage.settled()
        assert stage.store.terminations() == {Termination.CANCELLED: 2}
        assert stage.states == [TournamentState.RUNNING, TournamentState.CANCELLED]
        assert stage.failures == []
        with pytest.raises(WrongState, match="it is cancelled, and cannot begin again"):
            stage.tournament.start()
        with pytest.raises(WrongState, match="it is cancelled already"):
            await stage.tournament.cancel()
    async with staged(tmp_path, plan) as stage:
        assert (stage.tournament.state, len(stage.host.referee.core.matches)) == (
            TournamentState.CANCELLED,
            0,
        )
        with pytest.raises(WrongState, match="it is cancelled"):
            stage.tournament.start()


async def test_a_pause_can_be_cancelled_while_matches_end(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        stage.tournament.pause()
        await stage.tournament.cancel()
        assert stage.store.terminations() == {Termination.CANCELLED: 2}
        assert stage.tournament.state is TournamentState.CANCELLED


@pytest.mark.parametrize("how", ["created", "paused"])
async def test_what_does_not_run_can_be_cancelled(tmp_path: Path, how: str) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        if how == "paused":
            stage.tournament.start()
            stage.tournament.pause()
            await stage.until_over()
        await stage.tournament.cancel()
        assert stage.tournament.state is TournamentState.CANCELLED
        assert stage.failures == []


async def test_a_match_that_is_cancelled_often_fails_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path, written(tmp_path, TWO)) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        for times in range(1, 5):
            await stage.until(lambda times=times: len(stage.begun) == 2 * times)
            for setup in stage.host.referee.core.matches.setups:
                stage.host.referee.cancel(setup.match_id)
        await stage.until(lambda: len(stage.begun) == 10)
        assert (stage.failures, stage.tournament.state) == ([], TournamentState.RUNNING)


async def test_being_killed_while_it_is_cancelled_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written(tmp_path, TWO)
    async with staged(tmp_path, plan) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)

        def killed(_match_id: str) -> bool:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(stage.host.referee, "cancel", killed)
            with pytest.raises(KeyboardInterrupt):
                await stage.tournament.cancel()
    async with staged(tmp_path, plan) as stage:
        # nobody was told that it is cancelled: it goes on
        assert (stage.tournament.state, len(stage.host.referee.core.matches)) == (TournamentState.RUNNING, 2)


async def test_what_is_cancelled_does_not_go_on_where_a_kill_left_it(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO)
    async with staged(tmp_path, plan) as stage:
        for name in "ab":
            stage.guest(name, held=True)
        stage.tournament.start()
        await stage.until(lambda: len(stage.begun) == 2)
        stage.store.set_state(TournamentState.CANCELLED)
    async with staged(tmp_path, plan) as stage:
        assert len(stage.host.referee.core.matches) == 0


# At a referee host with others


async def test_nothing_of_the_referee_or_of_other_tournaments_is_shown_to_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "other.fairdeal").mkdir()
    async with staged(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as stage:
        hidden = stage.tournament._hidden_from("h")
        assert {tmp_path / "other.fairdeal", stage.plan.folder} <= set(hidden)
        assert {path.name for path in hidden} >= {"journal", "records", "secrets", "tokens.json"}


async def test_a_bot_that_was_busy_in_another_tournament_is_seated_when_it_is_free(tmp_path: Path) -> None:
    one, other = (written(tmp_path, TWO, name) for name in ("one", "other"))
    async with staged(tmp_path, one, other) as (first, second):
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
    async with staged(tmp_path, *plans) as (first, second):
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
    async with staged(tmp_path, plan) as stage:
        early = stage.guest("h")  # before its own bot is there
        assert not stage.host.referee.core.sessions.is_here(("h", ""))
        assert early.denied
        stage.tournament.start()
        stage.guest("a")
        late = stage.guest("h")
        await stage.until(lambda: stage.tournament._bots.running)
        assert late.denied
        assert stage.begun == []
        stage.hosted_guest("h")
        await stage.tournament.running
        assert len(stage.finished) == 2


@pytest.mark.process
async def test_who_was_there_before_a_hosted_bot_gets_none_of_its_seats(tmp_path: Path) -> None:
    plans = [written(tmp_path, CUP + hosted("h") + remote("a"))]
    async with staged(tmp_path, written(tmp_path, TWO, "earlier")) as earlier:
        impostor = earlier.guest("h")
        with Store.open(plans[0]) as store:
            stage = Stage(plans[0], store, earlier.host)
            stage.tournament.take_over()
            stage.tournament.start()
            stage.guest("a")
            await stage.until(lambda: stage.tournament._bots.running)
            assert earlier.host.referee.core.sessions.free_tables(("h", "")) > 0
            assert (stage.begun, impostor.seats) == ([], 0)
            hosted_bot = stage.hosted_guest("h")
            await stage.tournament.running
            assert (hosted_bot.seats, impostor.seats) == (2, 0)
            await stage.close()


class Told:
    """Notes what a runner would be told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def wake(self) -> None:
        self.told.append("finished")

    def arrived(self, owner: Owner) -> None:
        self.told.append(f"arrived {owner[0]}")


async def test_a_closed_tournament_is_told_no_more_of_others(tmp_path: Path) -> None:
    plan = written(tmp_path, CUP + remote("a", "b"))
    async with staged(tmp_path, written(tmp_path, TWO, "earlier")) as earlier:
        with Store.open(plan) as store:
            stage = Stage(plan, store, earlier.host)
            runner: Any = Told()
            stage.tournament._runner = runner
            earlier.host.arrived(("c", ""))
            earlier.host.finished()
            assert runner.told == ["arrived c", "finished"]
            await stage.tournament.close()
            await stage._watching
            earlier.host.arrived(("c", ""))
            earlier.host.finished()
            assert runner.told == ["arrived c", "finished"]
