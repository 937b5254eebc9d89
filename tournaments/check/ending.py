"""The last checks: the referee goes, and the bot with it."""

from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from tournaments.check.catalogue import EXITS, PLAY, SESSIONS
from tournaments.check.results import DoesNotApply, Failure, SceneFailed
from tournaments.check.shorten import shown
from tournaments.check.stage import Stage, Wanted
from tournaments.check.trouble import Reached, playing

_DRAINING: Final = pb.Notice(kind=pb.NOTICE_KIND_DRAINING, text="the referee is about to leave")


async def drains(stage: Stage) -> None:
    """Say in mid-deal that the referee is about to leave."""
    reached = Reached()
    with stage.watch.meddling(heard=reached.heard):
        async with playing(stage, Wanted(match_id="drain", game=stage.game)) as match:
            if await reached.within(stage, match):
                stage.drain()
                for answer in reached.answers:
                    stage.say(stage.line, answer)
    if not stage.is_drained:
        return  # the bot did not get so far, which is booked
    line = stage.line
    if not await stage.until(lambda: not line.is_open or stage.bot.exited is not None):
        raise SceneFailed(
            Failure(
                what=f"the bot stays for {stage.patience:g} s after its last match",
                place=f"{PLAY}: NoticeKind.NOTICE_KIND_DRAINING",
                sent=f"{shown(_DRAINING, 'notice')} in mid-deal, and the end of that match",
                came="no bye, and no end of its stream",
                expected="a bye when the last match is over",
            )
        )


async def exits(stage: Stage) -> None:
    """See that the process ends with the referee, and leaves nothing behind."""
    bot, seconds = stage.bot, stage.return_seconds
    if not bot.is_ours:
        raise DoesNotApply("the bot's process is none of ours")
    if not stage.is_drained:
        await stage.present()
        stage.drain()
        await stage.until(lambda: not stage.is_here or bot.exited is not None)
    stage.referee.end_sessions()
    # longer than the patience, which is what the bot's own children have to end after it
    ended = await stage.until(lambda: bot.exited is not None, seconds)
    await bot.stop()
    exited = bot.exited
    assert exited is not None
    if not ended:
        how = "was killed, since it did not obey SIGTERM" if exited.was_killed else "was ended by SIGTERM"
        failure = Failure(
            what=f"the bot's process runs on for {seconds:g} s after the referee has gone",
            place=f"{SESSIONS}: When the referee goes down",
            sent=shown(_DRAINING, "notice") + ", then the end of the session",
            came=f"a process that {how}",
            expected="that the process ends by itself",
        )
        stage.ledger.fail(EXITS, failure)
    elif exited.code:
        failure = Failure(
            what="the bot's process ends as if something had gone wrong",
            place=f"{SESSIONS}: When the referee goes down",
            sent=shown(_DRAINING, "notice") + ", then the end of the session",
            came=exited.text,
            expected="exit status 0",
        )
        stage.ledger.fail(EXITS, failure)
    if exited.left:
        failure = Failure(
            what="the bot's process ends and leaves others running",
            place=f"{SESSIONS}: When the referee goes down",
            came="; ".join(exited.left),
            expected="that nothing that it has started outlives it",
        )
        stage.ledger.fail(EXITS, failure)
