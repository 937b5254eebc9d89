"""A referee in process: the server's matches and the bots of the Python SDK, sync ones, without sessions.

What a bot is told is what a server tells, and what it does not look at is never made. Time is virtual: it
stands still while bots think, and jumps to the next deadline when no bot has answered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played: its setup, how it ended, its log, as `referee.storage.record` writes it."""

    setup: MatchSetup
    outcome: Outcome
    log: tuple[Any, ...]


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
        match = Match(setup, rules, MatchDeals(setup, rules, self._keys), GrowingViews(rules))
        guests = [_guest(match, Seat(seat), bot, bot_seed) for seat, bot in enumerate(bots)]
        return self._until_finished(match, guests)

    def _until_finished(self, match: Match, guests: list["_Guest"]) -> Played:
        log: list[Any] = []
        wake: int | None = None

        def carry_out(came: Moved | list[Effect]) -> None:
            nonlocal wake
            if isinstance(came, Moved):
                log.append(came.given)
                log.extend(came.events)
                assert came.given.seat is not None
                guests[came.given.seat].told.append(came.closed)
                for seat, decision in came.asked:
                    guests[seat].told.append(decision)
                wake = wake if came.wake is None else came.wake
                return
            for effect in came:
                if isinstance(effect, Tell):
                    guests[effect.seat].told.append(effect.update)
                elif isinstance(effect, Append):
                    log.append(effect.entry)
                elif isinstance(effect, Wake):
                    wake = effect.at

        carry_out(match.start(self._now))
        for guest in guests:
            match.tell_events(guest.seat, guest.player.wants_events)
            carry_out(match.back(guest.seat, self._now))
        while True:
            for guest in guests:
                hear(guest)
            if match.outcome:
                return Played(setup=match.setup, outcome=match.outcome, log=tuple(log))
            if not any(guest.says for guest in guests):
                assert wake is not None, "a match that is not over waits for something"
                self._now = max(self._now, wake)
                carry_out(match.tick(self._now))
            for guest in guests:
                said, guest.says = guest.says, []
                for step in said:
                    carry_out(step(self._now))


class _Guest:
    """One bot at its seat: what it has been told and not heard yet, and what it says next."""

    __slots__ = ("match", "player", "says", "seat", "seated", "seed", "told")

    def __init__(self, match: Match, seat: Seat, player: Player, seed: str) -> None:
        self.match = match
        self.seat = seat
        self.player = player
        self.seed = seed
        self.told: list[messages.Update] = []
        self.says: list[Callable[[int], Moved | list[Effect]]] = []
        self.seated: Seated | None = None


def _guest(match: Match, seat: Seat, bot: AnyBot, seed: str) -> _Guest:
    player = Player(bot, "stop")
    if player.is_async:
        raise ValueError(f"{name_of(bot)} is async: the arena plays sync bots only")
    return _Guest(match, seat, player, seed)


def hear(guest: _Guest) -> None:
    """Have a bot handle all that it has been told."""
    told, guest.told = guest.told, []
    for update in told:
        if isinstance(update, messages.Decision):
            _decide(guest, update)
        elif isinstance(update, messages.Seated):
            guest.seated = seated_of(update)
            guest.player.call(guest.seated)
            guest.says.append(partial(guest.match.ready, guest.seat))
        elif guest.player.wants_closed or not is_taken(update):
            assert guest.seated is not None
            guest.player.call(update_of(guest.seated, update))


def _decide(guest: _Guest, asked: messages.Decision) -> None:
    assert guest.seated is not None
    decision = AskedDecision(guest.seated, asked, guest.seed)
    given, note = given_of(decision, guest.player.call(decision))
    match, seat, number = guest.match, guest.seat, asked.decision_id
    guest.says.append(lambda now: match.move(seat, number, given, now, note))


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
