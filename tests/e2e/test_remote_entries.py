"""Entries that dial in: late, gone and back, never, with tokens and without, in somebody else's name."""

import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.dialling import Event
from tests.rounds import rounds
from tests.workspace import Workspace

HELD: Final = Path(__file__).parent / "bots" / "held.py"
CUP: Final = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nclock = "debug"\nconcurrency = 2\n'
ALICE: Final = '[[entries]]\nname = "alice"\nremote = true\n'
BOB: Final = ALICE.replace("alice", "bob")
STARTS: Final = (3, 15, 60)  # seconds, which a test waits out; on a busy machine a hosted bot needs more


@pytest.fixture(scope="session")
def text(good: str) -> str:
    """Return two hosted entries and one that dials in, two rounds of each against each."""
    return f"{CUP}rounds = 2\n{ALICE}{good}"


def test_an_entry_that_connects_late_plays_all_its_matches_and_delays_nobody(
    workspace: Workspace, text: str, eventually: Callable[..., Any]
) -> None:
    event = Event(workspace, text)
    running = event.start()
    # the last one of those without alice was planned behind some of hers
    eventually(lambda: len(event.played()) == 2, "all that can be played without alice")
    assert set(map(frozenset, event.played())) == {frozenset(("greedy", "random"))}
    assert all("alice" in seats for seats in event.open())
    assert f"listens on {event.address} for remote entries: alice (no token is required)" in running.err
    alice = event.dial("alice")
    done = running.done()
    assert done.status == 0, done.err
    assert event.ways() == {(1, "COMPLETED")}
    assert {name: line["matches"] for name, line in event.lines().items()} == dict.fromkeys(
        ("alice", "greedy", "random"), 4
    )
    told = alice.done()
    assert (told.status, told.complaints) == (0, "")  # it was told that all is over
    assert told.out.count("completed") == 4


def test_an_entry_that_leaves_and_returns_goes_on(
    workspace: Workspace, text: str, eventually: Callable[..., Any]
) -> None:
    event = Event(workspace, text.replace("rounds = 2", "rounds = 12"))
    hold, held = workspace.folder / "hold", workspace.folder / "held"
    running = event.start()
    for times in (1, 2, 3):
        hold.write_text(str(times))  # so many matches, and it stays in the middle of the next
        alice = workspace.start(
            *(Path(sys.executable), HELD),
            FAIRDEAL_ADDRESS=event.address,
            FAIRDEAL_ENTRY="alice",
            FAIRDEAL_INSTANCE="",
        )
        eventually(held.exists, "a match in its midst")
        alice.stopped(signal.SIGKILL)
        held.unlink()
    alice = event.dial("alice")
    assert running.done().status == 0
    assert alice.done().status == 0
    assert event.ways() == {(1, "COMPLETED")}
    lines = event.lines()
    assert [(line["matches"], line["forfeits"]) for line in lines.values()] == [(24, 0)] * 3


def run_without_alice(event: Event) -> tuple[dict[str, Any], str]:
    """Run a tournament to its end; return the standings by entry, and what was said."""
    done = event.start("--json").done()
    assert done.status == 0, done.err
    lines = {line["entry"]: line for line in done.json["standings"]}
    assert [lines[name]["forfeits"] for name in ("greedy", "random")] == [0, 0]
    assert event.open() == []
    return lines, done.err


def test_who_never_comes_is_left_out(workspace: Workspace, text: str) -> None:
    event = Event(workspace, f'remote = {{ wait = 0.2, no_show = "skip" }}\n{text}')
    lines, err = run_without_alice(event)
    assert {name: line["matches"] for name, line in lines.items()} == {"alice": 0, "greedy": 2, "random": 2}
    assert err.count("is left out: alice is not there") == 4
    assert "2 completed, 4 left out" in workspace.ask("tournament", "status", event.file).out
    _lines, err = run_without_alice(event)
    assert err == "cup (two_handed_spades): all 6 matches are played (2) or left out (4)\n"


def test_who_never_comes_forfeits(workspace: Workspace, text: str) -> None:
    text = text.replace("concurrency = 2", "concurrency = 4")
    for start, trying in rounds(*STARTS):
        with trying:
            clock = f"clock = {{ start = {start} }}"
            remote = 'remote = { wait = 0.2, no_show = "forfeit" }\n'
            event = Event(workspace, remote + text.replace('clock = "debug"', clock), folder=str(start))
            lines, _err = run_without_alice(event)
            assert (lines["alice"]["forfeits"], lines["alice"]["losses"]) == (4, 4)
            assert [lines[name]["matches"] for name in ("greedy", "random")] == [4, 4]
            assert "2 completed, 4 forfeited" in workspace.ask("tournament", "status", event.file).out
            break


def test_a_slow_bot_holds_up_nobody_else(
    workspace: Workspace, good: str, bot: Callable[..., str], eventually: Callable[..., Any]
) -> None:
    slow = bot("slow", "mute.py")
    text = CUP.replace("concurrency = 2", "concurrency = 8")
    event = Event(workspace, f"{text}rounds = 3\n{slow}{good}")
    running = event.start()
    eventually(lambda: len(event.played()) == 3, "the matches of the others")
    assert set(map(frozenset, event.played())) == {frozenset(("greedy", "random"))}
    assert Counter("slow" in seats for seats in event.open()) == {True: 6}
    assert running.process.poll() is None


def said(running: Any, text: str, eventually: Callable[..., Any]) -> None:
    """Wait until a run has said something."""
    eventually(lambda: text in running.err, text)


def refused(bot: Any, *words: str) -> None:
    """Check that a bot has left with one line that says why."""
    done = bot.done()
    assert (done.status, done.out) == (1, "")
    assert done.err.count("\n") == 1, done.err
    assert all(word in done.err for word in words), done.err


def test_tokens_are_needed_once_there_are_any(
    workspace: Workspace, text: str, eventually: Callable[..., Any]
) -> None:
    event = Event(workspace, text + BOB)
    alice, bob = event.add("alice"), event.add("bob")
    running = event.start()
    said(running, f"listens on {event.address}", eventually)
    refused_bots = [event.dial("alice"), event.dial("alice", "nonsense"), event.dial("alice", bob)]
    refused(refused_bots[0], "token")
    refused(refused_bots[1], "token")
    refused(refused_bots[2], "the token is not this entry's")
    for bot in refused_bots:
        assert alice not in bot.err
        assert bob not in bot.err
    assert f"listens on {event.address} for remote entries: alice, bob\n" in running.err
    bots = [event.dial("alice", alice), event.dial("bob", bob)]
    assert running.done().status == 0
    assert [bot.done().status for bot in bots] == [0, 0]
    assert event.ways() == {(1, "COMPLETED")}


def test_who_played_gets_the_record(workspace: Workspace, text: str, eventually: Callable[..., Any]) -> None:
    event = Event(workspace, text + BOB)
    tokens = {name: event.add(name) for name in ("alice", "bob")}
    running = event.start()
    said(running, f"listens on {event.address}", eventually)
    event.dial("alice", tokens["alice"])
    eventually(lambda: len(event.played()) == 6, "all that can be played without bob")

    def ask(*words: object, entry: str = "alice", token: str = tokens["alice"]) -> Any:
        settings = {"FAIRDEAL_TOKEN": token, "FAIRDEAL_ENTRY": entry}
        return workspace.ask("record", *words, "--server", event.address, **settings)

    lines = [line.split() for line in ask("list").out.splitlines()]
    assert [(attempt, game) for _id, attempt, game, *_ in lines] == [("1", "two_handed_spades")] * 4
    assert all("alice" in entries for _id, _attempt, _game, *entries in lines)
    match_id = lines[0][0]
    done = ask("get", match_id)
    assert (done.status, done.out) == (0, f"{match_id}.1.jsonl.gz\n"), done.err
    (path,) = event.file.parent.glob(f"cup.fairdeal/records/*/{done.out[:-1]}")
    assert (workspace.folder / done.out[:-1]).read_bytes() == path.read_bytes()
    assert workspace.ask("record", "verify", done.out[:-1]).status == 0
    for refused_to in ({"entry": "bob", "token": tokens["bob"]}, {"entry": "bob"}, {"token": ""}):
        assert ask("get", match_id, "-o", "other.gz", **refused_to).status == 1
    assert ask("list", entry="bob", token=tokens["bob"]).out == ""
    assert not (workspace.folder / "other.gz").exists()
    running.stopped(signal.SIGTERM)


def test_tokens_are_needed_from_when_the_first_is_given_out(
    workspace: Workspace, text: str, eventually: Callable[..., Any]
) -> None:
    event = Event(workspace, text)
    running = event.start()
    said(running, f"listens on {event.address}", eventually)
    token = event.add("alice")
    refused(event.dial("alice"), "token")
    alice = event.dial("alice", token)
    assert running.done().status == 0
    assert alice.done().status == 0


def test_nobody_who_dials_in_takes_the_seat_of_a_hosted_bot(
    workspace: Workspace, text: str, eventually: Callable[..., Any]
) -> None:
    event = Event(workspace, text)
    running = event.start()
    said(running, f"listens on {event.address}", eventually)
    refused(event.dial("greedy"), "this entry is hosted here")
    refused(event.dial("greedy", "nonsense"), "the token is not this entry's")
    stranger = event.dial("stranger")  # takes part in nothing, and may wait for what comes
    alice = event.dial("alice")
    assert running.done().status == 0
    assert alice.done().status == 0
    assert stranger.done().out == ""
    assert event.ways() == {(1, "COMPLETED")}
    lines = event.lines()
    assert lines.keys() == {"alice", "greedy", "random"}
    assert [line["faults"] for line in lines.values()] == [0, 0, 0]


def test_each_seat_of_a_fixed_pair_has_a_bot_of_its_own(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    pair = '[[entries]]\nname = "house"\nbot = "greedy"\n'
    cup = 'game = "euchre"\npartners = "fixed"\nmatch = { deals = 2 }\nclock = "debug"\nrounds = 4\n'
    event = Event(workspace, f"{cup}{ALICE}{pair}")
    running = event.start()
    said(running, f"listens on {event.address}", eventually)
    first = event.dial("alice", instance="1")
    for instance in ("", "3"):
        refused(event.dial("alice", instance=instance), "FAIRDEAL_INSTANCE=1, and once more with")
    eventually(lambda: len(workspace.left()) >= 1 + 4 + 1, "the pair that is hosted here")
    assert event.played() == []
    second = event.dial("alice", instance="2")
    assert running.done().status == 0
    seats = []
    for bot in (first, second):
        done = bot.done()
        assert done.status == 0
        seats.append({line.split("seat ")[1][0] for line in done.out.splitlines() if "seat " in line})
        assert done.out.count("completed") == 4
    assert (seats[0] <= {"0", "1"}, seats[1] <= {"2", "3"}) == (True, True)
    assert event.ways() == {(1, "COMPLETED")}
    logs = sorted(path.name for path in (workspace.folder / "cup.fairdeal" / "logs").iterdir())
    assert logs == ["house~1.kept.jsonl", "house~1.log", "house~2.kept.jsonl", "house~2.log"]
