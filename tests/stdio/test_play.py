"""A program that plays over the bridge: what it is told, and how its answers reach the referee."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from tests.clients import conftest as sdk
from tests.stdio.conftest import Bridged

pytestmark = pytest.mark.asyncio


async def test_a_match_from_hello_to_goodbye(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        await stream.send(tell.seated("m1", entries=["bot", "other"]))
        await stream.next()
        await stream.send(tell.plays("2C 3C"))
        await stream.next()
        await stream.send(tell.closed(reason=1), tell.finished("m1", scores=[5, 7]))
        await stream.rest()

    bot = program("if update['type'] == 'decision': say('1')")
    async with referee(script) as at:
        await bridged(bot, at.address, entry="e", instance="i", games=["hearts"], tables=3)
    hello, ready, answer, bye = at.requests
    hello.hello.agent = ""
    assert hello == pb.PlayRequest(
        hello=pb.Hello(
            versions=[1], entry="e", instance="i", games=["hearts"], tables=3, matches=1, redirects=True
        )
    )
    assert [each.match_id for each in ready.ready] == ["m1"]
    assert list(answer.answers) == [pb.Answer(match_id="m1", decision_id=1, index=1)]
    assert bye.HasField("bye")
    assert bridged.said == [
        "m1: hearts, seat 0 with bot, other",
        "m1: completed, scores by side: 5, 7",
    ]
    assert bridged.warned == []


async def test_what_is_forced_is_played_without_asking_the_program_where_it_wishes(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"))
        await stream.next()
        await stream.send(tell.plays("2C"))
        await stream.next()
        await stream.send(tell.plays("2C 3C", decision_id=2))
        await stream.next()
        await stream.send(tell.finished("m1"))
        await stream.rest()

    bot = program("if update['type'] == 'decision': say(str(update['decision_id'] - 1))")
    async with referee(script) as at:
        await bridged(bot, at.address, play_forced=True)
    _hello, _ready, forced, asked, _bye = at.requests
    assert [list(each.answers) for each in (forced, asked)] == [
        [pb.Answer(match_id="m1", decision_id=1, index=0)],
        [pb.Answer(match_id="m1", decision_id=2, index=1)],
    ]
    assert bridged.warned == []


async def test_what_a_program_is_told(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    tmp_path: Path,
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"))
        await stream.next()
        await stream.send(tell.trick_taken(1), tell.plays("2C 3C"))
        await stream.answer()
        await stream.send(tell.closed(reason=1))  # its own answer is no news
        await stream.send(tell.plays("2C 3C", decision_id=2))
        await stream.send(tell.closed(2, reason=2, fault=4), tell.notice("DRAINING", "soon"))
        await stream.send(tell.finished("m1"))
        await stream.rest()

    log = tmp_path / "log"
    bot = program(
        f"print(line, end='', file=open({str(log)!r}, 'a'))\n"
        "if update['type'] == 'decision' and update['decision_id'] == 1: say('1')"
    )
    async with referee(script) as at:
        await bridged(bot, at.address, events=True)
    assert at.requests[0].hello.events
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(each["type"], each.get("decision_id")) for each in told] == [
        ("seated", None),
        ("happened", None),
        ("decision", 1),
        ("decision", 2),
        ("closed", 2),
        ("notice", None),
        ("finished", None),
    ]
    assert bridged.warned == [
        "match m1, decision 2: the bot did not answer in time; the referee played the default action"
    ]


async def test_several_tables_are_open_together_and_answered_in_any_order(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), *(tell.seated(f"m{n}") for n in range(1, 5)))
        await stream.next()
        await stream.send(*(tell.plays("2C 3C 4C 5C 6C", f"m{n}") for n in range(1, 5)))
        answers: list[pb.Answer] = []
        while len(answers) < 4:
            answers.extend((await stream.next()).answers)
        assert sorted((answer.match_id, answer.index) for answer in answers) == [
            ("m1", 1),
            ("m2", 2),
            ("m3", 3),
            ("m4", 4),
        ]
        await stream.send(*(tell.finished(f"m{n}") for n in range(1, 5)))
        await stream.rest()

    bot = program(
        "if update['type'] == 'decision':\n"
        "    waiting.append({'match_id': update['match_id'], 'decision_id': update['decision_id'],"
        " 'index': int(update['match_id'][1:])})\n"
        "if len(waiting) == 4:\n"
        "    while waiting: say(waiting.pop())",
        before="waiting = []",
    )
    async with referee(script) as at:
        await bridged(bot, at.address, matches=4)
    assert bridged.warned == []


async def test_bare_answers_of_several_tables_are_understood_in_order(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.seated("m2"))
        await stream.next()
        await stream.send(tell.plays("2C 3C", "m2"), tell.choose("2C 3C 4C", 2, 2, "m1"))
        answers: dict[str, pb.Answer] = {}
        while len(answers) < 2:
            answers |= {answer.match_id: answer for answer in (await stream.next()).answers}
        assert answers["m2"].index == 0
        assert list(answers["m1"].action.choose_cards.cards) == [1, 2]
        await stream.send(tell.finished("m1"), tell.finished("m2"))
        await stream.rest()

    bot = program("if update['type'] == 'decision': say(list(range(update['minimum'])))")
    async with referee(script) as at:
        await bridged(bot, at.address, matches=2)
    assert bridged.warned == []


async def test_a_session_that_comes_back_asks_the_program_nothing_twice(
    tell: type[sdk.Tell], referee: sdk.OpenReferee, bridged: Bridged, program: Callable[..., list[str]]
) -> None:
    streams: list[Any] = []

    async def script(stream: Any) -> None:
        streams.append(stream)
        hello = await stream.next()
        if len(streams) == 1:
            await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
            await stream.answer()
            return  # the answer is lost, and the session with it
        assert [point.match_id for point in hello.hello.resume] == ["m1"]
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        assert (await stream.answer()).index == 1
        await stream.send(tell.finished("m1"))
        await stream.rest()

    bot = program(
        "if update['type'] == 'decision':\n    asked += 1\n    assert asked == 1\n    say('1')",
        before="asked = 0",
    )
    async with referee(script) as at:
        await bridged(bot, at.address)
    assert len(streams) == 2
    assert bridged.warned == []


async def test_a_new_attempt_comes_after_the_end_of_the_one_before(
    tell: type[sdk.Tell],
    referee: sdk.OpenReferee,
    bridged: Bridged,
    program: Callable[..., list[str]],
    tmp_path: Path,
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1", attempt=1), tell.plays("2C 3C"))
        await stream.next()
        await stream.send(tell.seated("m1", attempt=2), tell.plays("2C 3C 4C"))
        assert (await stream.answer()).index == 2
        await stream.send(tell.finished("m1"))
        await stream.rest()

    log = tmp_path / "log"
    bot = program(
        f"print(line, end='', file=open({str(log)!r}, 'a'))\n"
        "if update.get('choices') == 3:\n"
        "    say({'match_id': 'm1', 'decision_id': 1, 'index': 2})"
    )
    async with referee(script) as at:
        await bridged(bot, at.address)
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(each["type"], each.get("attempt"), each.get("termination")) for each in told] == [
        ("seated", 1, None),
        ("decision", None, None),
        ("finished", None, "TERMINATION_VOID"),
        ("seated", 2, None),
        ("decision", None, None),
        ("finished", None, "TERMINATION_COMPLETED"),
    ]
    assert bridged.warned == []
