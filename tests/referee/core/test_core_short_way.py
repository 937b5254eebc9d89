"""The short way of an answer comes to what the long way comes to, to the byte and at every step."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.running_match import RunningMatch
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup
from referee.storage.journal import Journal
from referee.storage.recorder import Recorder
from tests.choices import Choices
from tests.referee.driven import CLOCK, POLICY, KeyedDecks

ENTRIES = "abcd"


class Side:
    """A core with two matches of one game among the same bots; the first ``listening`` want events."""

    def __init__(self, game: str, folder: Path, *, listening: int = 0) -> None:
        rules = GAMES[game]
        folder.mkdir()
        self.core = Core(
            deals=lambda setup, rules: KeyedDecks(setup.match_id, cards=rules.cards),
            access=Trusting(),
            server="s",
        )
        self.journal = folder / "journal"
        self.recorder = Recorder(
            self.core,
            keys=SeededKeys("short"),
            journal=Journal(self.journal),
            records=folder,
            wall=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )
        self.sessions = [self.core.connect(None, 0) for _ in range(rules.seats)]
        self.received = [0] * rules.seats
        self.tables: list[RunningMatch] = []
        for seat, (session, entry) in enumerate(zip(self.sessions, ENTRIES, strict=False)):
            hello = pb.Hello(versions=[1], entry=entry, tables=2, events=seat < listening)
            self.core.receive(session, pb.PlayRequest(hello=hello).SerializeToString(), 0)
        for number in range(2):
            setup = MatchSetup(
                match_id=f"m-{number}",
                game=game,
                options=rules.bind({}),
                deals=1,
                entries=tuple(ENTRIES[: rules.seats]),
                clock=CLOCK,
                faults=POLICY,
            )
            self.core.create(setup, 0)
            table = self.core.matches.get(setup.match_id)
            assert table is not None
            self.tables.append(table)

    def say(self, seat: int, request: pb.PlayRequest, now: int, more: bytes = b"") -> None:
        """Send a frame, which acknowledges all that came."""
        request.frames_received = self.received[seat]
        self.core.receive(self.sessions[seat], request.SerializeToString() + more, now)

    def turn(self, now: int) -> list[list[bytes]]:
        """Write and release what came out, and return the frames of each seat."""
        self.recorder.turn(now)
        frames: list[list[bytes]] = []
        for seat, session in enumerate(self.sessions):
            frames.append([])
            while (frame := session.next_frame()) is not None:
                frames[-1].append(frame)
            self.received[seat] += len(frames[-1])
        return frames

    def journal_text(self) -> str:
        """Return what the journal holds."""
        return "".join(path.read_text() for path in sorted(self.journal.iterdir()))

    def kept(self) -> list[Any]:
        """Return what is kept of the matches besides."""
        return [
            (table.lines, table.wake, table.told.digests(), table.match.outcome, [*session.asked])
            for table in self.tables
            for session in self.sessions
        ]


def replies(frames: list[bytes], *key: object) -> pb.PlayRequest:
    """Return a request that answers all that stands in some frames, by index where there is a list."""
    request = pb.PlayRequest()
    for update in (update for frame in frames for update in pb.PlayResponse.FromString(frame).updates):
        if update.HasField("seated"):
            request.ready.add(match_id=update.seated.match_id)
        if not update.HasField("decision"):
            continue
        decision = update.decision
        chance = Choices(*key, decision.match_id, decision.decision_id)
        answer = request.answers.add(match_id=decision.match_id, decision_id=decision.decision_id)
        if decision.legal.HasField("actions"):
            answer.index = chance.below(len(decision.legal.actions.actions))
        elif decision.legal.HasField("choose_cards"):
            choice = decision.legal.choose_cards
            chosen = chance.some(choice.cards, choice.minimum)
            answer.action.choose_cards.cards.extend(chosen)
        else:
            answer.action.choose_combinations.SetInParent()
    return request


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[Callable[..., tuple[Side, Side]]]:
    made: list[Side] = []

    def make(game: str, listening: int = 0) -> tuple[Side, Side]:
        made.extend(Side(game, tmp_path / name, listening=listening) for name in ("short", "long"))
        return made[0], made[1]

    yield make
    for side in made:
        side.recorder.close()


@pytest.mark.parametrize("listening", [0, 1, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_short_way_is_the_long_way(
    game: str, listening: int, sides: Callable[..., tuple[Side, Side]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is where the first of the seats, or all of them, want events."""
    decoded = Counter[Core]()
    real = Core._receive

    def receive(self: Core, *args: Any) -> None:
        decoded[self] += 1
        real(self, *args)

    monkeypatch.setattr(Core, "_receive", receive)
    short, long = sides(game, listening)
    assert {table.match._is_plain for table in short.tables} == {True}
    now = 0
    frames = short.turn(now)
    assert long.turn(now) == frames
    while any(frames):
        for seat, heard in enumerate(frames):
            if not heard:
                continue
            request = replies(heard, game, seat)
            if not (request.ready or request.answers):
                continue  # what it is told next must leave though it says nothing
            request.answers.extend(request.answers[-1:])  # the match may be over when it is said again
            now += 7 if now % 3 else 41  # now and then the bank is used
            short.say(seat, request, now)
            for table in long.tables:
                table.match._is_plain = False
            # what is said twice is no plain frame, and means the same
            long.say(seat, request, now, more=pb.PlayRequest(frames_received=1).SerializeToString())
        for mine, theirs in zip(short.tables, long.tables, strict=True):
            assert mine.log == theirs.log
        frames = short.turn(now)
        assert long.turn(now) == frames
        assert short.kept() == long.kept()
    assert all(table.match.outcome for table in short.tables)
    assert short.journal_text() == long.journal_text() != ""
    assert 2 * decoded[short.core] < decoded[long.core]
