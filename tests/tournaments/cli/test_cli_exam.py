"""`fairdeal exam`: the same deals and opponents for every bot, a score a game, and what is frozen."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import fairdeal as sdk
from fairdeal.bots import SEARCHERS, make
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from tests.tournaments.conftest import Fairdeal
from tournaments.cli import exam
from tournaments.compare import conduct
from tournaments.compare.conduct import Comparison
from tournaments.compare.contenders import remote_contender
from tournaments.compare.exam import EXAM, score
from tournaments.compare.hosted import Door, PlayFailed, hosted
from tournaments.compare.sets import BOTS, Play, SetResult
from tournaments.compare.tally import SetTally
from tournaments.hosting.command import PYTHON
from tournaments.par import lineup
from tournaments.plan.plan import Hosting

Points = Callable[[str, int], tuple[float, float]]


def ahead(opponent: str, number: int) -> tuple[float, float]:
    """Return the points of a bot that is 10 ahead of greedy and 4 ahead of a searcher."""
    mean = 10.0 if opponent == "greedy" else 4.0
    return mean + number % 2, mean - number % 2


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> Callable[[Points], list[tuple[str, str, int]]]:
    """Return a function that has sets give these points, and returns those that are played."""

    def change(points: Points) -> list[tuple[str, str, int]]:
        played: list[tuple[str, str, int]] = []

        @asynccontextmanager
        async def player(comparison: Comparison, *_told: object) -> AsyncIterator[Any]:
            opponent = comparison.bots[1].text
            assert comparison.seed == EXAM.seed and not comparison.is_in_process

            class Fake:
                at_once = 1

                async def play(self, number: int) -> SetResult:
                    played.append((comparison.game, opponent, number))
                    first, second = points(opponent, number)
                    return SetResult(number, (Play(first, 1.0), Play(second, 0.5, (1, 0))))

            yield Fake()

        monkeypatch.setattr(conduct, "_player", player)
        return played

    return change


def test_every_set_is_played_and_the_score_is_the_mean_over_the_opponents(
    fairdeal: Fairdeal, sets: Callable[[Points], list[tuple[str, str, int]]]
) -> None:
    played = sets(ahead)
    done = fairdeal("exam", "--game", "hearts", "--", "random")
    assert done.status == 0
    assert played == [("hearts", each, n + 1) for each in EXAM.opponents for n in range(EXAM.sets)]
    assert "\nhearts: +7 (+6.99 to +7.01)\n  over greedy +10 (+" in done.out
    assert "in 200 sets, wins 75%, 200 faults\n" in done.out
    assert "exam 1: random plays hearts, 200 sets of two matches against each of greedy and" in done.err
    again = fairdeal("exam", "--game", "hearts", "--json", "random").json
    assert len(played) == 2 * EXAM.sets, "it is complete"
    assert (again["exam"], again["bot"], again["failure"]) == (1, "random", None)
    (found,) = again["games"]
    assert found["score"]["mean"] == 7
    assert [each["opponent"] for each in found["opponents"]] == list(EXAM.opponents)


def test_what_is_broken_off_has_no_score_and_goes_on(
    fairdeal: Fairdeal, sets: Callable[[Points], list[tuple[str, str, int]]]
) -> None:
    def failing(opponent: str, number: int) -> tuple[float, float]:
        if (opponent, number) == (EXAM.opponents[1], 5):
            raise PlayFailed("my_bot.py is gone for good")
        return ahead(opponent, number)

    sets(failing)
    broken = fairdeal("exam", "--game", "euchre", "random")
    assert broken.status == 1
    assert "euchre: not complete, the same command goes on\n  over greedy +10" in broken.out
    assert broken.err.endswith("fairdeal exam: my_bot.py is gone for good\n")
    played = sets(ahead)
    assert "euchre: +7 (" in fairdeal("exam", "--game", "euchre", "random").out
    assert played[0] == ("euchre", EXAM.opponents[1], 5)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "fairdeal exam: name the bot's command, or --remote; see fairdeal exam --help"),
        (["--remote", "greedy"], "--remote starts no bot: leave the command out"),
        (["no_bot.py"], "there is no file"),
        (["--game", "chess", "greedy"], "chess"),
        (["--remote", "--listen", "0.0.0.0:7447"], "--listen 0.0.0.0:7447: other machines could reach it"),
    ],
)
def test_wrong_usage_is_one_clear_line(fairdeal: Fairdeal, words: list[str], text: str) -> None:
    done = fairdeal("exam", *words)
    assert done.status == 2
    assert text in done.err


def test_a_script_is_called_as_its_author_calls_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_bot.py").write_text("print(1)")
    bot = exam._bot(["my_bot.py", "--fast"], tmp_path, remote=False)
    assert (bot.text, bot.entry.command) == ("my_bot.py --fast", (PYTHON, "my_bot.py", "--fast"))


def test_the_squares_of_the_half_widths_add_up() -> None:
    tallies = [SetTally(), SetTally()]
    for tally, mean in zip(tallies, (3.0, -1.0), strict=True):
        for number in range(100):
            points = mean + number % 5 - 2
            tally.add(SetResult(number + 1, (Play(points, 0.5), Play(points, 0.5))))
    found = score(tallies)
    halves = [tally.points.high - tally.points.mean for tally in tallies]
    assert found.mean == pytest.approx(1)
    assert found.high - found.mean == pytest.approx(sqrt(halves[0] ** 2 + halves[1] ** 2) / 2)


def test_exam_1_is_what_it_was() -> None:
    """If an opponent or a rule has changed, there must be another exam, since scores are compared."""
    assert (EXAM.number, EXAM.opponents, EXAM.sets) == (1, ("greedy", "searcher-1"), 200)
    assert EXAM.seed == "fairdeal-exam-1"
    assert SEARCHERS["searcher-1"] == (32, 2 / 3, False)  # test_searcher.py holds how it plays
    rules = {name: rules.rules_version for name, rules in GAMES.items()}
    greedy = {name: str(lineup.named("greedy", name)) for name in GAMES}
    digest = hashlib.sha256(json.dumps([rules, greedy], sort_keys=True).encode()).hexdigest()
    assert digest[:12] == "8c200ad26747"


def test_a_remote_bot_comes_in_by_the_door(tmp_path: Path) -> None:
    """Both do here, so that no process is started; the socket is a real one."""
    opened: list[tuple[str, str, tuple[str, ...]]] = []

    async def sit() -> SetResult:
        come = asyncio.Event()

        def on_open(address: str, token: str, instances: Any) -> None:
            opened.append((address, token, tuple(instances)))
            come.set()

        async with hosted(
            {name: remote_contender(name) for name in BOTS},
            "two_handed_spades",
            1,
            folder=tmp_path / "exam",
            base=tmp_path,
            keys=conduct.SeededKeys("exam"),
            seed="exam",
            clock=PROFILES["patient"],
            rule=Hosting(sandbox="none"),
            door=Door("127.0.0.1:0", "secret", on_open),
            on_lost=lambda lost: None,
            warn=lambda text: None,
        ) as player:
            await come.wait()
            address, token, instances = opened[0]
            bots = [
                asyncio.create_task(
                    sdk.run_async(make("greedy"), address, token=token, entry=bot, instance=each, keep="")
                )
                for bot in BOTS
                for each in set(instances)
            ]
            result = await player.play(1)
            for bot in bots:
                bot.cancel()
            await asyncio.gather(*bots, return_exceptions=True)
            return result

    assert asyncio.run(sit()).points == 0, "greedy has played itself"
    assert set(opened[0][2]) == {"1.1.1", "1.2.1"}
