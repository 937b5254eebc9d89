"""`fairdeal serve` and `fairdeal bot`: open tables, each process by hand."""

import re
import signal
import subprocess

import pytest

from referee.games.registry import GAMES
from tests.e2e.places import listening
from tests.house import PATIENCE, House


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
def test_four_bots_play_a_match_and_the_next_four_the_next(house: House, number: signal.Signals) -> None:
    serving, address = listening(house, "--option", "hearts.target=10")
    assert "open table: hearts, for every 4 bots that come" in serving.out
    for match in (1, 2):
        bots = [
            house.start("bot", name, "--game", "hearts", "--connect", address)
            for name in ("greedy", "greedy", "greedy", "random")
        ]
        for bot in bots:
            done = bot.done()
            assert (done.status, done.complaints) == (0, "")
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


def test_a_unix_socket(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    address = f"unix:{tmp_path_factory.mktemp('u') / 's'}"  # its length is limited
    serving = house.start("serve", "--listen", address, "--deals", "1", "--clock", "debug")
    serving.says("listens on unix:")
    bots = [house.start("bot", "random", "--game", "two_handed_spades", "--connect", address) for _ in "ab"]
    assert [bot.done().status for bot in bots] == [0, 0]
    assert serving.stopped(signal.SIGTERM).status == 0
    (deals,) = house.records("fairdeal-serve").decks()
    assert len(deals) == 1


def test_it_goes_on_when_nobody_reads_what_it_says(house: House) -> None:
    words = [house.program, "serve", "--listen", "127.0.0.1:0", "--game", "two_handed_spades", "--deals", "1"]
    words += ["--clock", "debug"]
    out, err = subprocess.PIPE, (house.folder / "err").open("wb")
    with (
        err,
        subprocess.Popen(words, stdout=out, stderr=err, cwd=house.folder, env=house.environment) as serving,
    ):
        try:
            assert serving.stdout
            address = re.search(rb"listens on (\S+);", serving.stdout.readline())[1].decode()
            serving.stdout.close()
            bots = [house.start("bot", name, "--connect", address) for name in ("greedy", "random")]
            assert [bot.done().status for bot in bots] == [0, 0]
            serving.send_signal(signal.SIGTERM)
            assert serving.wait(PATIENCE) == 0
        finally:
            serving.kill()
    assert len(house.records("fairdeal-serve").paths()) == 1


def test_a_bot_says_when_its_referee_is_gone_for_good(house: House) -> None:
    serving, address = listening(house)
    words = ("--game", "two_handed_spades", "--matches", "0", "--reconnect-timeout", "0.5")
    bots = [house.start("bot", "random", *words, "--connect", address) for _ in range(2)]
    for bot in bots:
        bot.says("seat")
    serving.stopped(signal.SIGKILL)
    for bot in bots:
        done = bot.done()
        assert done.status == 1
        lost, last = done.complaints.splitlines()
        assert re.fullmatch(
            r"the session with the referee at \S+ broke: .+; dialling again for up to 0.5 s", lost
        )
        assert re.fullmatch(r"fairdeal: .+; the bot dialled again for 0\.5 s", last)


def test_a_bot_that_plays_no_such_game(house: House) -> None:
    _serving, address = listening(house)
    done = house.run("bot", "random", "--game", "chess", "--connect", address)
    assert (done.status, done.out) == (1, "")
    assert f"unknown game 'chess'; this referee plays {', '.join(sorted(GAMES))}" in done.err
    assert done.err.count("\n") == 1


def test_a_taken_port(house: House) -> None:
    _serving, address = listening(house)
    done = house.run("serve", "--listen", address, "--folder", "other")
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"fairdeal: cannot listen on {address}: Address already in use; "
        "choose another address, or port 0 for a free one\n"
    )


def test_a_folder_in_use(house: House) -> None:
    listening(house)
    done = house.run("serve", "--listen", "127.0.0.1:0")
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        "fairdeal: fairdeal-serve: another fairdeal process is at work here; wait for it or end it\n"
    )
