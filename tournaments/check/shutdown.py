"""The last checks: the referee shuts down, and the bot leaves."""

from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from tournaments.check.catalogue import EXITS, PLAY, SESSIONS
from tournaments.check.disturbances import Reached, playing
from tournaments.check.harness import Harness, Wanted
from tournaments.check.results import CheckFailed, DoesNotApply, Finding
from tournaments.check.shorten import shown

_DRAINING: Final = pb.Notice(kind=pb.NOTICE_KIND_DRAINING, text="the referee is about to leave")


async def drains(harness: Harness) -> None:
    """Announce in mid-deal that the referee is shutting down."""
    reached = Reached()
    with harness.monitor.meddling(heard=reached.heard):
        async with playing(harness, Wanted(match_id="drain", game=harness.game)) as match:
            if await reached.within(harness, match):
                harness.drain()
                for answer in reached.answers:
                    harness.say(harness.connection, answer)
    if not harness.is_drained:
        return  # the bot did not get this far, which is recorded
    connection = harness.connection
    if not await harness.until(lambda: not connection.is_open or harness.bot.exited is not None):
        raise CheckFailed(
            Finding(
                what=f"the bot stays for {harness.patience:g} s after its last match",
                place=f"{PLAY}: NoticeKind.NOTICE_KIND_DRAINING",
                sent=f"{shown(_DRAINING, 'notice')} in mid-deal, and the end of that match",
                came="no bye, and no end of its stream",
                expected="a bye when the last match is over",
            )
        )


async def exits(harness: Harness) -> None:
    """Check that the process ends with the referee, and leaves no other processes behind."""
    bot, seconds = harness.bot, harness.return_seconds
    if not bot.is_ours:
        raise DoesNotApply("the bot's process is none of ours")
    if not harness.is_drained:
        await harness.present()
        harness.drain()
        await harness.until(lambda: not harness.is_here or bot.exited is not None)
    harness.referee.end_sessions()
    # longer than the patience, which the bot's children have to end after it
    ended = await harness.until(lambda: bot.exited is not None, seconds)
    await bot.stop()
    exited = bot.exited
    assert exited is not None
    if not ended:
        how = "was killed, since it did not obey SIGTERM" if exited.was_killed else "was ended by SIGTERM"
        finding = Finding(
            what=f"the bot's process runs on for {seconds:g} s after the referee has gone",
            place=f"{SESSIONS}: When the referee goes down",
            sent=shown(_DRAINING, "notice") + ", then the end of the session",
            came=f"a process that {how}",
            expected="that the process ends by itself",
        )
        harness.results.fail(EXITS, finding)
    elif exited.code:
        finding = Finding(
            what="the bot's process ends as if something had gone wrong",
            place=f"{SESSIONS}: When the referee goes down",
            sent=shown(_DRAINING, "notice") + ", then the end of the session",
            came=exited.text,
            expected="exit status 0",
        )
        harness.results.fail(EXITS, finding)
    if exited.left:
        finding = Finding(
            what="the bot's process ends and leaves others running",
            place=f"{SESSIONS}: When the referee goes down",
            came="; ".join(exited.left),
            expected="that no process that it started outlives it",
        )
        harness.results.fail(EXITS, finding)
