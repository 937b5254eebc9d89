"""A referee in process: the server's matches and the bots of the Python SDK, sync ones, without sessions.

What a bot is told is what a server tells, and what it does not look at is never made. Time is virtual: it
stands still while bots think, and jumps to the next deadline when no bot has answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from fairdeal._player import AnyBot, Player, name_of
from fairdeal.testing.asked import AskedDecision, given_of, is_taken, seated_of, update_of
from fairdeal.updates import Seated
from referee.cards import Seat
from referee.codec.proto import GrowingViews
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource, SeededKeys
from referee.games.registry import game as rules_of
from referee.match import messages
from referee.match.clock import PROFILES, ClockSettings
from referee.match.effects import Append, Effect, MatchSetup, Moved, Outcome, Tell, Wake
from referee.match.faults import FaultPolicy
from referee.match.match import Match
from referee.storage import record
from referee.storage.recorder import SOFTWARE


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played: its setup, how it ended, its log, as `referee.storage.record` writes it."""

    setup: MatchSetup
    outcome: Outcome
    log: tuple[Any, ...] = field(repr=False)
    _deals: MatchDeals = field(repr=False, compare=False)

    def save(self, path: str | Path) -> None:
        """Write the match's record, which `fairdeal record` shows and verifies; a file there is replaced.

        Name it as in ``lost.jsonl.gz``. Its seats are called seat0, seat1, ....

        Raises:
            OSError: the file cannot be written; the error names it.
        """
        owners = tuple((entry, "") for entry in self.setup.entries)
        header = record.header_line(
            self.setup,
            owners,
            rules_of(self.setup.game),
            self._deals.commitment,
            software=SOFTWARE,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        record.write(Path(path), record.encode(header, self.log, self._deals.secret))


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
        deals_of = MatchDeals(setup, rules, self._keys)
        match = Match(setup, rules, deals_of, GrowingViews(rules))
        guests = [_guest(match, Seat(seat), bot, bot_seed) for seat, bot in enumerate(bots)]
        log = self._until_finished(match, guests)
        assert match.outcome is not None
        return Played(setup, match.outcome, log, deals_of)

    def _until_finished(self, match: Match, guests: list["_Guest"]) -> tuple[Any, ...]:
        log: list[Any] = []
        told: list[tuple[_Guest, messages.Update]] = []
        wake: int | None = None

        def carry_out(came: Moved | list[Effect]) -> None:
            nonlocal wake
            if isinstance(came, Moved):
                log.append(came.entry)
                log.extend(came.events)
                if guests[came.seat].player.wants_closed:
                    told.append((guests[came.seat], came.closed(match.setup.match_id)))
                for tells in came.told:
                    told.extend((guests[seat], each) for seat, each in tells)
                for seat, decision in came.asked:
                    told.append((guests[seat], decision))
                wake = wake if came.wake is None else came.wake
                return
            for effect in came:
                if isinstance(effect, Tell):
                    told.append((guests[effect.seat], effect.update))
                elif isinstance(effect, Append):
                    log.append(effect.entry)
                elif isinstance(effect, Wake):
                    wake = effect.at

        carry_out(match.start(self._now))
        for guest in guests:
            match.tell_events(guest.seat, guest.player.wants_events)
            carry_out(match.back(guest.seat, self._now))
        while True:
            said = [step for guest, update in told if (step := hear(guest, update)) is not None]
            told.clear()
            if match.outcome:
                return tuple(log)
            if not said:
                assert wake is not None, "a match that is not over waits for something"
                self._now = max(self._now, wake)
                carry_out(match.tick(self._now))
            for step in said:
                carry_out(step(self._now))


Step = Callable[[int], Moved | list[Effect]]
"""What a bot says: a step of the match at a time."""


class _Guest:
    """One bot at its seat."""

    __slots__ = ("match", "player", "seat", "seated", "seed")

    def __init__(self, match: Match, seat: Seat, player: Player, seed: str) -> None:
        self.match = match
        self.seat = seat
        self.player = player
        self.seed = seed
        self.seated: Seated | None = None


def _guest(match: Match, seat: Seat, bot: AnyBot, seed: str) -> _Guest:
    player = Player(bot, "stop")
    if player.is_async:
        raise ValueError(f"{name_of(bot)} is async: the arena plays sync bots only")
    return _Guest(match, seat, player, seed)


def hear(guest: _Guest, update: messages.Update) -> Step | None:
    """Have a bot handle what it is told, and return what it says."""
    if isinstance(update, messages.Decision):
        return _decide(guest, update)
    if isinstance(update, messages.Seated):
        guest.seated = seated_of(update)
        guest.player.call(guest.seated)
        return partial(guest.match.ready, guest.seat)
    if guest.player.wants_closed or not is_taken(update):
        assert guest.seated is not None
        guest.player.call(update_of(guest.seated, update))
    return None


def _decide(guest: _Guest, asked: messages.Decision) -> Step:
    assert guest.seated is not None
    decision = AskedDecision(guest.seated, asked, guest.seed)
    given, note = given_of(decision, guest.player.call(decision))
    said = partial(guest.match.move, guest.seat, asked.decision_id, given)
    return partial(said, note=note) if note else said


def play(
    game: str,
    bots: Sequence[AnyBot],
    *,
    seed: str | int,
    options: Mapping[str, object] | None = None,
    deals: int | None = None,
    match_id: str = "arena",
) -> Played:
    """Play one match whose deals, and the bots' own draws, follow from a seed.

    It ends after so many ``deals``, by default as the rules have it. An exception of a bot ends it.

    Raises:
        GameError: the game is unknown or an option is wrong.
        BadSetting: an object is not a bot.
        ValueError: ``deals`` is below 1, there are not as many bots as seats, one of them is async, or the
            seed is not ASCII.
        Exception: any exception of a bot.
    """
    seed = str(seed)
    arena = Arena(SeededKeys(seed))
    return arena.play(game, bots, match_id=match_id, options=options, deals=deals, bot_seed=seed)
