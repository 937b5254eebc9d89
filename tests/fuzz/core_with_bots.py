"""A core with good bots in it, at a table that is attacked and at one beside it."""

from collections import Counter
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.codec import proto
from referee.core.access import Tokens, token_digest
from referee.core.core import Core, RunningMatch
from referee.core.limits import Limits
from referee.core.observer import Observer
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy, Termination
from tests.fuzz import texts
from tests.fuzz.guests import FrameBot

ATTACKER: Final = "mallory"
SEAT: Final = Seat(0)
ATTACKED, OTHER = "m-1", "m-2"
PEER: Final = "192.0.2.1"
CLOCK: Final = ClockSettings(move=2_000_000, bank=60_000_000)
PATIENT: Final = FaultPolicy(max_faults=10**6)  # so that faults alone change nothing for the others
STRICT: Final = FaultPolicy()
LIMITS: Final = Limits(
    frames_per_second=1 << 20,
    answers_per_second=1 << 20,
    bytes_per_second=1 << 30,
    hellos_per_second=1 << 20,
)


class Escaped(AssertionError):
    """A frame did what no frame may do; the text says which, and how to send it again."""


class Failures(Observer):
    """Keeps what a referee says of its own errors; of a sound one there are none."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        self.seen.append(f"{what} {match_id}: {error!r}")


def setup_of(match_id: str, game: str, first: int, faults: FaultPolicy, attempt: int = 1) -> MatchSetup:
    """Return a match of one deal whose entries are numbered from ``first``; number 0 is the attacker."""
    rules = GAMES[game]
    names = [ATTACKER, *(f"good{n}" for n in range(1, 9))]
    return MatchSetup(
        match_id=match_id,
        attempt=attempt,
        game=game,
        options=rules.bind({}),
        deals=1,
        entries=tuple(names[first : first + rules.seats]),
        clock=CLOCK,
        faults=faults,
    )


class CoreWithBots:
    """A core with good bots in it; without an attacker it is what the others are compared with."""

    def __init__(self, seed: str, limits: Limits = LIMITS) -> None:
        self.seed = seed
        self.failures = Failures()
        self._keys = SeededKeys(seed)
        self.tokens = {name: f"token-{name}" for name in (ATTACKER, *(f"good{n}" for n in range(1, 9)))}
        self.core = Core(
            deals=lambda setup, rules: MatchDeals(setup, rules, self._keys),
            access=Tokens({name: token_digest(token) for name, token in self.tokens.items()}),
            server="referee/test",
            limits=limits,
            observer=self.failures,
        )
        self.now = 0
        self.guests: list[FrameBot] = []
        self.moves: list[str] = []
        self.finished: list[RunningMatch] = []
        self.touched: list[Session] = []
        self.refusals: Counter[str] = Counter()

    def deals(self, setup: MatchSetup) -> MatchDeals:
        """Return what a match is dealt."""
        return MatchDeals(setup, GAMES[setup.game], self._keys)

    def arrive(self, entry: str, **hello: Any) -> FrameBot:
        """Return a bot that has dialled and said nothing yet."""
        session = self.core.connect(self.tokens[entry], self.now, PEER)
        greeting = pb.Hello(**{"versions": [1], "entry": entry, "tables": 4, "events": True, **hello})
        guest = FrameBot(self.core, session, greeting, self.check)
        self.guests.append(guest)
        return guest

    def leave(self, guest: FrameBot) -> None:
        """Let a bot's stream end."""
        self.core.disconnect(guest.session, self.now)
        self.guests.remove(guest)
        self.turn()

    def send(self, guest: FrameBot, *key: object) -> None:
        """Let a bot say what it has to say."""
        guest.send(self.now, *key)
        self.turn()

    def turn(self) -> None:
        """Release the output so far, as one turn of a server's loop does."""
        output = self.core.take()
        self.moves = [given.kind for _key, given in output.inputs if given.kind not in ("back", "lost")]
        self.finished += output.finished
        self.touched = list(output.sessions)
        self.core.release(output, self.now)
        for guest in self.guests:
            guest.listen()
        assert not self.failures.seen, self.failures.seen

    def check(self, update: pb.Update) -> None:
        """Check one update that anybody was told."""
        kind = update.WhichOneof("kind")
        if kind == "decision":
            asked = update.decision
            assert asked.bank.seconds >= 0 and asked.bank.nanos >= 0, "the bank is below zero"
            assert asked.legal.WhichOneof("kind") and asked.view.WhichOneof("game"), "a decision is empty"
        elif kind == "refused":
            assert texts.is_refusal(update.refused.text), f"refused: {update.refused.text!r}"
            self.refusals[pb.Reason.Name(update.refused.reason)] += 1
        elif kind == "finished":
            assert all(time.total.seconds >= 0 for time in update.finished.times), "a time is below zero"
            assert update.finished.termination != Termination.VOID, "the match is void"
        else:
            assert kind, "an update is empty"


class Beside:
    """The other table: good bots only, one answer at a time."""

    def __init__(self, driven: CoreWithBots, game: str) -> None:
        self._driven = driven
        self._setup = setup_of(OTHER, game, 4, STRICT)
        self.guests = [driven.arrive(entry) for entry in self._setup.entries]
        self._times: list[int] = []

    def sit_down(self) -> None:
        """Open the table and take its seats."""
        driven = self._driven
        for guest in self.guests:
            driven.send(guest)
        driven.core.create(self._setup, driven.now)
        driven.turn()
        for guest in self.guests:
            driven.send(guest)

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return all(setup.match_id != OTHER for setup in self._driven.core.matches.setups)

    @property
    def answers(self) -> int:
        """How many answers a match takes, about."""
        return 15 * len(self.guests)

    def go_on(self) -> None:
        """Let the first bot that is asked answer."""
        self._times.append(self._driven.now)
        for guest in self.guests:
            if guest.asked:
                self._driven.send(guest, "beside")
                return

    def compare(self) -> None:
        """Check that everybody was told what they are told with nobody else in the core."""
        driven = CoreWithBots(self._driven.seed)
        alone = Beside(driven, self._setup.game)
        alone.sit_down()
        for driven.now in self._times:
            alone.go_on()
        assert alone.over
        for seat, (guest, other) in enumerate(zip(self.guests, alone.guests, strict=True)):
            # a welcome may number the sessions of everybody
            heard, wanted = (without(bytes(told), "welcome") for told in (guest.told, other.told))
            assert heard == wanted, f"seat {seat} of the other table was told something else"


def without(told: bytes, *kinds: str) -> bytes:
    """Return updates without those of some kinds."""
    updates = pb.PlayResponse.FromString(told).updates
    kept = [update for update in updates if update.WhichOneof("kind") not in kinds]
    return b"".join(proto.in_frame(update.SerializeToString()) for update in kept)
