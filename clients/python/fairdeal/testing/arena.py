"""An in-process referee: the server's core and the bots' sessions, connected without a network.

Bots are those of the Python SDK, sync ones. Time is virtual: it stands still while bots think, and jumps to
the next deadline when no bot has anything to send.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fairdeal._player import AnyBot, Player, name_of
from fairdeal._player import play as answer
from fairdeal._session import Session as BotSession
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource, SeededKeys
from referee.games.registry import game as rules_of
from referee.match.clock import PROFILES, ClockSettings
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import FaultPolicy

_SOFTWARE: Final = "fairdeal-arena"


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played: its setup, how it ended, and its log, as `referee.storage.record` writes it.

    ``bytes_told`` and ``bytes_said`` are the sizes of all frames to the bots and from them.
    """

    setup: MatchSetup
    outcome: Outcome
    log: tuple[Any, ...]
    bytes_told: int
    bytes_said: int


@dataclass(slots=True)
class _Guest:
    """One bot with both ends of its session."""

    player: Player
    bot: BotSession
    session: Session
    told: int = 0
    said: int = 0


class Arena:
    """Plays matches one after another, each with its own bots."""

    def __init__(
        self,
        keys: KeySource,
        *,
        clock: ClockSettings = PROFILES["standard"],
        faults: FaultPolicy = FaultPolicy(),  # noqa: B008 - immutable
    ) -> None:
        self._keys = keys
        self._clock = clock
        self._faults = faults
        self._now = 0

    def play(
        self,
        game: str,
        bots: Sequence[AnyBot],
        *,
        match_id: str,
        options: Mapping[str, object] | None = None,
        deals: int | None = None,
        bot_seed: str = "",
        epoch: str = "",
    ) -> Played:
        """Play one match with a bot for each seat; matches of the same ``epoch`` have the same decks.

        Raises:
            GameError: the game is unknown or an option is wrong.
            BadSetting: an object is not a bot.
            ValueError: ``deals`` is below 1, there are not as many bots as seats, or one of them is async.
            Exception: any exception of a bot.
        """
        rules = rules_of(game)
        if deals is not None and deals < 1:
            raise ValueError(f"deals={deals}: must be 1 or more, or None for a whole game")
        if len(bots) != rules.seats:
            raise ValueError(f"{game} is played by {rules.seats} bots, {len(bots)} are given")
        entries = tuple(f"seat{seat}" for seat in range(rules.seats))
        setup = MatchSetup(
            match_id=match_id,
            game=game,
            options=rules.bind(options or {}),
            deals=deals,
            entries=entries,
            clock=self._clock,
            faults=self._faults,
            epoch=epoch,
        )
        core = Core(
            deals=lambda setup, rules: MatchDeals(setup, rules, self._keys),
            access=Trusting(),
            server=_SOFTWARE,
        )
        guests = [
            _guest(core, bot, entry, bot_seed, self._now) for bot, entry in zip(bots, entries, strict=True)
        ]
        core.create(setup, self._now)
        return self._until_finished(core, guests)

    def _until_finished(self, core: Core, guests: list[_Guest]) -> Played:
        while True:
            speakers = [guest for guest in guests if _say(core, guest, self._now)]
            if not speakers:
                due = core.next_wake
                assert due is not None, "a match that is not over waits for something"
                self._now = max(self._now, due)
                core.tick(self._now)
            output = core.take()
            core.release(output, self._now)
            for guest in guests:
                _hear(guest)
            for table in output.finished:
                assert table.match.outcome is not None
                return Played(
                    setup=table.setup,
                    outcome=table.match.outcome,
                    log=tuple(table.log),
                    bytes_told=sum(guest.told for guest in guests),
                    bytes_said=sum(guest.said for guest in guests),
                )


def _guest(core: Core, bot: AnyBot, entry: str, seed: str, now: int) -> _Guest:
    player = Player(bot, "stop")
    if player.is_async:
        raise ValueError(f"{name_of(bot)} is async: the arena plays sync bots only")
    hello = pb.Hello(versions=[1], entry=entry, tables=1, events=player.wants_events)
    session = BotSession(hello, seed=seed, wants_closed=player.wants_closed)
    return _Guest(player, session, core.connect(None, now))


def _say(core: Core, guest: _Guest, now: int) -> bool:
    requests = guest.bot.take_requests()
    for request in requests:
        frame = request.SerializeToString()
        guest.said += len(frame)
        core.receive(guest.session, frame, now)
    return bool(requests)


def _hear(guest: _Guest) -> None:
    while (frame := guest.session.next_frame()) is not None:
        guest.told += len(frame)
        answer(guest.bot, guest.player, guest.bot.receive(pb.PlayResponse.FromString(frame)))


def play(
    game: str,
    bots: Sequence[AnyBot],
    *,
    seed: str,
    options: Mapping[str, object] | None = None,
    deals: int | None = None,
    match_id: str = "arena",
) -> Played:
    """Play one match whose deals, and the bots' own draws, follow from a seed.

    Raises:
        GameError: the game is unknown or an option is wrong.
        ValueError: there are not as many bots as seats, or the seed is not ASCII.
    """
    arena = Arena(SeededKeys(seed))
    return arena.play(game, bots, match_id=match_id, options=options, deals=deals, bot_seed=seed)
