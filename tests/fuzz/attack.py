"""One attacker in a core: wrong frames at one table, while good bots play at it and at another one.

`python -m tests.fuzz.attack GAME NUMBER` plays one attack again, as a test that failed has named it.
"""

import gc
import sys
import weakref
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.codec import proto
from referee.core.core import RunningMatch
from referee.dealing.decks import MatchDeals
from referee.games.registry import GAMES
from referee.match import replay
from referee.match.effects import Input, Substituted, Tell
from referee.match.faults import Termination
from referee.match.match import Match
from referee.match.messages import Finished, Reason
from tests.choices import Choices
from tests.fuzz import texts
from tests.fuzz.core_with_bots import (
    ATTACKED,
    ATTACKER,
    PATIENT,
    SEAT,
    STRICT,
    Beside,
    CoreWithBots,
    Escaped,
    setup_of,
    without,
)
from tests.fuzz.guests import FrameBot
from tests.fuzz.mutate import mutate

ENDS: Final = frozenset(
    {
        Reason.PROTOCOL_VIOLATION,
        Reason.UNSUPPORTED_VERSION,
        Reason.MESSAGE_TOO_LARGE,
        Reason.WRONG_SEAT,
        Reason.SLOW_READER,
        Reason.REPLACED,
    }
)
"""How a session of the attacker may end."""

FRAMES: Final = 500
"""How many wrong frames an attack has."""

_STEP: Final = 1_000  # microseconds from one frame of the attacker to the next
_PAUSE: Final = 100_000_000  # the same for one frame in so many, which uses up the bank
_PAUSES: Final = 60
_COMPARED: Final = 3  # of so many matches one is played again
_LATER: Final = 3_600_000_000
_GIVE_UP: Final = 10_000


@dataclass(slots=True)
class AttackTally:
    """What became of the frames of an attack: ends of sessions by reason, refusals by reason."""

    frames: int = 0
    matches: int = 0
    fine: int = 0
    taken: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: "AttackTally") -> "AttackTally":
        self.frames += other.frames
        self.matches += other.matches
        self.fine += other.fine
        self.taken += other.taken
        self.ends += other.ends
        self.refusals += other.refusals
        return self


class Attack:
    """So many wrong frames of one attacker at a table of a game.

    A frame that breaks a rule raises `Escaped`. What goes on at another table, and what the others at the
    same table are told, is compared with the same without an attacker.
    """

    def __init__(self, game: str, number: int, recorded: tuple[bytes, ...], frames: int) -> None:
        self.game = game
        self.number = number
        self.tally = AttackTally()
        self._recorded = recorded
        self._frames = frames
        self._faults = STRICT if number % 2 else PATIENT
        self._driven = CoreWithBots(f"{game}/{number}")
        self._others = [self._driven.arrive(f"good{n}") for n in range(1, GAMES[game].seats)]
        self._beside = Beside(self._driven, game)
        self._attempt = 0
        self._marks: list[int] = []
        self._guest: FrameBot | None = None
        self._weak: list[weakref.ref[Any]] = []
        self._last = b""

    def run(self) -> AttackTally:
        """Send all frames, then let everybody leave."""
        try:
            self._run()
        except Escaped:
            raise
        except Exception as error:
            at = f"{self.game} {self.number}, frame {self.tally.frames}"
            again = f"python -m tests.fuzz.attack {self.game} {self.number}"
            raise Escaped(f"{at}: {error!r}\nthe last frame: {self._last.hex()}\nagain: {again}") from error
        return self.tally

    def _run(self) -> None:
        driven = self._driven
        for guest in self._others:
            driven.send(guest)
        self._beside.sit_down()
        chance = Choices(self.game, self.number)
        while self.tally.frames < self._frames:
            if len(driven.core.matches) < 2 - self._beside.over:
                self._open_table()
            self._answer_all()
            self._attack(chance)
            if self.tally.frames % (1 + self._frames // self._beside.answers) == 0:
                self._beside.go_on()
        self._leave()

    def _open_table(self) -> None:
        self._attempt += 1
        self._marks = [len(guest.told) for guest in self._others]
        setup = setup_of(ATTACKED, self.game, 0, self._faults, self._attempt)
        self._driven.core.create(setup, self._driven.now)
        self._driven.turn()

    def _answer_all(self) -> None:
        """Let the others at the table answer until the attacker is to act."""
        while asked := [guest for guest in self._others if guest.asked]:
            for guest in asked:
                self._driven.send(guest, self.game, self.number)
            self._check_finished()

    def _attack(self, chance: Choices) -> None:
        guest = self._guest or self._dial(chance)
        good = guest.says(self.tally.frames)
        bad = chance.below(8) == 0 if guest.hello else chance.below(4) > 0
        frame = good
        if bad:
            frame = chance.one(self._recorded) if chance.below(3) == 0 else good
            frame = mutate(frame, chance.one(self._recorded), chance)
            self.tally.frames += 1
        self._last = frame
        others = {id(g.session): len(g.told) for g in self._driven.guests if g is not guest}
        driven = self._driven
        driven.now += _STEP if chance.below(_PAUSES) else _PAUSE
        driven.core.receive(guest.session, frame, driven.now)
        if not bad:
            guest.said()
        driven.turn()
        if not driven.moves:  # nothing was taken, so nobody else may notice anything
            assert all(session is guest.session for session in driven.touched), "another session was touched"
            heard = {id(g.session): len(g.told) for g in driven.guests if g is not guest}
            assert heard == others, "another bot was told something"
        self.tally.taken += bool(driven.moves)
        self._check_finished()
        self._check_end(guest)

    def _dial(self, chance: Choices) -> FrameBot:
        hello = {"events": chance.below(8) == 0, "instance": ""}
        guest = self._guest = self._driven.arrive(ATTACKER, **hello)
        self._weak.append(weakref.ref(guest.session))
        return guest

    def _check_end(self, guest: FrameBot) -> None:
        ended = guest.session.ended
        if ended is None and not guest.session.leaving:
            self.tally.fine += 1
            return
        if ended:
            assert ended.reason in ENDS, f"the session ended with {ended.reason.name}"
            assert texts.is_end(ended.text), f"the session ended with {ended.text!r}"
            self.tally.ends[ended.reason.name] += 1
        else:
            self.tally.ends["bye"] += 1
        self._driven.leave(guest)
        self._guest = None
        self._check_finished()

    def _check_finished(self) -> None:
        """Check what the others were told of a match that is over, if it is."""
        finished, self._driven.finished = self._driven.finished, []
        for table in finished:
            assert table.match.outcome and table.match.outcome.termination is not Termination.VOID
            self._weak.append(weakref.ref(table.match))
            if table.setup.match_id == ATTACKED:
                self.tally.matches += 1
                if self._faults is PATIENT and table.setup.attempt % _COMPARED == 1:
                    self._compare(table)

    def _compare(self, table: RunningMatch) -> None:
        """Check that the others were told what they are told when the attacker answers well."""
        wanted = told_in_good_order(table, self._driven.deals(table.setup))
        for seat, (guest, mark) in enumerate(zip(self._others, self._marks, strict=True), 1):
            # heartbeats tell of time, and the end counts the attacker's faults
            heard = without(bytes(guest.told[mark:]), "notice", "finished")
            assert heard == wanted[seat], f"seat {seat} was told something else"

    def _leave(self) -> None:
        """Let everybody leave, and see that nothing of them stays."""
        driven = self._driven
        if self._guest:
            driven.leave(self._guest)
            self._guest = None
        while not self._beside.over:
            self._beside.go_on()
        self._beside.compare()
        for _ in range(_GIVE_UP):
            self._answer_all()
            due = driven.core.next_wake
            if due is None or not driven.core.matches:
                break
            driven.now = max(driven.now, due)
            driven.core.tick(driven.now)
            driven.turn()
            self._check_finished()
        assert not driven.core.matches, "a match does not end"
        for guest in [*driven.guests]:
            driven.leave(guest)
        self._others.clear()
        self._beside.guests.clear()
        assert not any(driven.core.sessions.is_here((entry, "")) for entry in driven.tokens)
        driven.core.tick(driven.now + _LATER)  # what was set for a session is let go when its time comes
        driven.touched.clear()
        gc.collect()
        kept = [thing for ref in self._weak if (thing := ref()) is not None]
        assert not kept, f"{len(kept)} sessions and matches that are over stay in the core"
        self.tally.refusals += driven.refusals


def told_in_good_order(table: RunningMatch, deals: MatchDeals) -> list[bytes]:
    """Return what each seat is told of a match whose attacker answers by itself what was played for it."""
    instead = {
        entry.decision_id: entry.action
        for entry in table.log
        if isinstance(entry, Substituted) and entry.seat == SEAT
    }
    match = Match(table.setup, GAMES[table.setup.game], deals)
    told = [bytearray() for _ in table.setup.entries]
    for given in [entry for entry in table.log if isinstance(entry, Input)]:
        if given.kind == "answer" and given.seat == SEAT and given.decision_id in instead:
            given = replace(given, given=instead[given.decision_id])
        for effect in replay.apply(match, given):
            if isinstance(effect, Tell) and not isinstance(effect.update, Finished):
                told[effect.seat] += proto.in_frame(proto.encode(effect.update))
    return [bytes(updates) for updates in told]


def record(game: str) -> tuple[bytes, ...]:
    """Return frames that a good bot sends in two matches of a game, and a few that it may send."""
    driven = CoreWithBots(f"recorded/{game}")
    guests = [driven.arrive(ATTACKER, agent="test/1", games=[game], matches=9)]
    guests += [driven.arrive(f"good{n}") for n in range(1, GAMES[game].seats)]
    frames: dict[bytes, None] = {}
    for attempt in (1, 2):
        driven.core.create(setup_of(ATTACKED, game, 0, STRICT, attempt), driven.now)
        driven.turn()
        while driven.core.matches:
            for guest in [guest for guest in guests if guest.asked]:
                frame = guest.send(driven.now, attempt)
                driven.turn()
                if guest is guests[0]:
                    frames[frame] = None
    for more in (
        pb.PlayRequest(bye=pb.Bye()),
        pb.PlayRequest(declines=[pb.Decline(match_id=ATTACKED)], frames_received=2),
        pb.PlayRequest(frames_received=3),
        pb.PlayRequest(
            hello=pb.Hello(
                versions=[2, 1],
                entry=ATTACKER,
                instance="two",
                tables=3,
                resume=[pb.ResumePoint(match_id=ATTACKED, sequence=2), pb.ResumePoint(match_id="gone")],
            )
        ),
    ):
        frames[more.SerializeToString()] = None
    return tuple(frames)


if __name__ == "__main__":
    name, chosen = sys.argv[1], int(sys.argv[2])
    sys.stdout.write(f"{Attack(name, chosen, record(name), FRAMES).run()}\n")
