"""Every scripted bot over a real socket: what it gets, what its opponents get, what the record says."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from fairdeal.testing import SCRIPTS, Ending, ServedReferee, Transcript, serving
from fairdeal.testing.scripted import Good, first_legal
from fairdeal.v1 import play_service_pb2 as pb
from referee.codec import proto
from referee.codec.json import from_tagged
from referee.core.access import Tokens, token_digest
from referee.games.actions import ChooseCards, Moon, PlayCard
from referee.match.clock import ClockSettings
from referee.match.faults import FaultCounts
from referee.server.runtime import FinishedMatch
from referee.storage import record
from tests.rounds import rounds
from tests.workspace import PATIENCE

SECOND: Final = 1_000_000
ENTRIES: Final = ("bad", "west", "north", "east")
MAX_FAULTS: Final = 3
DECISIONS: Final = 14  # of a seat in one deal of hearts: the pass, and thirteen cards
OFFICIOUS: Final = 6  # those of them in which some say more than they are asked

SCALES: Final = (1, 4, 16)  # of the clock: some let it run out, and on a busy machine the others need longer

LEFT: Final = ("OK", "")
CUT: Final = ("CANCELLED", "")
EVERY: Final = range(1, DECISIONS + 1)


def thrice(fault: str, first: int = 1) -> tuple[tuple[str, int], ...]:
    """Return as many faults as forfeit a match, from a decision on."""
    return tuple((fault, first + number) for number in range(MAX_FAULTS))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptCase:
    """What one script comes to in a deal of hearts.

    ``faults`` are told with their decisions, ``answers`` are the decisions to which an answer was taken,
    right or wrong. ``refused`` are the reasons in order. A bot that ``hears_out`` no match has no
    stream, or does not read it, when its faults fall due. ``start`` is the time to become ready, in seconds.
    """

    script: str
    faults: tuple[tuple[str, int | None], ...] = ()
    sessions_lost: int = 0
    answers: Iterable[int] = EVERY
    refused: tuple[str, ...] = ()
    endings: tuple[tuple[str, str], ...] = (LEFT,)
    hears_out: bool = True
    forfeits: bool = False
    start: int = 60

    @property
    def counts(self) -> dict[str, int]:
        """Return its faults by kind, without those that it has none of."""
        lost = {"sessions_lost": self.sessions_lost} if self.sessions_lost else {}
        return Counter(fault for fault, _decision in self.faults) | lost


CASES: Final = (
    ScriptCase(script="good"),
    ScriptCase(
        script="illegal",
        faults=thrice("illegal"),
        answers=(1, 2, 3),
        refused=("ILLEGAL_ACTION",) * 3,
        forfeits=True,
    ),
    ScriptCase(
        script="malformed",
        faults=thrice("malformed"),
        answers=(1, 2, 3),
        refused=("MALFORMED_ACTION",) * 3,
        forfeits=True,
    ),
    ScriptCase(
        script="slow", faults=thrice("late"), answers=(), refused=("STALE_DECISION",) * 3, forfeits=True
    ),
    ScriptCase(script="silent", faults=thrice("late"), answers=(), forfeits=True),
    ScriptCase(
        script="crash",
        faults=thrice("disconnected", 3),
        sessions_lost=1,
        answers=(1, 2),
        endings=(CUT,),
        hears_out=False,
        forfeits=True,
    ),
    ScriptCase(
        script="flood",
        faults=thrice("disconnected"),
        sessions_lost=1,
        answers=(),
        refused=("NOT_YOUR_DECISION",),  # as often as it is told before it is thrown out
        endings=(("RESOURCE_EXHAUSTED", "RATE_LIMITED"),),
        hears_out=False,
        forfeits=True,
    ),
    ScriptCase(
        script="half_open",
        faults=thrice("disconnected", 3),
        sessions_lost=1,
        answers=(1, 2),
        hears_out=False,
        forfeits=True,
    ),
    ScriptCase(
        script="deaf",
        faults=thrice("late", 3),
        answers=(1, 2),
        endings=(CUT,),
        hears_out=False,
        forfeits=True,
    ),
    ScriptCase(script="reconnecting", sessions_lost=4, endings=(CUT, CUT, CUT, CUT, LEFT)),
    ScriptCase(
        script="wrong_token",
        faults=(("disconnected", None),),
        answers=(),
        endings=(("UNAUTHENTICATED", "MISSING_TOKEN"),),
        hears_out=False,
        forfeits=True,
        start=2,
    ),
    ScriptCase(script="wrong_name", endings=(("PERMISSION_DENIED", "WRONG_SEAT"), LEFT)),
    ScriptCase(script="wrong_seat", refused=("MATCH_NOT_FOUND",) * OFFICIOUS),
    ScriptCase(script="twice", refused=("DECISION_ALREADY_ANSWERED",) * OFFICIOUS),
    ScriptCase(
        script="stale",
        faults=(("late", 1),),
        answers=EVERY[1:],
        refused=("STALE_DECISION",) * (OFFICIOUS - 1),
    ),
    ScriptCase(script="out_of_turn", refused=("NOT_YOUR_DECISION",) * OFFICIOUS),
)


@dataclass(frozen=True, slots=True)
class PlayedScript:
    """A match as it went, and what each of its bots was told."""

    report: FinishedMatch
    lines: tuple[dict[str, Any], ...]
    told: Mapping[str, Transcript]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the lines of one type, without it."""
        return [
            {key: value for key, value in line.items() if key != "type"}
            for line in self.lines
            if line["type"] == kind
        ]

    def inputs(self, kind: str, seat: int) -> list[dict[str, Any]]:
        return [line for line in self.of("input") if (line["kind"], line.get("seat")) == (kind, seat)]

    @property
    def timeless(self) -> list[dict[str, Any]]:
        """Return the events and all that the referee did, without what tells of time."""
        return [line for line in self.lines if line["type"] not in ("input", "outcome", "reveal")]


class Obedient(Good):
    """Play the actions of somebody else's match, so that its course is the same without a fault."""

    actions: Mapping[int, dict[str, Any]]  # by decision; the first legal one where there is none

    def answers(self, decision: pb.Decision) -> list[pb.Answer]:
        if decision.decision_id not in self.actions:
            return [first_legal(decision)]
        answer = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)
        action = from_tagged((ChooseCards, PlayCard, Moon), self.actions[decision.decision_id])
        proto.actions.fill_action(answer.action, action)
        return [answer]


def new_workspace(*, scale: int = 1, start: int = 60) -> Any:
    """Return a referee with the same deals each time, where every entry has a token."""
    return serving(
        "hearts",
        deals=1,
        seed="winter",  # by points alone the bad one would be first
        clock=ClockSettings(
            move=scale * SECOND * 3 // 10,
            bank=scale * SECOND // 2,
            lag=0,
            lag_cap=0,
            start=scale * start * SECOND,
        ),
        access=Tokens({name: token_digest(f"token-of-{name}") for name in ("held", *ENTRIES)}),
    )


def guest(workspace: ServedReferee, entry: str, script: Callable[..., Any] = Good, **settings: Any) -> Any:
    return script(workspace.address, entry, token=f"token-of-{entry}", **settings)


async def play(
    workspace: ServedReferee, bad: Any, entries: tuple[str, ...] = ENTRIES, match_id: str | None = None
) -> PlayedScript:
    """Play a match of one bot with three good ones, to its record and the end of all streams."""
    bots = {entry: guest(workspace, entry) for entry in entries} | {entries[0]: bad}
    running = {entry: asyncio.create_task(bot.run()) for entry, bot in bots.items()}
    async with asyncio.timeout(PATIENCE):
        report = await workspace.play(*entries, match_id=match_id)
        await asyncio.wait([task for entry, task in running.items() if entry != entries[0]])
        if isinstance(bad, SCRIPTS["deaf"]):
            running[entries[0]].cancel()
        await asyncio.wait(running.values())
    for entry, task in running.items():
        if not task.cancelled():
            assert task.result() is bots[entry].transcript
    lines = record.read(report.path).lines
    return PlayedScript(report, lines, {entry: bot.transcript for entry, bot in bots.items()})


def play_alone(case: ScriptCase, script: Callable[..., Any], counts: Mapping[str, int]) -> PlayedScript:
    """Play the match of a case with such a bot, which comes to so many faults of each kind."""

    async def main(scale: int) -> PlayedScript:
        async with new_workspace(scale=scale, start=case.start) as workspace:
            return await play(workspace, guest(workspace, "bad", script))

    for scale, trying in rounds(*SCALES):
        with trying:
            played = asyncio.run(main(scale))
            assert played.report.outcome.faults == (FaultCounts(**counts), *[FaultCounts()] * 3)
            break
    return played


@pytest.fixture(scope="module", params=CASES, ids=[case.script for case in CASES])
def case(request: pytest.FixtureRequest) -> ScriptCase:
    found: ScriptCase = request.param
    return found


@pytest.fixture(scope="module")
def played(case: ScriptCase) -> PlayedScript:
    """Return the match of a script, which all tests look at."""
    return play_alone(case, SCRIPTS[case.script], case.counts)


def told(updates: list[pb.Update], *, but: tuple[str, ...]) -> list[pb.Update]:
    """Return copies of updates without some kinds, and without what clock and order of arrival decide."""
    copies = []
    for update in updates:
        if update.WhichOneof("kind") not in but:
            copies.append(pb.Update.FromString(update.SerializeToString()))
            if update.HasField("decision"):
                copies[-1].decision.ClearField("bank")
            if update.HasField("welcome"):
                copies[-1].welcome.ClearField("epoch")
    return copies


def test_every_script_has_its_case() -> None:
    assert [case.script for case in CASES] == list(SCRIPTS)


def test_what_it_gets(case: ScriptCase, played: PlayedScript) -> None:
    transcript = played.told["bad"]
    assert [(ending.code.name, ending.reason) for ending in transcript.endings] == list(case.endings)
    # a refused bot is told why, and the incident under which the referee's log has it
    assert all(e.text and e.incident for e in transcript.endings if e.reason)
    refused = [pb.Reason.Name(refused.reason).removeprefix("REASON_") for refused in transcript.of("refused")]
    if case.script == "flood":
        refused = list(dict.fromkeys(refused))
    assert refused == list(case.refused)
    assert not any(refused.still_open for refused in transcript.of("refused"))
    # each decision is closed once, and a default is told
    closed = [(c.decision_id, c.fault) for c in transcript.of("closed")]
    assert len(dict(closed)) == len(closed)
    assert [(number, fault) for number, fault in closed if fault] == [
        (number, pb.Fault.Value(f"FAULT_{fault.upper()}"))
        for fault, number in (case.faults if case.hears_out else ())
    ]
    if case.hears_out:
        (finished,) = transcript.of("finished")
        assert {f.name: value for f, value in finished.faults[0].ListFields()} == case.counts
        assert list(finished.forfeited) == ([1] if case.forfeits else [])


def test_what_the_record_says(case: ScriptCase, played: PlayedScript) -> None:
    outcome = played.report.outcome
    assert outcome.termination.name == "COMPLETED"
    # a side that forfeits is last alone, whatever its points; the others are ranked by theirs
    assert outcome.forfeited == ((0,) if case.forfeits else ())
    assert outcome.scores[0] == min(outcome.scores)
    ranked = outcome.scores[1:] if case.forfeits else outcome.scores
    ranks = tuple(1 + sum(other < score for other in ranked) for score in ranked)
    assert outcome.ranks == ((4, *ranks) if case.forfeits else ranks)
    # what was refused is no input
    assert [line["decision_id"] for line in played.inputs("answer", 0)] == list(case.answers)
    assert len(played.inputs("lost", 0)) == case.sessions_lost
    # every fault stands there, and the default played for it; then those for a seat that has forfeited
    faulted, substituted = played.of("faulted"), played.of("substituted")
    assert [(line["fault"], line.get("decision_id")) for line in faulted] == list(case.faults)
    on_decisions = [(fault, number) for fault, number in case.faults if number]
    assert [(line["fault"], line["decision_id"]) for line in substituted if "fault" in line] == on_decisions
    wrong = {number for fault, number in case.faults if fault in ("illegal", "malformed")}
    assert len(substituted) == DECISIONS - len(set(case.answers) - wrong)
    assert {line["seat"] for line in faulted + substituted} <= {0}


def test_what_its_opponents_get(case: ScriptCase, played: PlayedScript) -> None:
    """The very same as from a bot that plays the same cards without a fault, until the match is over."""
    actions: dict[int, dict[str, Any]] = {}
    for line in played.of("substituted"):
        actions[line.get("decision_id", max(actions, default=0) + 1)] = line["action"]

    def obedient(*where: Any, **settings: Any) -> Obedient:
        bot = Obedient(*where, **settings)
        bot.actions = actions
        return bot

    undisturbed = play_alone(case, obedient, {})
    for entry in ENTRIES[1:]:
        mine, theirs = played.told[entry], undisturbed.told[entry]
        assert mine.endings == theirs.endings == [Ending(mine.endings[0].code, "", "", "")]
        assert mine.endings[0].code.name == "OK"
        assert told(mine.updates, but=("finished",)) == told(theirs.updates, but=("finished",))
        # what the match came to they learn at its end: the same scores, and now the faults too
        (end,), (their_end,) = mine.of("finished"), theirs.of("finished")
        assert list(end.scores) == list(their_end.scores)
        assert {f.name: value for f, value in end.faults[0].ListFields()} == case.counts
        kinds = Counter(update.WhichOneof("kind") for update in mine.updates)
        assert kinds["refused"] == 0
        assert all(closed.reason == pb.CLOSE_REASON_ANSWERED for closed in mine.of("closed"))


def test_frames_lost_with_a_stream_are_sent_over_the_next(case: ScriptCase, played: PlayedScript) -> None:
    """Each event once and in order, each decision once, over however many streams."""
    transcript = played.told["bad"]
    sequences = [happened.event.sequence for happened in transcript.of("happened")]
    assert sequences == list(range(1, len(sequences) + 1))
    decisions = [decision.decision_id for decision in transcript.of("decision")]
    assert decisions == list(range(1, len(decisions) + 1))
    if not case.forfeits:
        assert len(decisions) == DECISIONS
        epochs = [welcome.epoch for welcome in transcript.of("welcome")]
        assert epochs == sorted(set(epochs))
        assert len(epochs) == case.sessions_lost + 1
        assert len(transcript.of("seated")) == len(epochs)


class HeldScript(Good):
    """Wait with the first card until it is let go."""

    go: asyncio.Event

    async def asked(self, stream: Any, decision: pb.Decision) -> None:
        await self.go.wait()


def test_a_match_elsewhere_is_not_touched() -> None:
    """Who has no seat in a match cannot answer in it, and cannot find out that there is one."""
    others = ENTRIES[1:]

    async def main() -> tuple[PlayedScript, PlayedScript, Transcript]:
        async with new_workspace(scale=200) as workspace:
            held, bad = guest(workspace, "held", HeldScript), guest(workspace, "bad", SCRIPTS["wrong_seat"])
            held.go, bad.elsewhere = asyncio.Event(), "match-a"
            bots = [held, bad, *(guest(workspace, entry, matches=2) for entry in others)]
            running = [asyncio.create_task(bot.run()) for bot in bots]
            first = asyncio.create_task(workspace.play("held", *others, match_id="match-a"))
            async with asyncio.timeout(PATIENCE):
                await workspace.play("bad", *others)
                assert not first.done()
                held.go.set()
                report = await first
                await asyncio.wait(running)
            touched = PlayedScript(report, record.read(report.path).lines, {})
        async with new_workspace(scale=200) as workspace:
            alone = await play(workspace, guest(workspace, "held"), ("held", *others), match_id="match-a")
        return touched, alone, bad.transcript

    touched, alone, transcript = asyncio.run(main())
    assert len(touched.of("input")) == len(alone.of("input"))
    assert touched.timeless == alone.timeless
    assert touched.report.outcome.faults == (FaultCounts(),) * 4
    # it is told the same as of a match that does not exist
    assert [
        (refused.match_id, refused.decision_id, refused.reason) for refused in transcript.of("refused")
    ] == [("match-a", number, pb.REASON_MATCH_NOT_FOUND) for number in range(1, OFFICIOUS + 1)]
