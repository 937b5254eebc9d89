"""`fairdeal compare` with house bots, which play in this process."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from tests.tournaments.conftest import Fairdeal
from tournaments.cli.compare import lines, shown, status
from tournaments.compare.conduct import Comparison
from tournaments.compare.contenders import contender
from tournaments.compare.in_process import InProcess
from tournaments.compare.sequential import Interval
from tournaments.compare.sets import BOTS, Play, SetResult
from tournaments.compare.tally import SetTally
from tournaments.par import lineup
from tournaments.plan.plan import Hosting
from tournaments.running.hosted import Lost

Points = Callable[[int], tuple[float, float]]


@pytest.fixture
def playing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Points], list[int]]:
    """Return a function that has sets give these points, and returns the numbers of those that are played."""

    def change(points: Points) -> list[int]:
        numbers: list[int] = []

        async def play(_player: InProcess, number: int) -> SetResult:
            numbers.append(number)
            first, second = points(number)
            return SetResult(number, (Play(first, 1.0), Play(second, 0.0, (1, 0))))

        monkeypatch.setattr(InProcess, "play", play)
        return numbers

    return change


def better(number: int) -> tuple[float, float]:
    return 10.0 + number % 5, -4.0 - number % 3


def worse(number: int) -> tuple[float, float]:
    first, second = better(number)
    return -first, -second


def noise(number: int) -> tuple[float, float]:
    return (9.0, -4.0) if number % 2 else (-9.0, 4.0)


def test_real_sets_of_unlike_bots_are_decided(fairdeal: Fairdeal) -> None:
    done = fairdeal("compare", "greedy", "random", "--game", "euchre", "--seed", "spring")
    assert done.status == 0
    assert re.match(r"euchre: greedy is better than random, after \d+ sets\n", done.out)
    assert re.search(r"  points a deal, greedy over random: \+[0-9.]+ \(\+[0-9.]+ to \+[0-9.]+\)\n", done.out)
    fresh = fairdeal("compare", "greedy", "random", "--game", "euchre", "--seed", "spring", "--fresh")
    assert (fresh.status, fresh.out) == (0, done.out)  # its progress depends on how quick the machine is
    again = fairdeal("compare", "greedy", "random", "--game", "euchre", "--seed", "spring")
    assert (again.status, again.out) == (0, done.out)
    assert re.search(r"going on after \d+ sets of an earlier run; --fresh starts from scratch\n", again.err)


def test_the_same_bot_twice_plays_equally_well(fairdeal: Fairdeal) -> None:
    done = fairdeal("compare", "greedy", "greedy", "--game", "two_handed_spades", "--sets", 17)
    assert done.status == 4
    assert "no difference seen in 17 sets: each came out even\n" in done.out
    assert "points a deal, greedy (A) over greedy (B): +0 (-" in done.out
    assert "duplicate factor" not in done.out
    assert "the same command with a higher --sets goes on" in done.out


@pytest.mark.parametrize(
    ("points", "code", "verdict"), [(better, 0, "a"), (worse, 3, "b"), (noise, 4, "undecided")]
)
def test_the_exit_status_and_json_say_who_is_better(
    fairdeal: Fairdeal, playing: Callable[[Points], list[int]], points: Points, code: int, verdict: str
) -> None:
    numbers = playing(points)
    done = fairdeal("compare", "greedy", "random", "--game", "piquet", "--sets", 40, "--deals", 2, "--json")
    assert done.status == code
    assert (done.json["a"], done.json["b"]) == ("greedy", "random")
    (found,) = done.json["games"]
    assert (found["game"], found["deals"], found["most"], found["error"]) == ("piquet", 2, 40, 0.05)
    assert found["verdict"] == verdict
    assert found["sets"] == len(numbers)
    assert found["faults"] == {"a": len(numbers), "b": 0}
    assert found["points"]["low"] < found["points"]["mean"] < found["points"]["high"]
    assert found["won"]["mean"] == 0.5
    assert found["factor"]["points"] > 0
    assert Path(found["folder"]).is_dir()


def test_before_the_first_interval_nothing_is_made_up(
    fairdeal: Fairdeal, playing: Callable[[Points], list[int]]
) -> None:
    playing(better)
    done = fairdeal("compare", "greedy", "random", "--game", "hearts", "--sets", 3)
    assert done.status == 4
    assert "(no interval yet)" in done.out
    assert "the same command with a higher --sets goes on" in done.out
    data = fairdeal("compare", "greedy", "random", "--game", "hearts", "--sets", 3, "--json").json
    assert data["games"][0]["points"]["low"] is None


def test_one_log_of_each_bot_that_has_faults_is_named(tmp_path: Path) -> None:
    comparison = Comparison(
        bots=(contender("greedy", "a", tmp_path), contender("random", "b", tmp_path)),
        game="hearts",
        deals=1,
        most=9,
        error=0.05,
        folder=tmp_path,
        base=tmp_path,
        seed=None,
        clock=PROFILES["standard"],
        hosting=Hosting(),
    )
    logs, tally = tmp_path / "logs", SetTally()
    tally.add(SetResult(1, (Play(1.0, 1.0), Play(0.0, 0.0, (1, 0)))))
    logs.mkdir()
    told = "  faults: 1 by mine, 0 by greedy; a default action was played for each, see "
    assert f"{told}{logs}" in lines(tally, comparison, ("mine", "greedy"))
    for name, length in (
        ("a~1.1.1.log", 1),
        ("a~1.2.1.log", 9),
        ("a~1.2.1.kept.jsonl", 99),
        ("b~1.1.1.log", 99),
    ):
        (logs / name).write_text("x" * length)
    assert f"{told}{logs / 'a~1.2.1.log'}" in lines(tally, comparison, ("mine", "greedy"))
    tally.add(SetResult(2, (Play(1.0, 1.0, (0, 1)), Play(0.0, 0.0))))
    both = f"see {logs / 'a~1.2.1.log'} and {logs / 'b~1.1.1.log'}"
    assert any(line.endswith(both) for line in lines(tally, comparison, ("mine", "greedy")))


def test_it_goes_on_where_it_was(fairdeal: Fairdeal, playing: Callable[[Points], list[int]]) -> None:
    numbers = playing(noise)
    words = ("compare", "greedy", "random", "--game", "hearts")
    assert fairdeal(*words, "--sets", 5).status == 4
    assert "going on after 5 sets" in fairdeal(*words, "--sets", 8).err
    assert numbers == list(range(1, 9))
    enough = fairdeal(*words, "--sets", 2)
    assert numbers == list(range(1, 9)), "there are enough"
    assert "\n8 sets, though --sets is 2: A " in enough.err
    fairdeal(*words, "--sets", 2, "--fresh")
    assert numbers[8:] == [1, 2]
    fairdeal(*words, "--sets", 2, "--deals", 3)
    assert numbers[10:] == [1, 2], "another comparison"


def test_sets_of_another_clock_do_not_count(
    fairdeal: Fairdeal, playing: Callable[[Points], list[int]]
) -> None:
    numbers = playing(noise)
    words = ("compare", "greedy", "random", "--game", "hearts", "--sets")
    fairdeal(*words, 2, "--clock", "fast")
    why = "they were played with another clock"
    assert f"starting from scratch without 2 sets of an earlier run: {why}\n" in fairdeal(*words, 3).err
    assert numbers == [1, 2, 1, 2, 3]


@pytest.mark.parametrize(
    ("owner", "name", "value", "why"),
    [
        (lineup, "_KNOWN", {"greedy": {"hearts": "0" * 12}}, "a bot has changed since"),
        (type(GAMES["hearts"]), "rules_version", 1_000, "the rules of the game have changed since"),
    ],
    ids=["bot", "rules"],
)
def test_sets_of_another_fairdeal_do_not_count(
    fairdeal: Fairdeal,
    playing: Callable[[Points], list[int]],
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    value: object,
    why: str,
) -> None:
    numbers = playing(noise)
    words = ("compare", "greedy", "random", "--game", "hearts", "--sets")
    fairdeal(*words, 2)
    monkeypatch.setattr(owner, name, value)
    assert fairdeal(*words, 3).err.count(why) == 1
    assert numbers == [1, 2, 1, 2, 3]


def test_every_game_errs_less_so_that_all_together_err_as_stated(
    fairdeal: Fairdeal, playing: Callable[[Points], list[int]]
) -> None:
    playing(better)
    done = fairdeal("compare", "greedy", "random", "--game", "all", "--json")
    assert done.status == 0
    assert [found["game"] for found in done.json["games"]] == list(GAMES)
    assert {found["error"] for found in done.json["games"]} == {0.05 / len(GAMES)}
    assert done.json["failure"] is None
    told = fairdeal("compare", "greedy", "random", "--game", "all").out.splitlines()[-1]
    assert told == "intervals: 99% each, so that those of all games hold together with 95%"


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        (Interval(1.4567, 0.00003456, 2.88), "+1.46 (+0.0000346 to +2.88)"),
        (Interval(-212.4, -1234.5, 0), "-212 (-1230 to +0)"),
        (Interval(3.0, -math.inf, math.inf), "+3 (no interval yet)"),
    ],
)
def test_points_are_written_without_an_exponent(interval: Interval, told: str) -> None:
    assert shown(interval) == told


def tally_of(points: Points) -> SetTally:
    tally = SetTally()
    for number in range(1, 40):
        first, second = points(number)
        tally.add(SetResult(number, (Play(first, 0.5), Play(second, 0.5))))
    return tally


@pytest.mark.parametrize(
    ("games", "code"),
    [((better, noise), 0), ((worse, noise), 3), ((better, worse), 4), ((noise, noise), 4), ((), 4)],
)
def test_several_games_have_one_status(games: tuple[Points, ...], code: int) -> None:
    assert status([tally_of(points) for points in games]) == code


def test_what_a_run_has_played_is_printed_when_it_fails(
    fairdeal: Fairdeal, playing: Callable[[Points], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tournaments.compare.hosted import PlayFailed

    def points(number: int) -> tuple[float, float]:
        if number == 3:
            raise PlayFailed("mine.py is gone for good: exited with status 3")
        return noise(number)

    playing(points)
    done = fairdeal("compare", "greedy", "random", "--game", "hearts", "--json")
    assert done.status == 1
    found = json.loads(done.out)
    assert (found["a"], found["b"]) == ("greedy", "random")
    assert found["games"][0]["sets"] == 2
    assert found["failure"] == "fairdeal compare: mine.py is gone for good: exited with status 3"
    assert done.err.endswith("fairdeal compare: mine.py is gone for good: exited with status 3\n")


def test_before_the_first_set_nothing_is_known(
    fairdeal: Fairdeal, playing: Callable[[Points], list[int]]
) -> None:
    from tournaments.compare.hosted import PlayFailed

    def points(number: int) -> tuple[float, float]:
        raise PlayFailed("mine.py is gone for good: exited with status 3")

    playing(points)
    words = ("compare", "greedy", "random", "--game", "hearts")
    assert fairdeal(*words).out == "hearts: no set was played to its end\n"
    (found,) = fairdeal(*words, "--json").json["games"]
    assert found["sets"] == 0
    assert found["points"] == found["won"] == {"mean": None, "low": None, "high": None}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["greedy", "gredy", "--game", "hearts"], "fairdeal compare: 'gredy': did you mean greedy?"),
        (["greedy", "random", "--game", "chess"], "fairdeal: 'chess': no such game"),
        (["greedy", "random", "--game", "hearts", "--clock", "slow"], "--clock slow: there are standard"),
        (["greedy", "random", "--game", "hearts", "--seed", "é"], "use letters, digits and signs of ASCII"),
        (["greedy --blunder 7", "random", "--game", "hearts"], "blunder 7: must be 0 to 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_told_before_anything_is_made(
    fairdeal: Fairdeal, tmp_path: Path, words: list[str], told: str
) -> None:
    done = fairdeal("compare", *words)
    assert done.status == 2
    assert told in done.line
    assert not list(tmp_path.iterdir())


def test_a_bot_that_crashes_on_and_on_is_told_of_once_with_how_often(
    fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def opened(
        _comparison: object, *, on_opened: Any, on_lost: Any, on_tally: Any, **_: Any
    ) -> SetTally:
        tally = SetTally()
        on_opened(tally, None)
        for number in range(3):
            on_lost(Lost(BOTS[1], "exited with status 7", (), restarts_in=1))
            tally.add(SetResult(number + 1, (Play(1.0, 1.0), Play(0.0, 0.0))))
            on_tally(tally)
        return tally

    monkeypatch.setattr("tournaments.cli.compare.conduct", opened)
    done = fairdeal("compare", "random", "greedy", "--game", "hearts", "--sets", "3")
    assert done.err.count("greedy: exited with status 7; it is started again") == 1
    assert "greedy was started again 3 times" in done.err
