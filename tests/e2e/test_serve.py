"""`fairdeal serve` and `fairdeal bot`: open tables, each process by hand."""

import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES

BOTS = Path(__file__).parent / "bots"


def listening(house: Any, *words: str) -> tuple[Any, str]:
    """Start to serve at a free port; the process and its address."""
    serving = house.start("serve", "--listen", "127.0.0.1:0", *words)
    return serving, serving.says(r"listens on (\S+);")[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
def test_four_bots_play_a_match_and_the_next_four_the_next(house: Any, number: signal.Signals) -> None:
    serving, address = listening(house, "--option", "hearts.target=10")
    assert "open table: hearts, for every 4 bots that come" in serving.out
    for match in (1, 2):
        bots = [
            house.start("bot", name, "--game", "hearts", "--connect", address)
            for name in ("greedy", "greedy", "greedy", "random")
        ]
        for bot in bots:
            done = bot.done()
            assert (done.status, done.err) == (0, "")
            seated, finished = done.out.splitlines()
            assert re.fullmatch(r"hearts-\w+: hearts, seat [0-3] with .+", seated)
            assert re.fullmatch(r"hearts-\w+: completed, scores by side: .+", finished)
        assert len({bot.out.split(":")[0] for bot in bots}) == 1
        assert len({bot.says(r"seat (\d)")[1] for bot in bots}) == 4
        serving.says(rf"(?s)(completed, ranks .*){{{match}}}")
    done = serving.stopped(number)
    assert (done.status, done.err) == (0, "")
    shown = re.findall(r"fairdeal record show (\S+)", done.out)
    assert len(shown) == len(house.records("fairdeal-serve").paths()) == 2
    for record in shown:
        text = house.run("record", "show", record)
        assert text.status == 0
        assert re.match(r"Match hearts-\w+, attempt 1: ", text.out)
        assert "seat 3" in text.out
        assert not house.records("fairdeal-serve").headers()[0]["commitment"]["repeatable"]
    both = house.run("record", "show", *shown)
    assert both.out.count("\nDeal 1") == 2


def test_a_unix_socket(house: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    address = f"unix:{tmp_path_factory.mktemp('u') / 's'}"  # its length is limited
    serving = house.start("serve", "--listen", address, "--deals", "1")
    serving.says("listens on unix:")
    bots = [house.start("bot", "random", "--game", "two_handed_spades", "--connect", address) for _ in "ab"]
    assert [bot.done().status for bot in bots] == [0, 0]
    assert serving.stopped(signal.SIGTERM).status == 0
    (deals,) = house.records("fairdeal-serve").decks()
    assert len(deals) == 1


@pytest.fixture
def second_match(house: Any, eventually: Callable[..., Any]) -> Iterator[Any]:
    """Yield a server that was idle and has a second match being played, until the file `hold` is removed."""
    serving, address = listening(house, "--game", "two_handed_spades", "--deals", "1")
    first = [house.start("bot", "random", "--connect", address) for _ in range(2)]
    assert [bot.done().status for bot in first] == [0, 0]
    serving.says("completed")
    (house.folder / "hold").write_text("0")
    held = house.start(Path(sys.executable), BOTS / "held.py", FAIRDEAL_ADDRESS=address)
    house.start("bot", "random", "--connect", address, "--matches", "0")
    eventually((house.folder / "held").exists, "the second match")
    yield serving
    held.process.kill()


def test_a_signal_lets_the_match_end_that_is_being_played(house: Any, second_match: Any) -> None:
    second_match.process.send_signal(signal.SIGTERM)
    second_match.says("leaving when what is being played")
    (house.folder / "hold").unlink()
    done = second_match.done()
    assert (done.status, done.err) == (0, "")
    assert done.out.count("completed") == len(house.records("fairdeal-serve").paths()) == 2


def test_a_second_signal_ends_it_at_once(house: Any, second_match: Any) -> None:
    second_match.process.send_signal(signal.SIGTERM)
    second_match.says("leaving when what is being played")
    done = second_match.stopped(signal.SIGTERM)
    assert (done.status, done.err) == (0, "")
    # the match that was broken off leaves a record too
    assert (done.out.count("completed"), done.out.count(": cancelled")) == (1, 1)
    assert len(house.records("fairdeal-serve").paths()) == 2
    assert not list((house.folder / "fairdeal-serve" / "secrets").iterdir())


def test_a_bot_says_when_its_referee_is_gone(house: Any) -> None:
    serving, address = listening(house)
    bot = house.start("bot", "greedy", "--connect", address)
    serving.says("greedy is here")
    serving.stopped(signal.SIGKILL)
    done = bot.done()
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(r"fairdeal: the session with the referee at \S+ broke: [^\n]+\n", done.err)


def test_a_bot_that_plays_no_such_game(house: Any) -> None:
    _serving, address = listening(house)
    done = house.run("bot", "random", "--game", "chess", "--connect", address)
    assert (done.status, done.out) == (1, "")
    assert f"unknown game 'chess'; this referee plays {', '.join(sorted(GAMES))}" in done.err
    assert done.err.count("\n") == 1


def test_a_taken_port(house: Any) -> None:
    _serving, address = listening(house)
    done = house.run("serve", "--listen", address, "--folder", "other")
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"fairdeal: cannot listen on {address}: Address already in use; "
        "choose another address, or port 0 for a free one\n"
    )


def test_a_folder_in_use(house: Any) -> None:
    listening(house)
    done = house.run("serve", "--listen", "127.0.0.1:0")
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        "fairdeal: fairdeal-serve: another fairdeal process is at work here; wait for it or end it\n"
    )
