"""Whole matches through the core and the bots' sessions, by frames as on a network; the arena does without.

Time stands still while bots think, and jumps to the next deadline when no bot has anything to send.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fairdeal._player import AnyBot, Player
from fairdeal._player import play as answer
from fairdeal._session import Session as BotSession
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import game as rules_of
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy

_SOFTWARE: Final = "fairdeal-arena"


@dataclass(slots=True)
class _Guest:
    """One bot with both ends of its session."""

    player: Player
    bot: BotSession
    session: Session


def play(
    game: str,
    bots: Sequence[AnyBot],
    *,
    seed: str,
    options: Mapping[str, object] | None = None,
    deals: int | None = None,
    match_id: str = "arena",
) -> list[Any]:
    """Play a match as `fairdeal.testing.play` does, and return its log."""
    rules = rules_of(game)
    entries = tuple(f"seat{seat}" for seat in range(rules.seats))
    setup = MatchSetup(
        match_id=match_id,
        game=game,
        options=rules.bind(options or {}),
        deals=deals,
        entries=entries,
        clock=PROFILES["standard"],
        faults=FaultPolicy(),
    )
    keys = SeededKeys(seed)
    core = Core(
        deals=lambda setup, rules: MatchDeals(setup, rules, keys), access=Trusting(), server=_SOFTWARE
    )
    guests = [_guest(core, bot, entry, seed) for bot, entry in zip(bots, entries, strict=True)]
    core.create(setup, 0)
    now = 0
    while True:
        if not [guest for guest in guests if _say(core, guest, now)]:
            assert core.next_wake is not None, "a match that is not over waits for something"
            now = max(now, core.next_wake)
            core.tick(now)
        output = core.take()
        core.release(output, now)
        for guest in guests:
            _hear(guest)
        for table in output.finished:
            return list(table.log)


def _guest(core: Core, bot: AnyBot, entry: str, seed: str) -> _Guest:
    player = Player(bot, "stop")
    hello = pb.Hello(versions=[1], entry=entry, tables=1, events=player.wants_events)
    session = BotSession(hello, seed=seed, wants_closed=player.wants_closed)
    return _Guest(player, session, core.connect(None, 0))


def _say(core: Core, guest: _Guest, now: int) -> bool:
    frames = guest.bot.take_frames()
    for frame in frames:
        core.receive(guest.session, frame, now)
    return bool(frames)


def _hear(guest: _Guest) -> None:
    while (frame := guest.session.next_frame()) is not None:
        answer(guest.bot, guest.player, guest.bot.receive(frame))
