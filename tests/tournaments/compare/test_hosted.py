"""Sets that bots play as processes, at a referee that a test plays: decks, processes, voids and forfeits."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest

from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup, Outcome, Owner
from referee.match.faults import FaultCounts, Termination
from referee.server.addresses import CannotListen
from referee.server.runtime import FinishedMatch
from tests.workspace import ALONE
from tournaments.compare import hosted as module
from tournaments.compare.hosted import MAX_VOIDS, Hosted, PlayFailed
from tournaments.compare.sets import TURNS
from tournaments.hosting import cpu_use
from tournaments.plan.plan import Hosting
from tournaments.running.hosted import Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.referee_host import RefereeHost

COMPLETED, FORFEIT, VOID = Termination.COMPLETED, Termination.FORFEIT, Termination.VOID

every_game = pytest.mark.parametrize("game", GAMES)


@dataclass
class PlayedByTest:
    """A referee at which every match ends at once, as ``ends`` says; the bots in ``away`` are not there."""

    ends: Callable[[MatchSetup], Termination] = lambda setup: COMPLETED
    away: set[Owner] = field(default_factory=set)
    opened: list[tuple[MatchSetup, tuple[Owner, ...]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    @property
    def core(self) -> Any:
        return SimpleNamespace(sessions=SimpleNamespace(free_tables=lambda owner: owner not in self.away))

    def play(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> asyncio.Future[FinishedMatch]:
        assert len(set(owners)) == len(owners)
        self.opened.append((setup, owners))
        over = asyncio.get_running_loop().create_future()
        over.set_result(self._report(setup))
        return over

    def _report(self, setup: MatchSetup) -> FinishedMatch:
        rules, ends = GAMES[setup.game], self.ends(setup)
        sides = len(rules.sides) if ends is COMPLETED else 0
        outcome = Outcome(
            termination=ends,
            ranks=tuple(range(1, sides + 1)),
            scores=(0,) * sides,
            capped=False,
            faults=(FaultCounts(),) * rules.seats,
            forfeited=(0,) if ends is FORFEIT else (),  # type: ignore[arg-type]
        )
        path = Path("records") / f"{setup.match_id}.{setup.attempt}.jsonl.gz"
        return FinishedMatch(setup=setup, outcome=outcome, path=path, sha256="", started="", duration=1)

    def settle(self, report: FinishedMatch) -> None:
        self.said.append(f"settled {report.setup.epoch}")

    def close_epoch(self, name: str) -> None:
        self.said.append(f"closed {name}")


def player(referee: PlayedByTest, game: str = "hearts", lost: dict[Owner, Lost] | None = None) -> Hosted:
    host = cast("RefereeHost", SimpleNamespace(referee=referee))
    made = Hosted(host, game, 1, PROFILES["standard"], {"a": "mine.py", "b": "greedy"})
    made.bots = cast("HostedBots", SimpleNamespace(lost=lost or {}, failed=None))
    return made


@every_game
def test_no_process_ever_meets_a_deck_twice(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_use, "COUNT", 6)
    hosted = player(PlayedByTest(), game)
    assert hosted.at_once == 3
    each = [hosted.owners(lane, turn) for lane in (1, 2, 3) for turn in TURNS]
    assert [owner for owners in each for owner in owners] == list(hosted.all_owners)
    assert len(set(hosted.all_owners)) == 6 * GAMES[game].seats


@pytest.mark.parametrize(("processors", "sets"), [(1, 1), (2, 1), (3, 1), (4, 2), (64, 4)])
def test_there_are_not_more_sets_at_once_than_processors_for_them(
    monkeypatch: pytest.MonkeyPatch, processors: int, sets: int
) -> None:
    monkeypatch.setattr(cpu_use, "COUNT", processors)
    assert player(PlayedByTest()).at_once == sets


@pytest.mark.asyncio
async def test_sets_at_once_are_played_by_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_use, "COUNT", 4)
    referee = PlayedByTest()
    hosted = player(referee, "piquet")
    await asyncio.gather(*(hosted.play(number) for number in (1, 2)))
    assert len({owner for _setup, owners in referee.opened for owner in owners}) == 8
    await hosted.play(3)
    assert len(referee.opened) == 6


@every_game
@pytest.mark.asyncio
async def test_both_turns_of_a_set_share_their_deck_and_nothing_else(game: str) -> None:
    referee = PlayedByTest()
    hosted = player(referee, game)
    results = [await hosted.play(number) for number in (1, 2)]
    assert [result.number for result in results] == [1, 2]
    setups = [setup for setup, _owners in referee.opened]
    assert [setup.epoch for setup in setups] == ["set-1.1", "set-1.1", "set-2.1", "set-2.1"]
    assert len({setup.match_id for setup in setups}) == 4
    for setup, owners in referee.opened:
        assert setup.entries == tuple(entry for entry, _instance in owners)
        assert setup.faults.max_faults > 10_000, "no match has so many: nobody forfeits"
    assert referee.said == [
        *("settled set-1.1", "settled set-1.1", "closed set-1.1"),
        *("settled set-2.1", "settled set-2.1", "closed set-2.1"),
    ]


@pytest.mark.asyncio
async def test_a_set_of_which_a_turn_is_void_is_played_again_with_another_deck() -> None:
    referee = PlayedByTest(
        lambda setup: VOID if setup.attempt == 1 and setup.match_id.endswith("-2") else COMPLETED
    )
    result = await player(referee).play(7)
    assert result.number == 7
    tried = [(setup.match_id, setup.attempt, setup.epoch) for setup, _owners in referee.opened]
    assert tried == [
        ("hearts-7-1", 1, "set-7.1"),
        ("hearts-7-2", 1, "set-7.1"),
        ("hearts-7-1", 2, "set-7.2"),
        ("hearts-7-2", 2, "set-7.2"),
    ]


@pytest.mark.asyncio
async def test_a_machine_that_spoils_every_set_ends_it() -> None:
    referee = PlayedByTest(lambda setup: VOID)
    with pytest.raises(PlayFailed, match=f"^set 1 was void {MAX_VOIDS} times"):
        await player(referee).play(1)


@pytest.mark.asyncio
async def test_a_bot_that_takes_no_seat_ends_it() -> None:
    with pytest.raises(PlayFailed, match=r"^in set 3 mine.py did not take its seat: does it play hearts\?"):
        await player(PlayedByTest(lambda setup: FORFEIT)).play(3)


@pytest.mark.asyncio
async def test_nothing_begins_before_all_bots_are_there() -> None:
    referee = PlayedByTest(away={("b", "1.2.2")})
    hosted = player(referee)
    task = asyncio.create_task(hosted.play(1))
    for _ in range(3):
        hosted.wake()
        await asyncio.sleep(0)
    assert referee.opened == []
    referee.away.clear()
    hosted.wake()
    async with asyncio.timeout(ALONE):
        assert (await task).number == 1


@pytest.mark.asyncio
async def test_a_bot_that_is_gone_for_good_ends_it_with_its_last_words() -> None:
    owner = "a", "1.1.1"
    lost = {owner: Lost("a", "exited with status 3", ("no engine", "bye"), log=Path("a.log"))}
    hosted = player(PlayedByTest(away={owner}), lost=lost)
    with pytest.raises(PlayFailed) as failed:
        await hosted.play(1)
    assert str(failed.value) == (
        "mine.py is gone for good: exited with status 3; the end of its output (a.log):"
        "\n    no engine\n    bye"
    )


async def opened(folder: Path) -> None:
    """Open the referee of a comparison in a folder; the bots are none."""
    async with module.hosted(
        {},
        "hearts",
        1,
        folder=folder,
        base=folder,
        keys=SeededKeys("spring"),
        seed="spring",
        clock=PROFILES["fast"],
        rule=Hosting(),
        on_lost=lambda _lost: None,
        warn=lambda _text: None,
    ):
        pass


@pytest.mark.asyncio
async def test_unfinished_matches_of_an_earlier_run_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_nothing(*, folder: Path, **_others: object) -> NoReturn:
        raise CannotListen(f"{sorted(path.name for path in folder.iterdir())}")

    monkeypatch.setattr(module, "open_referee_host", open_nothing)
    (tmp_path / "records").mkdir()
    for _earlier in (False, True):
        with pytest.raises(CannotListen, match=r"^\['records'\]$"):
            await opened(tmp_path)
        (tmp_path / "journal").mkdir(exist_ok=True)
        (tmp_path / "journal/hearts-1-1.journal").touch()


@pytest.mark.asyncio
async def test_unfinished_matches_that_cannot_be_dropped_end_it(tmp_path: Path) -> None:
    (tmp_path / "journal").touch()
    with pytest.raises(NotADirectoryError):
        await opened(tmp_path)
