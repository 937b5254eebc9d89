"""What must hold of a world that has come to its end: records, results and what was told fit each other."""

import gzip
import json
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from referee.cards import Seat
from referee.codec import proto
from referee.codec.json import plain
from referee.core.running_match import Key
from referee.core.told import Told
from referee.dealing.decks import MatchDeals
from referee.dealing.scheme import epoch_id
from referee.games.registry import GAMES
from referee.match.effects import Append, MatchSetup, Outcome, Tell
from referee.match.faults import Fault, Termination
from referee.match.match import Match
from referee.match.messages import Closed, CloseReason, Decision, Finished, Happened, Reason
from referee.match.replay import Header, apply
from referee.storage import record
from referee.storage.journal import Journal
from referee.storage.record import read_header, read_input
from referee.storage.recorder import FinishedMatch
from referee.verify import Known, Status, verify
from tests.simulation.bots import SimulatedBot
from tests.simulation.conduct import Conduct, Misconduct, Start
from tests.simulation.scenario import FirstKeys, expected
from tests.simulation.timekeeping import Timekeeper
from tests.simulation.witness import TRANSIT, ToldSeat, Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

_KIND: Final = {Misconduct.MALFORMED: Fault.MALFORMED, Misconduct.ILLEGAL: Fault.ILLEGAL}
_HARMLESS: Final = {Reason.MATCH_NOT_FOUND, Reason.MATCH_FINISHED}


def _need(holds: object, text: str) -> None:
    if not holds:
        raise Violation(text)


def check(world: "World") -> None:
    """Check all that is left of a world.

    Raises:
        Violation: something does not fit.
    """
    journal = Journal(world.folder / "journal")
    journal.close()
    _need(not journal.left, f"the journal still holds {sorted(journal.left)}")
    known = {epoch_id(*key) for key in world.results}
    kept = sorted(known & set(world.kept))
    # one stays behind when the referee is killed just before it drops it: everybody knows it by then
    between = sum(world.killed[point] for point in ("in a write", "after a write", "before the key goes"))
    _need(len(kept) <= between, f"keys of matches that are over are kept: {kept}")
    told = {key for bot in world.bots for key in bot.witness.told}
    _need(told <= set(world.results), f"told of, but without a result: {sorted(told - set(world.results))}")
    ids = Counter(match_id for match_id, _attempt in world.results)
    for key, report in world.results.items():
        last = key[1] == ids[key[0]]
        is_void = report.outcome.termination is Termination.VOID
        _need(is_void != last, f"{key[0]}: attempt {key[1]} of {ids[key[0]]} is void, or is not")
        _Check(world, key, report).run()


class _Check:
    """The check of one match that is over."""

    def __init__(self, world: "World", key: Key, report: FinishedMatch) -> None:
        self._world = world
        self._key = key
        self._outcome: Outcome = report.outcome
        self._report = report
        self._name = report.path.name
        data = report.path.read_bytes()
        self._data = data
        lines = [json.loads(line) for line in gzip.decompress(data).splitlines()]
        self._header: dict[str, Any] = lines[0]
        self._lines: list[dict[str, Any]] = lines[1:]
        self._read: Header = read_header(self._header)
        self._setup: MatchSetup = self._read.setup
        self._rules = GAMES[self._setup.game]

    def run(self) -> None:
        self._journalled()
        self._answered_once()
        self._verified()
        tells = self._replayed()
        for seat, owner in enumerate(self._read.owners):
            for bot in self._world.bots:
                told = bot.witness.told.get(self._key)
                if bot.plan.owner == owner and told:
                    self._need(told.seat == seat, f"{bot.name} sits at the wrong seat")
                    self._told(told, tells[seat], seat)
                    self._behaved(bot, told, seat)
        self._ended()

    def _need(self, holds: object, text: str) -> None:
        _need(holds, f"{self._key}: {text}")

    def _journalled(self) -> None:
        """Check that the record holds what was written to the journal, whoever was killed meanwhile."""
        header, *inputs = self._world.safe[self._key]
        self._need(self._header == header, "the record has another header than the journal")
        recorded = [line for line in self._lines if line["type"] == "input"]
        for number, (ours, theirs) in enumerate(zip(recorded, inputs, strict=False)):
            self._need(
                ours == theirs, f"input {number} is {ours} in the record and was {theirs} in the journal"
            )
        text = f"{len(recorded)} inputs in the record, {len(inputs)} in the journal"
        self._need(len(recorded) == len(inputs), text)
        times = [line["at"] for line in recorded]
        self._need(times == sorted(times) and times[0] >= 0, "time goes back in the record")

    def _answered_once(self) -> None:
        """Check that each decision of a seat is answered or left to the default, once, in order."""
        for seat in range(self._rules.seats):
            mine = [line for line in self._lines if line.get("seat") == seat]
            answers = [line["decision_id"] for line in mine if line.get("kind") == "answer"]
            faults = [line.get("decision_id") for line in mine if line["type"] == "faulted"]
            played = [
                line["decision_id"] for line in mine if line.get("type") == "substituted" and "fault" in line
            ]
            self._need(
                len(set(answers)) == len(answers), f"seat {seat} answers one decision twice: {answers}"
            )
            self._need(len(set(faults)) == len(faults), f"seat {seat} pays twice for one decision: {faults}")
            late = [n for n in faults if n is not None and n not in answers]
            numbers = list(dict.fromkeys(answers + late))
            self._need(
                sorted(numbers) == list(range(1, len(numbers) + 1)),
                f"the decisions of seat {seat} have gaps: {sorted(numbers)}",
            )
            self._need(set(played) <= set(faults), f"a default is played for seat {seat} without a fault")
            counts = self._outcome.faults[seat]
            self._need(counts.total == len(faults), f"seat {seat} has {counts} for faults on {faults}")
            self._need(counts.sessions_lost == self._lost(seat), f"seat {seat} lost other sessions")

    def _lost(self, seat: int) -> int:
        """Return how often a seat's session was lost; every other one came after that or a restart."""
        lost, is_here = 0, False
        for line in self._lines:
            kind = line.get("kind")
            if kind == "restarted":
                is_here = False
            elif line.get("seat") == seat and kind in ("back", "lost"):
                self._need(is_here == (kind == "lost"), f"seat {seat} is {kind}, which it was before")
                is_here = kind == "back"
                lost += kind == "lost"
        return lost

    def _verified(self) -> None:
        """Check that the record verifies, whatever went wrong in its match."""
        verdict = verify(self._data, name=self._name, known=self._known())
        self._need(verdict.status is Status.VERIFIED, f"the record is {verdict.status}: {verdict.problem}")
        self._need(not verdict.notes, f"not compared: {verdict.notes}")

    def _known(self) -> Known:
        """Return what a store would know of the record."""
        header = record.header_line(
            self._setup,
            self._read.owners,
            self._rules,
            self._read.commitment,
            software=self._header["software"],
            started=self._report.started,
        )
        return Known(
            sha256=self._report.sha256,
            header=header,
            outcome=plain(self._outcome),
            duration=self._report.duration,
        )

    def _replayed(self) -> list[dict[tuple[type, int], bytes]]:
        """Replay the record; return what each seat is told in it, by kind and number."""
        deals = MatchDeals(self._setup, self._rules, FirstKeys())
        match = Match(self._setup, self._rules, deals)
        told = Told(self._setup, deals)
        keeper = Timekeeper(self._rules.seats, self._setup.clock)
        log: list[Any] = []
        tells: list[dict[tuple[type, int], bytes]] = [{} for _ in range(self._rules.seats)]
        for line in self._lines:
            if line["type"] != "input":
                continue
            keeper.take(line)
            effects = apply(match, read_input(line))
            told.take(effects)
            for effect in effects:
                if isinstance(effect, Append):
                    log.append(effect.entry)
                elif isinstance(effect, Tell):
                    self._keep_time(keeper, line, effect, tells[effect.seat])
                    self._keep(tells[effect.seat], effect.update)
        again = record.encode(self._header, log, deals.secret, told.digests())
        self._need(again == self._data, "the record does not replay to itself")
        self._need(match.outcome == self._outcome, "the record does not replay to the result")
        for seat, time in enumerate(self._outcome.times):
            keeper.check(seat, time.answered, time.total, time.longest)
        events = [entry for entry in log if type(entry).__module__.startswith("referee.games")]
        for seat, told in enumerate(tells):
            mine = [e for event in events if (e := self._rules.project(event, Seat(seat))) is not None]
            for number, event in enumerate(mine, 1):
                told[Happened, number] = _encoded(Happened(self._key[0], number, event))
        return tells

    def _keep_time(
        self, keeper: Timekeeper, line: dict[str, Any], tell: Tell, told: dict[tuple[type, int], bytes]
    ) -> None:
        update, now = tell.update, line["at"]
        if isinstance(update, Decision):
            if (Decision, update.decision_id) not in told:  # and is not told again
                keeper.asked(tell.seat, now, update.bank)
        elif isinstance(update, Closed) and line["kind"] == "tick" and update.fault:
            keeper.ran_out(tell.seat, now, update.fault)

    def _keep(self, told: dict[tuple[type, int], bytes], update: Any) -> None:
        if isinstance(update, Decision | Closed):
            data = _encoded(update) if isinstance(update, Closed) else proto.encode(update)
            told.setdefault((type(update), update.decision_id), data)
        elif isinstance(update, Finished):
            told[Finished, 0] = proto.encode(update)

    def _told(self, told: ToldSeat, tells: dict[tuple[type, int], bytes], seat: int) -> None:
        """Check that a seat was told nothing but what the record says."""
        kinds: list[tuple[type, dict[int, bytes]]] = [
            (Happened, told.events),
            (Decision, told.decisions),
            (Closed, told.closed),
            (Finished, {0: told.finished} if told.finished else {}),
        ]
        for kind, heard in kinds:
            for number, data in heard.items():
                said = tells.get((kind, number))
                self._need(said is not None, f"seat {seat} was told {kind.__name__} {number}, of no record")
                self._need(said == data, f"seat {seat} was told another {kind.__name__} {number}")
        answered = {line["decision_id"] for line in self._lines if self._is_answer(line, seat)}
        closed = {n for n, reason in told.reasons.items() if reason == CloseReason.ANSWERED}
        self._need(closed <= answered, f"answers of seat {seat} are lost: {sorted(closed - answered)}")

    def _is_answer(self, line: dict[str, Any], seat: int) -> bool:
        return line.get("kind") == "answer" and line.get("seat") == seat

    def _behaved(self, bot: SimulatedBot, told: ToldSeat, seat: int) -> None:
        """Check that a bot without fault is charged with none, and never with more time than went by."""
        if self._key[0] in self._world.intervened:
            return
        if bot.is_sound:
            harmful = [reason for reason in told.refusals if reason not in _HARMLESS]
            self._need(not harmful, f"answers of {bot.name} are refused: {harmful}")
        time = self._outcome.times[seat]
        self._need(0 <= time.longest <= time.total, f"seat {seat} has thought for {time}")
        own = bot.thinks
        mine = [
            thought for (match_id, attempt, _n), thought in own.items() if (match_id, attempt) == self._key
        ]
        if not self._world.is_disturbed:
            longest = max(mine, default=0) + TRANSIT
            self._need(time.longest <= longest, f"seat {seat} is charged {time.longest} µs for {longest}")
            if not bot.plan.conducts.get(self._key[0], Conduct()).wrongs and not bot.gone_early:
                least = sum(mine) - (mine[-1] if mine else 0)
                self._need(time.total >= least, f"seat {seat} is charged {time.total} µs for {least}")

    def _ended(self) -> None:
        """Check that the match ended as the rules say that it must."""
        if self._key[0] in self._world.intervened:
            return
        conducts = self._world.conducts_of(self._key, self._rules.seats)
        want = expected(self._setup, conducts)
        got = self._outcome
        for name in ("termination", "ranks", "scores", "capped"):
            ours, theirs = getattr(got, name), getattr(want, name)
            self._need(ours == theirs, f"{name} is {ours}, must be {theirs}")
        for seat, conduct in enumerate(conducts):
            self._need((seat in got.forfeited) == want.forfeited[seat], f"forfeited is {got.forfeited}")
            self._faults(seat, conduct, want.wrongs[seat])
            answered = got.times[seat].answered
            wanted = want.decisions[seat] - sum(wrong is Misconduct.SILENT for _n, wrong in want.wrongs[seat])
            # of two sides that are asked at once, one may end the match before the other has answered
            self._need(answered == wanted, f"seat {seat} answered {answered} decisions, not {wanted}")

    def _faults(self, seat: int, conduct: Conduct, wrongs: tuple[tuple[int, Misconduct], ...]) -> None:
        counts = self._outcome.faults[seat]
        want = Counter(_KIND.get(wrong, Fault.LATE) for _number, wrong in wrongs)
        want[Fault.LATE] += conduct.start is Start.ABSENT
        got = (counts.malformed, counts.illegal, counts.late + counts.disconnected)
        wanted = (want[Fault.MALFORMED], want[Fault.ILLEGAL], want[Fault.LATE])
        self._need(got == wanted, f"seat {seat} is charged with {counts}, must be {wanted}")


@lru_cache(maxsize=65536)
def _encoded(update: Any) -> bytes:
    return proto.encode(update)
