"""Whole sessions against a scripted referee on a real socket."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from fairdeal import Card, Decision, Seated
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import OpenReferee, Tell
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


def first(decision: Decision) -> fairdeal.Answer:
    legal = decision.legal
    if isinstance(legal, fairdeal.LegalChoice):
        return legal.cards[: legal.minimum]
    return legal.actions[0]


async def run(bot: Any, address: str, **settings: Any) -> None:
    """Run a bot, for a bounded time."""
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(bot, address, **settings)


async def one_match(tell: Any, stream: Any) -> None:
    await stream.next()
    await stream.send(tell.welcome())
    await stream.send(tell.seated("m1"))
    await stream.next()
    await stream.send(tell.plays("2C 3C"))
    await stream.next()
    await stream.send(tell.closed(), tell.finished("m1"))
    await stream.rest()


async def test_a_match_from_hello_to_goodbye(tell: type[Tell], referee: OpenReferee) -> None:
    async def script(stream: Any) -> None:
        assert stream.metadata["authorization"] == "Bearer secret"
        await one_match(tell, stream)

    async with referee(script) as at:
        await run(
            first, at.address, token="secret", entry="e", instance="i", games=["hearts"], tables=2, matches=1
        )
    hello, ready, answer, bye = at.requests
    assert hello.hello.agent.startswith("fairdeal-python/0.")
    hello.hello.agent = ""
    assert hello.hello == play.Hello(
        versions=[1], entry="e", instance="i", games=["hearts"], tables=2, matches=1, redirects=True
    )
    assert hello == play.PlayRequest(hello=hello.hello)
    assert ready == play.PlayRequest(frames_received=2, ready=[play.Ready(match_id="m1")])
    assert answer == play.PlayRequest(
        frames_received=3, answers=[play.Answer(match_id="m1", decision_id=1, index=0)]
    )
    assert bye == play.PlayRequest(frames_received=4, bye=play.Bye())


async def test_several_tables_in_one_frame_are_answered_in_one(
    tell: type[Tell], referee: OpenReferee
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.seated("m2"))
        await stream.next()
        await stream.send(tell.plays("2C", "m2"), tell.choose("2C 3C 4C", 2, 2, "m1"))
        await stream.next()
        await stream.send(tell.finished("m1"), tell.finished("m2"))
        await stream.rest()

    async with referee(script) as at:
        await run(first, at.address, matches=2)
    _, seats, answers, _ = at.requests
    assert [ready.match_id for ready in seats.ready] == ["m1", "m2"]
    assert [answer.match_id for answer in answers.answers] == ["m2", "m1"]


async def test_settings_come_from_the_environment(
    tell: type[Tell], referee: OpenReferee, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def script(stream: Any) -> None:
        assert stream.metadata["authorization"] == "Bearer secret"
        await one_match(tell, stream)

    draws: list[int] = []

    def draw(decision: Decision) -> fairdeal.Answer:
        draws.append(decision.chance.draw(1000))
        return first(decision)

    async with referee(script, f"unix:{tmp_path}/referee") as at:
        for name, value in {"TOKEN": "secret", "ENTRY": "e", "INSTANCE": "i", "SEED": "s"}.items():
            monkeypatch.setenv(f"FAIRDEAL_{name}", value)
        monkeypatch.setenv("FAIRDEAL_ADDRESS", at.address)
        async with asyncio.timeout(PATIENCE):
            await fairdeal.run_async(draw, matches=1)
    hello = at.requests[0].hello
    assert (hello.entry, hello.instance) == ("e", "i")
    assert draws == [fairdeal.Chance("s", "m1", 0, 1).draw(1000)]


async def test_the_entry_is_the_bot_s_name_for_want_of_another(
    tell: type[Tell], referee: OpenReferee
) -> None:
    class Cautious:
        act = staticmethod(first)

        def on_event(self, happened: fairdeal.Happened) -> None: ...

    async def script(stream: Any) -> None:
        await one_match(tell, stream)

    async with referee(script) as at:
        await run(Cautious(), at.address, matches=1)
    hello = at.requests[0].hello
    assert (hello.entry, hello.instance, hello.tables, hello.events) == ("Cautious", "", 64, True)


async def test_async_bots_think_about_their_matches_side_by_side(
    tell: type[Tell], referee: OpenReferee
) -> None:
    both = asyncio.Barrier(2)

    async def act(decision: Decision) -> fairdeal.Answer:
        await both.wait()
        return Card("2C")

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.seated("m2"))
        await stream.next()
        await stream.send(tell.plays("2C", "m1"))
        await stream.send(tell.plays("2C", "m2"))
        answers: list[str] = []
        while len(answers) < 2:
            request = await stream.next()
            answers.extend(answer.match_id for answer in request.answers)
        assert sorted(answers) == ["m1", "m2"]
        await stream.send(tell.finished("m1"), tell.finished("m2"))
        await stream.rest()

    async with referee(script) as at:
        await run(act, at.address, matches=2)


async def test_async_hooks_keep_the_order_of_a_match(tell: type[Tell], referee: OpenReferee) -> None:
    told: list[str] = []
    answered = asyncio.Event()

    class SlowToSit:
        async def on_seated(self, seated: Seated) -> None:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            told.append("seated")

        async def act(self, decision: Decision) -> fairdeal.Answer:
            told.append("act")
            answered.set()
            return Card("2C")

        async def on_finished(self, finished: fairdeal.Finished) -> None:
            await answered.wait()
            await asyncio.sleep(0)
            told.append("finished")

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(), tell.plays("2C"))
        while not (await stream.next()).answers:
            pass
        await stream.send(tell.finished())
        await stream.rest()

    async with referee(script) as at:
        await run(SlowToSit, at.address, matches=1)
    assert told == ["seated", "act", "finished"]


async def test_an_act_is_cancelled_once_its_decision_is_closed(
    tell: type[Tell], referee: OpenReferee
) -> None:
    cancelled: list[int] = []

    async def act(decision: Decision) -> fairdeal.Answer:
        if decision.id == 1:
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.append(decision.id)
        return Card("3C")

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated(), tell.plays("2C 3C", decision_id=1))
        await stream.next()
        await stream.send(
            tell.closed(1, reason=play.CLOSE_REASON_DEFAULTED, fault=play.FAULT_LATE),
            tell.plays("2C 3C", decision_id=2),
        )
        request = await stream.next()
        assert [(answer.decision_id, answer.index) for answer in request.answers] == [(2, 1)]
        await stream.send(tell.finished())
        await stream.rest()

    async with referee(script) as at:
        await run(act, at.address, matches=1)
    assert cancelled == [1]


async def test_refusals_reach_their_hook(tell: type[Tell], referee: OpenReferee) -> None:
    refused: list[fairdeal.Refused] = []

    class RefusedBot:
        act = staticmethod(first)

        def on_refused(self, update: fairdeal.Refused) -> None:
            refused.append(update)

    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated())
        await stream.next()
        await stream.send(tell.refused(decision_id=3, reason=play.REASON_STALE_DECISION))
        await stream.send(tell.finished())
        await stream.rest()

    async with referee(script) as at:
        await run(RefusedBot(), at.address, matches=1)
    assert [(each.decision_id, each.reason) for each in refused] == [(3, "STALE_DECISION")]


async def test_frames_are_acknowledged_while_there_is_nothing_to_answer(
    tell: type[Tell], referee: OpenReferee
) -> None:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        for _ in range(15):
            await stream.send(tell.notice("UNSPECIFIED"))
        assert await stream.next() == play.PlayRequest(frames_received=16)
        await stream.send(tell.notice("DRAINING"))
        await stream.rest()

    async with referee(script) as at:
        await run(first, at.address)


async def test_a_referee_that_starts_later_is_waited_for(
    tell: type[Tell], referee: OpenReferee, tmp_path: Path
) -> None:
    tried = asyncio.Event()

    async def turn_away(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        tried.set()

    async def script(stream: Any) -> None:
        await one_match(tell, stream)

    address = f"unix:{tmp_path}/s"  # which nobody else can take in between, as one could a port
    async with await asyncio.start_unix_server(turn_away, tmp_path / "s"):
        bot = asyncio.create_task(run(first, address, matches=1))
        await tried.wait()
    async with referee(script, address) as at:
        await bot
    assert at.requests[-1].HasField("bye")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"address": ""}, "the address is empty: give one, such as 127.0.0.1:7447 or unix:/path"),
        ({"address": "localhost"}, "address 'localhost': must be HOST:PORT or unix:/PATH"),
        ({"address": "localhost:0"}, "address 'localhost:0'"),
        ({"address": ":7447"}, "address ':7447'"),
        ({"address": "localhost:http"}, "address 'localhost:http'"),
        ({"address": "localhost:99999"}, "address 'localhost:99999'"),
        ({"address": "unix:"}, "address 'unix:'"),
        ({"tables": 0}, "tables 0: must be 1 or more"),
        ({"matches": -1}, "matches -1: must be 0, for no limit, or more"),
        ({"token": "se\ncret"}, "token: must be printable ASCII"),
        ({"seed": "sëed"}, "seed 'sëed': must be ASCII"),
        ({"connect_timeout": -1}, "connect_timeout -1: must be 0, to try once, or more"),
        ({"reconnect_timeout": -1}, "reconnect_timeout -1: must be 0, for never, or more"),
        ({"reconnect_timeout": float("nan")}, "reconnect_timeout nan: must be 0"),
    ],
)
async def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(fairdeal.BadSetting) as caught:
        await fairdeal.run_async(first, **{"address": "localhost:1", **settings})
    assert str(caught.value).startswith(text)
