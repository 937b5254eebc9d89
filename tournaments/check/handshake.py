"""The first checks: a bot comes, greets, takes a seat, acknowledges."""

from collections.abc import Mapping
from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.match.messages import Reason
from tournaments.check.catalogue import ACKNOWLEDGES, GREETS, PLAY, TAKES_SEATS
from tournaments.check.connection import BotStream
from tournaments.check.harness import INSTANCE, Harness, Wanted
from tournaments.check.results import CheckFailed, Finding
from tournaments.check.shorten import shown
from tournaments.hosting.bot_process import NO_MAIN

_HEARTBEATS: Final = 3  # tries, since a bot may leave meanwhile
_HEARTBEAT: Final = pb.Update(notice=pb.Notice(kind=pb.NOTICE_KIND_HEARTBEAT))

_WHERE: Final[Mapping[Reason, tuple[str, str]]] = {
    Reason.MISSING_TOKEN: (
        "PlayService.Play",
        "the token of FAIRDEAL_TOKEN in the metadata, authorization: Bearer TOKEN",
    ),
    Reason.WRONG_SEAT: ("Hello.entry", "the entry of FAIRDEAL_ENTRY, whose token it shows"),
    Reason.UNSUPPORTED_VERSION: ("Hello.versions", "version 1 among those that the bot speaks"),
    Reason.PROTOCOL_VIOLATION: ("PlayRequest.hello", "a hello in the first frame"),
    Reason.IDLE: ("PlayRequest.hello", "a hello in the first frame, at once"),
}


async def connects(harness: Harness) -> None:
    """Start the bot and wait for its first stream."""
    bot, monitor = harness.bot, harness.monitor
    await bot.start()
    seconds = harness.connect_seconds
    await harness.until(lambda: bool(monitor.streams) or bot.exited is not None, seconds)
    if not monitor.streams:
        what = f"the bot opens no stream within {seconds:g} s"
        came = "nothing; its process runs on" if bot.is_ours else "nothing"
        if bot.exited:
            what, came = "the bot ends before it opens a stream", bot.exited.text
            came += "" if bot.exited.code else f" ({NO_MAIN})"
        raise CheckFailed(
            Finding(
                what=what,
                place=f"{PLAY}: PlayService.Play",
                came=came,
                expected=f"a stream of fairdeal.v1.PlayService/Play at {harness.address} (FAIRDEAL_ADDRESS)",
            )
        )


async def greets(harness: Harness) -> None:
    """Check the hello."""
    monitor, bot = harness.monitor, harness.bot

    def refused() -> bool:
        return monitor.newest is not None and monitor.newest.session.ended is not None

    await harness.until(lambda: harness.is_here or refused() or bot.exited is not None)
    if not harness.is_here:
        raise CheckFailed(_refusal(harness))
    hello = harness.connection.hello
    assert hello is not None
    if hello.instance != INSTANCE:
        text = f"its hello has the instance {hello.instance!r} where FAIRDEAL_INSTANCE is {INSTANCE!r}"
        harness.results.note(GREETS, f"{text}; an entry that plays two seats of a match needs it")
    if hello.matches:
        text = f"its hello asks for no more than {hello.matches} matches, after which it leaves"
        harness.results.note(GREETS, f"{text}; a tournament restarts it only a few times")


def _refusal(harness: Harness) -> Finding:
    connection = harness.monitor.newest
    ended = connection.session.ended if connection else None
    hello = shown(connection.hello, "hello") if connection and connection.hello else ""
    if ended is None:
        what = "the bot's stream ends before it has said hello"
        came = harness.bot.exited.text if harness.bot.exited else "no hello"
        return Finding(what=what, place=f"{PLAY}: PlayRequest.hello", came=came, expected="a hello")
    field, expected = _WHERE.get(ended.reason, (f"Reason.REASON_{ended.reason.name}", "a session"))
    came = f"{hello}; the referee: {ended.text} ({ended.reason.name})".removeprefix("; ")
    return Finding(what="the referee refuses the bot", place=f"{PLAY}: {field}", came=came, expected=expected)


async def takes_seats(harness: Harness) -> None:
    """Give the bot a seat, and another one if it refuses the first."""
    for name in ("first", "second"):
        await harness.play(Wanted(match_id=name, game=harness.game))
        if harness.monitor.ready:
            return
    if not harness.results.by_number[TAKES_SEATS].findings:
        what = "the bot took no seat"
        raise CheckFailed(Finding(what=what, place=f"{PLAY}: Ready", came="no ready", expected="a ready"))


async def acknowledges(harness: Harness) -> None:
    """Send a heartbeat and wait for its acknowledgement."""
    for _ in range(_HEARTBEATS):
        await harness.present()
        connection = harness.connection
        if finding := await _unacknowledged(harness, connection):
            harness.results.fail(ACKNOWLEDGES, finding)
            harness.monitor.acknowledges_itself = connection.acknowledges_itself = True
        if finding or connection.is_open:
            return


async def _unacknowledged(harness: Harness, connection: BotStream) -> Finding | None:
    """Send a heartbeat and return a finding if the bot stays without acknowledging it."""
    before = connection.frames
    connection.inject(_HEARTBEAT)
    harness.proxy.wake(connection)
    frames = before + 1  # inserted frames go first
    await harness.until(lambda: connection.frames >= frames or not connection.is_open)
    if await harness.until(lambda: connection.acknowledged >= frames or not connection.is_open):
        return None
    return Finding(
        what="a heartbeat is not acknowledged",
        place=f"{PLAY}: NoticeKind.NOTICE_KIND_HEARTBEAT",
        sent=f"{shown(_HEARTBEAT)} as frame {frames} of the stream",
        came=f"frames_received is {connection.acknowledged} after {harness.patience:g} s",
        expected=f"at once a frame with frames_received = {frames}",
    )
