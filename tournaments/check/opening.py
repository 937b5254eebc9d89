"""The first checks: a bot comes, greets, takes a seat, acknowledges."""

from collections.abc import Mapping
from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.updates import Reason
from tournaments.check.catalogue import ACKNOWLEDGES, GREETS, PLAY, TAKES_SEATS
from tournaments.check.line import Line
from tournaments.check.results import Failure, SceneFailed
from tournaments.check.shorten import shown
from tournaments.check.stage import INSTANCE, Stage, Wanted

_HEARTBEATS: Final = 3  # so often one is sent, since a bot may leave meanwhile
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


async def connects(stage: Stage) -> None:
    """Start the bot and wait for its first stream."""
    bot, watch = stage.bot, stage.watch
    await bot.start()
    seconds = stage.connect_seconds
    await stage.until(lambda: bool(watch.streams) or bot.exited is not None, seconds)
    if not watch.streams:
        what = f"the bot opens no stream within {seconds:g} s"
        came = "nothing; its process runs on" if bot.is_ours else "nothing"
        if bot.exited:
            what, came = "the bot ends before it opens a stream", bot.exited.text
        raise SceneFailed(
            Failure(
                what=what,
                place=f"{PLAY}: PlayService.Play",
                came=came,
                expected=f"a stream of fairdeal.v1.PlayService/Play at {stage.address} (FAIRDEAL_ADDRESS)",
            )
        )


async def greets(stage: Stage) -> None:
    """Look at the hello."""
    watch, bot = stage.watch, stage.bot

    def refused() -> bool:
        return watch.newest is not None and watch.newest.session.ended is not None

    await stage.until(lambda: stage.is_here or refused() or bot.exited is not None)
    if not stage.is_here:
        raise SceneFailed(_refusal(stage))
    hello = stage.line.hello
    assert hello is not None
    if hello.instance != INSTANCE:
        text = f"its hello has the instance {hello.instance!r} where FAIRDEAL_INSTANCE is {INSTANCE!r}"
        stage.ledger.note(GREETS, f"{text}; an entry that plays two seats of a match needs it")
    if hello.matches:
        text = f"its hello wants no more than {hello.matches} matches, after which it leaves"
        stage.ledger.note(GREETS, f"{text}; a tournament starts it again only so often")


def _refusal(stage: Stage) -> Failure:
    line = stage.watch.newest
    ended = line.session.ended if line else None
    hello = shown(line.hello, "hello") if line and line.hello else ""
    if ended is None:
        what = "the bot's stream ends before it has said hello"
        came = stage.bot.exited.text if stage.bot.exited else "no hello"
        return Failure(what=what, place=f"{PLAY}: PlayRequest.hello", came=came, expected="a hello")
    field, expected = _WHERE.get(ended.reason, (f"Reason.REASON_{ended.reason.name}", "a session"))
    came = f"{hello}; the referee: {ended.text} ({ended.reason.name})".removeprefix("; ")
    return Failure(what="the referee refuses the bot", place=f"{PLAY}: {field}", came=came, expected=expected)


async def takes_seats(stage: Stage) -> None:
    """Give the bot a seat, and another one if it refuses the first."""
    for name in ("first", "second"):
        await stage.play(Wanted(match_id=name, game=stage.game))
        if stage.watch.ready:
            return
    if not stage.ledger.results[TAKES_SEATS].failures:
        what = "the bot took no seat"
        raise SceneFailed(Failure(what=what, place=f"{PLAY}: Ready", came="no ready", expected="a ready"))


async def acknowledges(stage: Stage) -> None:
    """Send a heartbeat and wait for its acknowledgement."""
    for _ in range(_HEARTBEATS):
        await stage.present()
        line = stage.line
        if failure := await _unacknowledged(stage, line):
            stage.ledger.fail(ACKNOWLEDGES, failure)
            stage.watch.acknowledges_itself = line.acknowledges_itself = True
        if failure or line.is_open:
            return


async def _unacknowledged(stage: Stage, line: Line) -> Failure | None:
    """Send a heartbeat and return what is to be said of a bot that stays and does not acknowledge it."""
    before = line.frames
    line.inject(_HEARTBEAT)
    stage.gateway.wake(line)
    frames = before + 1  # what is put in goes first
    await stage.until(lambda: line.frames >= frames or not line.is_open)
    if await stage.until(lambda: line.acknowledged >= frames or not line.is_open):
        return None
    return Failure(
        what="a heartbeat is not acknowledged",
        place=f"{PLAY}: NoticeKind.NOTICE_KIND_HEARTBEAT",
        sent=f"{shown(_HEARTBEAT)} as frame {frames} of the stream",
        came=f"frames_received is {line.acknowledged} after {stage.patience:g} s",
        expected=f"at once a frame with frames_received = {frames}",
    )
