"""`fairdeal serve` and `fairdeal bot`: open tables, each process by hand."""

import re
import signal
import subprocess

import pytest

from referee.games.registry import GAMES
from tests.e2e.places import listening
from tests.workspace import PATIENCE, Workspace


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
def test_four_bots_play_a_match_and_the_next_four_the_next(
    workspace: Workspace, number: signal.Signals
) -> None:
    serving, address = listening(workspace, "--option", "hearts.target=10")
    assert "open table: hearts; a match starts whenever 4 bots are waiting" in serving.out
    for match in (1, 2):
        bots = [
            workspace.start("bot", name, "--game", "hearts", "--connect", address)
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
    assert len(shown) == len(workspace.records("fairdeal-serve").paths()) == 2
    for record in shown:
        text = workspace.ask("record", "show", record)
        assert text.status == 0
        assert re.match(r"Match hearts-\w+, attempt 1: ", text.out)
        assert "seat 3" in text.out
        assert not workspace.records("fairdeal-serve").headers()[0]["commitment"]["repeatable"]
    both = workspace.ask("record", "show", *shown)
    assert both.out.count("\nDeal 1") == 2


def test_a_unix_socket(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> None:
    address = f"unix:{tmp_path_factory.mktemp('u') / 's'}"  # its length is limited
    serving = workspace.start("serve", "--listen", address, "--deals", "1", "--clock", "debug")
    serving.says("listens on unix:")
    bots = [
        workspace.start("bot", "random", "--game", "two_handed_spades", "--connect", address) for _ in "ab"
    ]
    assert [bot.done().status for bot in bots] == [0, 0]
    assert serving.stopped(signal.SIGTERM).status == 0
    (deals,) = workspace.records("fairdeal-serve").decks()
    assert len(deals) == 1


def test_it_goes_on_when_nobody_reads_what_it_says(workspace: Workspace) -> None:
    words = [
        workspace.program,
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--game",
        "two_handed_spades",
        "--deals",
        "1",
    ]
    words += ["--clock", "debug"]
    out, err = subprocess.PIPE, (workspace.folder / "err").open("wb")
    with (
        err,
        subprocess.Popen(
            words, stdout=out, stderr=err, cwd=workspace.folder, env=workspace.environment
        ) as serving,
    ):
        try:
            assert serving.stdout
            address = re.search(rb"listens on (\S+);", serving.stdout.readline())[1].decode()
            serving.stdout.close()
            bots = [workspace.start("bot", name, "--connect", address) for name in ("greedy", "random")]
            assert [bot.done().status for bot in bots] == [0, 0]
            serving.send_signal(signal.SIGTERM)
            assert serving.wait(PATIENCE) == 0
        finally:
            serving.kill()
    assert len(workspace.records("fairdeal-serve").paths()) == 1


def test_a_bot_says_when_its_referee_is_gone_for_good(workspace: Workspace) -> None:
    serving, address = listening(workspace)
    words = ("--game", "two_handed_spades", "--matches", "0", "--reconnect-timeout", "0.5")
    bots = [workspace.start("bot", "random", *words, "--connect", address) for _ in range(2)]
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


def test_a_bot_that_plays_no_such_game(workspace: Workspace) -> None:
    _serving, address = listening(workspace)
    done = workspace.run("bot", "random", "--game", "chess", "--connect", address)
    assert (done.status, done.out) == (1, "")
    assert f"unknown game 'chess'; this referee plays {', '.join(sorted(GAMES))}" in done.err
    assert done.err.count("\n") == 1


def test_a_taken_port(workspace: Workspace) -> None:
    _serving, address = listening(workspace)
    done = workspace.run("serve", "--listen", address, "--folder", "other")
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"fairdeal: cannot listen on {address}: Address already in use; "
        "choose another address, or port 0 for a free one\n"
    )


def test_a_folder_in_use(workspace: Workspace) -> None:
    listening(workspace)
    done = workspace.run("serve", "--listen", "127.0.0.1:0")
    assert (done.status, done.out) == (1, "")
    held = "fairdeal: fairdeal-serve: another fairdeal process is at work here"
    assert re.fullmatch(rf"{held} \(process \d+ on .*\); wait for it or end it\n", done.err)
