"""Programs that die, fall silent or talk nonsense: faults of the bot, told in a line, and never a hang."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal.stdio import BotEnded, _child
from fairdeal.v1 import play_service_pb2 as pb
from tests.clients import conftest as sdk
from tests.stdio.conftest import Bridged
from tests.workspace import until

pytestmark = pytest.mark.asyncio

PATIENCE = 300.0  # seconds that are not waited for
AWAY = "; while it is away, the time for its decisions runs out"
IF_ASKED = "if update['type'] == 'decision': "


def asks(tell: Any, *updates: Any) -> Callable[[Any], Any]:
    """Return a script that seats a bot, asks it, and tells the rest once the bot has answered or gone."""

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await stream.next()
        request = await stream.next()
        if not request.HasField("bye"):
            await stream.send(*updates, tell.finished("m1"))
        await stream.rest()

    return script


@pytest.mark.parametrize(
    ("dies", "how", "last_words"),
    [
        ("sys.exit(3)", "ended with exit status 3", PATIENCE),
        ("sys.exit(0)", "ended with exit status 0", PATIENCE),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL", PATIENCE),
        ("os.kill(os.getpid(), 40)", "was killed by signal 40", PATIENCE),
        ("os.close(1); os.read(0, 1)", "closed its standard output", 0.1),
        ("os.close(0); time.sleep(600)", "closed its standard input", 0.1),
    ],
)
async def test_a_program_that_is_gone_ends_the_session_with_a_goodbye(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    dies: str,
    how: str,
    last_words: float,
) -> None:
    monkeypatch.setattr(_child, "_LAST_WORDS", last_words)
    monkeypatch.setattr(_child, "_GRACE", 0.2)
    async with referee(asks(tell)) as at:
        with pytest.raises(BotEnded) as raised:
            await bridged(program(IF_ASKED + dies), at.address)
    assert str(raised.value) == f"the bot {how}{AWAY}"
    assert at.requests[-1].HasField("bye")
    assert not any(request.answers for request in at.requests)
    assert bridged.warned == []


async def test_a_program_that_does_not_get_to_a_table(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        await stream.rest()

    async with referee(script) as at:
        with pytest.raises(BotEnded, match=r"^the bot ended with exit status 1$"):
            await bridged(["false"], at.address)


async def test_the_last_words_of_a_program_count(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        assert (await stream.answer()).index == 1
        await stream.rest()

    async with referee(script) as at:
        with pytest.raises(BotEnded, match="exit status 0"):  # without the end of the line, either
            await bridged(program(IF_ASKED + "os.write(1, b'1'); sys.exit()"), at.address)


@pytest.mark.parametrize(("status", "warned"), [(0, []), (5, ["the bot ended with exit status 5"])])
async def test_a_program_may_end_when_its_matches_are_over(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    status: int,
    warned: list[str],
) -> None:
    is_gone = asyncio.Event()

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.finished("m1"))
        while not (await stream.next()).HasField("bye"):
            pass
        asyncio.get_running_loop().call_later(0.3, is_gone.set)  # long before the session
        await is_gone.wait()
        await stream.rest()

    async with referee(script) as at:
        await bridged(program(f"if update['type'] == 'finished': sys.exit({status})"), at.address)
    assert bridged.warned == warned


async def test_a_program_may_end_when_the_referee_leaves(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.notice("DRAINING"))
        await stream.rest()

    async with referee(script) as at:
        await bridged(program("if update['type'] == 'notice': sys.exit()"), at.address, matches=0)
    assert bridged.warned == []


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("say('hello')", "'hello', which is not JSON"),
        ("os.write(1, bytes(range(128, 138)) + b'\\n')", "which is not JSON"),
        ("os.write(1, b'\\x00' * 9 + b'\\n')", "which is not JSON"),
        ("say({'index': [0]})", "which cannot be read"),
        ("say({'card': '2C'})", "which has none of index"),
        ("say(2)", "'2', which has index 2"),
        ("say([0, 0])", "'[0, 0]', which chooses the same one twice"),
        ("say([])", "'[]', which chooses 0"),
        ("print('9' * (1 << 20) + '9', flush=True)", f"'{'9' * 80}'..., which is longer than 1048576 bytes"),
        ("print('9' * (1 << 21), end='', flush=True)", "which is longer than 1048576 bytes"),
    ],
    ids=range(10),
)
async def test_garbage_is_told_and_costs_a_fault(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    said: str,
    why: str,
) -> None:
    async with referee(asks(tell, tell.closed(reason=2, fault=1))) as at:
        await bridged(program(IF_ASKED + said), at.address)
    [answer] = [answer for request in at.requests for answer in request.answers]
    empty = pb.Answer(match_id="m1", decision_id=1)
    empty.action.SetInParent()
    assert answer == empty
    [warning] = bridged.warned
    assert warning.startswith("match m1, decision 1: the bot answered ")
    assert why in warning
    assert warning.endswith("; expected an index from 0 to 1; this is a fault")
    assert bridged.said[-1].startswith("m1: completed")


@pytest.mark.parametrize(
    "said",
    [
        "say({'match_id': 'm2', 'decision_id': 1, 'index': 0})",
        "say({'match_id': 'm1', 'decision_id': 7, 'index': 0})",
    ],
)
async def test_a_line_that_belongs_to_no_open_decision_is_told_once(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    said: str,
) -> None:
    async with referee(asks(tell)) as at:
        await bridged(program(f"{IF_ASKED}[{said}, {said}, say('1')]"), at.address)
    assert [answer.index for request in at.requests for answer in request.answers] == [1]
    first, last = bridged.warned
    assert first.startswith("the bot's line '{")
    assert first.endswith("belongs to no open decision, and is ignored")
    assert last == "2 lines of the bot belonged to no open decision"


async def test_a_decision_that_is_closed_late_is_told_once(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await stream.next()
        refusal = tell.refused(decision_id=1, reason=4, text="it is closed")
        await stream.send(tell.closed(reason=2, fault=4), refusal)
        await stream.send(tell.plays("2C 3C", decision_id=2))
        assert (await stream.answer()).decision_id == 2
        await stream.send(tell.refused(decision_id=2, reason=1, text="it is none"), tell.finished("m1"))
        await stream.rest()

    # it answers the first one when the second is asked: each with its own answer
    late = "if update['type'] == 'decision' and update['decision_id'] == 2: [say('1'), say('1')]"
    async with referee(script) as at:
        await bridged(program(late), at.address)
    assert bridged.warned == [
        "match m1, decision 1: the bot did not answer in time; the referee played the default action",
        "the bot's line '1' belongs to no open decision, and is ignored",
        "match m1, decision 2: the answer was refused: MALFORMED_ACTION it is none",
    ]


def silent(tell: Any, lines: int, *, talks: bool = False) -> Callable[[Any], Any]:
    """Return a script that tells a bot more than a pipe holds, and sees that heartbeats are heard.

    One that ``talks`` is waited for until it has.
    """

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"))
        await stream.next()
        for number in range(1, lines + 1):
            await stream.send(tell.plays("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", decision_id=number))
        sent = 1 + 1 + lines
        while talks and not (await stream.next()).answers:
            pass
        await stream.send(tell.notice("HEARTBEAT"))
        while (request := await stream.next()) is not None and request.frames_received < sent:
            pass
        await stream.send(tell.finished("m1"))
        await stream.rest()

    return script


async def test_a_program_that_does_not_read_holds_nobody_up(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_child, "_GRACE", 0.2)
    async with referee(silent(tell, 400)) as at:
        await bridged(["sleep", "600"], at.address)
    assert bridged.said[-1].startswith("m1: completed")
    assert bridged.warned == [
        "the bot did not end within 0.2 s of the end of its input, and was sent SIGTERM"
    ]


async def test_what_waits_for_a_program_is_bounded(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_child, "_GRACE", 0.1)
    monkeypatch.setattr(_child, "MAX_WAITING", 1 << 16)
    async with referee(silent(tell, 400)) as at:
        with pytest.raises(BotEnded, match=r"^the bot does not read: 65536 bytes wait for it"):
            await bridged(["sleep", "600"], at.address)


async def test_a_program_that_talks_without_end_holds_nobody_up(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_child, "_GRACE", 0.1)
    async with referee(silent(tell, 20, talks=True)) as at:
        await bridged(["yes", "[0]"], at.address)
    assert bridged.said[-1].startswith("m1: completed")
    assert bridged.warned[-1].endswith(" lines of the bot belonged to no open decision")


def is_there(process: int) -> bool:
    """Return whether a process runs; one that has ended but was not waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("heeds", "grace", "sent"),
    [("SIG_DFL", PATIENCE, "SIGTERM"), ("SIG_IGN", 0.2, "SIGKILL")],
)
async def test_a_program_that_does_not_end_is_ended(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    heeds: str,
    grace: float,
    sent: str,
) -> None:
    monkeypatch.setattr(_child, "_GRACE", 0.2)
    monkeypatch.setattr(_child, "_SIGTERM_GRACE", grace)
    where = tmp_path / "process"
    before = (
        f"signal.signal(signal.SIGTERM, signal.{heeds})\nopen({str(where)!r}, 'w').write(str(os.getpid()))"
    )
    bot = program(IF_ASKED + "say('0')", before=before, after="time.sleep(600)")
    async with referee(asks(tell)) as at:
        await bridged(bot, at.address)
    assert bridged.warned == [
        f"the bot did not end within 0.2 s of the end of its input, and was sent {sent}"
    ]
    assert not is_there(int(where.read_text()))


@pytest.mark.parametrize("when", ["while the program ends", "while the session ends"])
async def test_a_cancellation_does_not_spare_a_program_that_is_being_ended(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    when: str,
) -> None:
    for name in ("_LAST_WORDS", "_GRACE", "_SIGTERM_GRACE"):
        monkeypatch.setattr(_child, name, 0.1)
    end = _child.Child.end
    playing: asyncio.Task[None] | None = None

    def cancel() -> None:
        assert playing
        playing.cancel()

    async def cancelled(child: _child.Child) -> str | None:
        asyncio.get_running_loop().call_soon(cancel)
        return await end(child)

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        while not (await stream.next()).HasField("bye"):
            pass
        cancel()
        await stream.rest()

    where = tmp_path / "process"
    heeds_nothing = (
        f"signal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen({str(where)!r}, 'w').write(str(os.getpid()))"
    )
    if when == "while the program ends":
        monkeypatch.setattr(_child.Child, "end", cancelled)
        bot = program(IF_ASKED + "say('0')", before=heeds_nothing, after="time.sleep(600)")
    else:
        bot = program(IF_ASKED + "os.close(1), time.sleep(600), os._exit(0)", before=heeds_nothing)
    async with referee(asks(tell) if when == "while the program ends" else script) as at:
        playing = asyncio.create_task(bridged(bot, at.address))
        [raised] = await asyncio.gather(playing, return_exceptions=True)
    assert isinstance(raised, asyncio.CancelledError if when == "while the program ends" else BotEnded)
    assert not is_there(int(where.read_text()))


async def test_what_a_program_leaves_behind_is_ended(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    tmp_path: Path,
) -> None:
    where = tmp_path / "process"
    before = (
        f"import subprocess\nopen({str(where)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))"
    )
    async with referee(asks(tell)) as at:
        await bridged(program(IF_ASKED + "say('0')", before=before, after="os._exit(0)"), at.address)
    until(lambda: not is_there(int(where.read_text())), "the end of what the bot has started")
    assert bridged.warned == []


async def test_how_a_program_ends_after_its_input_is_told_if_it_failed(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async with referee(asks(tell)) as at:
        await bridged(program(IF_ASKED + "say('0')", after="say('goodbye'); sys.exit(4)"), at.address)
    assert bridged.warned == ["the bot ended with exit status 4"]


async def test_nobody_hears_the_bridge_any_more(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    class Deaf(list[str]):
        def append(self, text: str) -> None:
            raise BrokenPipeError(32, os.strerror(32))

    bridged.said = Deaf()
    async with referee(asks(tell)) as at:
        with pytest.raises(BrokenPipeError):
            await bridged(program(IF_ASKED + "say('0')"), at.address)
    assert at.requests[-1].HasField("bye")
