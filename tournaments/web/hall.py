"""The tables of people: each plays one match at a time, against house bots in this process."""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from fairdeal import bots
from referee.cards import card
from referee.core.access import Denied
from referee.core.limits import Allowances
from referee.core.session import Ended
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup, Owner
from referee.match.faults import FaultPolicy
from referee.match.messages import Reason
from referee.server.runtime import Referee
from referee.server.watching import MatchWatcher
from tournaments.running.access import Admission
from tournaments.web.people import Person, is_house, look_of, person_of
from tournaments.web.seats import HouseSeat, PersonSeat

HOUSE_BOTS: Final = ("greedy", "random")
ANYBODY: Final = ""
"""In place of a bot: others who wait for an open table."""
MOST_DEALS: Final = 100
CLOCK: Final = PROFILES["patient"]
"""A person has as long as a language model: three minutes for each decision, and half an hour beyond."""

_STREAMS: Final = 4  # of one person at once
_ABSENT_SECONDS: Final = 60.0  # after which nobody is waited for whose page is closed
_REMEDIES: Final = {
    Reason.TOO_MANY_SESSIONS: "; the organiser can allow more: fairdeal serve --limit sessions=NUMBER"
}


@dataclass(slots=True)
class Sitting:
    """Where a person sits; ``changed`` is set, and replaced, when that changes.

    ``why`` says what became of the match besides its result. The ``watchers`` show the table to the person.
    """

    seat: PersonSeat | None = None
    legal: Legal | None = None  # what was last offered to the person
    why: str = ""
    streams: int = 0
    watchers: set[MatchWatcher] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def showing(self, watcher: MatchWatcher) -> Iterator[None]:
        """Have a watcher show the table while the context lasts."""
        self.watchers.add(watcher)
        try:
            yield
        finally:
            self.watchers.discard(watcher)

    def tell(self) -> None:
        """Wake those who wait for a change; without a session nothing more of a table is shown."""
        if self.seat and self.seat.why:
            for watcher in self.watchers:
                watcher.over()
        self.changed.set()
        self.changed = asyncio.Event()


class Hall:
    """Seats people and house bots; bots answer ``pause`` seconds after they are asked.

    ``most`` tables are open at once. ``now`` is a clock in microseconds.
    """

    def __init__(
        self,
        referee: Referee,
        admission: Admission,
        *,
        pause: float = 0.6,
        most: int = 64,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self._referee = referee
        self._admission = admission
        self._pause = pause
        self._most = most
        self._now = now
        self._opened = Allowances(1)  # tables, each of which leaves a record, by person
        self._places: dict[Person, Sitting] = {}
        self._house: dict[str, list[HouseSeat]] = {}  # by match
        self.absent_seconds = _ABSENT_SECONDS
        admission.keep_names(self._is_of_person)

    def recover(self) -> None:
        """Seat who sat at tables that an earlier process left."""
        for setup in self._referee.core.matches.setups:
            for owner in zip(setup.entries, setup.instance_by_seat, strict=True):
                if seat := self._connected(setup.match_id, owner):
                    self._begin(setup.match_id, owner, seat)

    # Who is here

    def is_free(self, name: str) -> bool:
        """Return whether nobody is here whose name looks like this one: no entry, house bot or person."""
        core = self._referee.core
        names = {*bots.NAMES, *(bearer.entry for bearer in core.access.bearers())}
        names.update(entry for setup in core.matches.setups for entry in setup.entries)
        names.update(session.entry for session in core.sessions.present)
        return not self._is_of_person(name) and look_of(name) not in map(look_of, names)

    def _is_of_person(self, name: str) -> bool:
        look = look_of(name)
        return any(look == look_of(person.name) for person in self._places)

    def place(self, person: Person) -> Sitting:
        """Return the place of a person, who is here from now on.

        Raises:
            Denied: WRONG_STATE, somebody else has the name by now.
        """
        if person not in self._places and not self.is_free(person.name):
            text = f"somebody else is here as {person.name} by now: ask the organiser for another link"
            raise Denied(Reason.WRONG_STATE, text)
        return self._place(person)

    def _place(self, person: Person) -> Sitting:
        return self._places.setdefault(person, Sitting())

    @contextmanager
    def shown(self, person: Person) -> Iterator[Sitting]:
        """Show a person the place while the context lasts.

        Raises:
            Denied: RATE_LIMITED, too many pages show it; as for `place`.
        """
        place = self.place(person)
        if place.streams >= _STREAMS:
            raise Denied(Reason.RATE_LIMITED, f"this table is open in {_STREAMS} pages already")
        place.streams += 1
        try:
            yield place
        finally:
            place.streams -= 1
            asyncio.get_running_loop().call_later(self.absent_seconds, self._wait_no_more, place)

    def _wait_no_more(self, place: Sitting) -> None:
        """Let nobody wait for a table who would not see it."""
        if place.seat and place.seat.waits_for and not place.streams:
            place.seat.close()

    # Tables

    def open(self, person: Person, game: str, deals: int | None, bot: str) -> None:
        """Open a table for a person against house bots.

        Raises:
            Denied: BAD_REQUEST, there is no such game or bot, or so many deals; WRONG_STATE, the person plays
                already; RATE_LIMITED, there are too many tables.
        """
        rules = GAMES.get(game)
        if rules is None or bot not in HOUSE_BOTS or not (deals is None or 1 <= deals <= MOST_DEALS):
            raise Denied(Reason.BAD_REQUEST, "there is no such game, bot or number of deals")
        self._check_free(person)
        if not self._opened.take(person, self._now()):
            raise Denied(Reason.RATE_LIMITED, "tables are opened too fast: wait a second")
        playing = {setup.match_id for setup in self._referee.core.matches.setups}
        self._house = {match_id: seats for match_id, seats in self._house.items() if match_id in playing}
        if len(self._house) >= self._most:
            raise Denied(Reason.RATE_LIMITED, f"there are {self._most} tables already, which is the limit")
        mine = secrets.randbelow(rules.seats)
        owners: list[Owner] = [
            person.owner if seat == mine else person.house(bot, seat) for seat in range(rules.seats)
        ]
        setup = MatchSetup(
            match_id=f"{game}-{secrets.token_hex(6)}",
            game=game,
            options=rules.bind({}),
            deals=deals,
            entries=tuple(entry for entry, _instance in owners),
            clock=CLOCK,
            faults=FaultPolicy(),
        )
        seats = {owner: seat for owner in owners if (seat := self._connected(setup.match_id, owner))}
        try:
            for seat in seats.values():
                _check(seat)
            self._referee.play(setup, tuple(owners))
        except BaseException:
            for seat in seats.values():
                seat.close()
            raise
        for owner, seat in seats.items():
            self._begin(setup.match_id, owner, seat)

    def wait(self, person: Person, game: str) -> None:
        """Have a person wait for a seat at an open table, with bots and people who come there.

        Raises:
            Denied: BAD_REQUEST, no open table is for such a game; WRONG_STATE, the person plays or waits;
                RATE_LIMITED, there is no room for the person.
        """
        if game not in self._referee.core.open_games:
            raise Denied(Reason.BAD_REQUEST, "there is no open table for this game")
        self._check_free(person)
        self._sit(person, game)

    def come_back(self, person: Person) -> None:
        """Give a person the seat again whose session was ended in mid-match.

        Raises:
            Denied: WRONG_STATE, there is no such seat; RATE_LIMITED, there is no room for the person.
        """
        if not self.may_come_back(person):
            raise Denied(Reason.WRONG_STATE, "there is no seat to come back to")
        self._sit(person)

    def may_come_back(self, person: Person) -> bool:
        """Return whether a person has lost the session of a match that is being played."""
        seat = self.place(person).seat
        return (seat is None or seat.is_over) and self._referee.core.matches.plays(person.owner)

    def _check_free(self, person: Person) -> None:
        seat = self.place(person).seat
        if (seat and not seat.is_over) or self._referee.core.matches.plays(person.owner):
            raise Denied(Reason.WRONG_STATE, "you sit at a table already")

    def _sit(self, person: Person, waits_for: str = "") -> None:
        seat = self._person_seat(person, waits_for)
        try:
            _check(seat)
        except Denied:
            seat.close()
            raise
        self._begin("", person.owner, seat)

    def _person_seat(self, person: Person, waits_for: str = "") -> PersonSeat:
        place = self._place(person)
        token = self._admission.token_for(person.owner)
        return PersonSeat(self._referee, token, person.owner, place.tell, CLOCK, waits_for)

    def _connected(self, match_id: str, owner: Owner) -> HouseSeat | PersonSeat | None:
        """Return a seat with a session; None for a bot from elsewhere."""
        if is_house(owner) and owner[0] in HOUSE_BOTS:  # bots from elsewhere choose their instances
            token = self._admission.token_for(owner)
            lost = partial(self._lost, match_id, owner)
            return HouseSeat(self._referee, token, owner, bots.make(owner[0]), self._pause, lost)
        person = person_of(owner)
        return self._person_seat(person) if person else None

    def _begin(self, match_id: str, owner: Owner, seat: HouseSeat | PersonSeat) -> None:
        if isinstance(seat, HouseSeat):
            self._house.setdefault(match_id, []).append(seat)
        elif person := person_of(owner):
            place = self._place(person)
            place.seat, place.legal, place.why = seat, None, ""
            place.tell()
        seat.begin()

    def _lost(self, match_id: str, owner: Owner, why: Ended) -> None:
        """End the match of a house bot that has lost its session: without a result, as nobody can help it."""
        playing = {setup.match_id: setup for setup in self._referee.core.matches.setups}
        setup = playing.get(match_id)
        if setup is None or why.reason is Reason.SHUTTING_DOWN:
            return  # its match is over, or it is back at the next start
        for person in filter(None, map(person_of, zip(setup.entries, setup.instance_by_seat, strict=True))):
            self._place(person).why = f"{owner[0]} lost its seat, so the match has no result: {_told(why)}"
        self._referee.void(owner)

    def answer(self, person: Person, decision_id: int, given: object) -> None:
        """Answer for a person: a card, the position of an answer, or several cards or positions.

        Raises:
            Denied: as for `PersonSeat.answer`.
        """
        place = self.place(person)
        if place.seat is None or place.legal is None:
            raise Denied(Reason.STALE_DECISION, "this decision is closed")
        place.seat.answer(decision_id, _action(place.legal, given), place.legal)

    def leave(self, person: Person) -> None:
        """Give a person's match up, which forfeits it; who waits for one waits no more."""
        place = self.place(person)
        if self._referee.core.matches.plays(person.owner):
            place.why = "You gave this match up."
            self._referee.resign(person.owner)
        elif place.seat and not place.seat.is_over:
            place.seat.close()
            place.tell()


def _check(seat: HouseSeat | PersonSeat) -> None:
    """Check that a seat was let in.

    Raises:
        Denied: RATE_LIMITED, it was not.
    """
    if refused := seat.refused:
        raise Denied(Reason.RATE_LIMITED, f"no table can be opened now: {_told(refused)}")


def _told(ended: Ended) -> str:
    return ended.text + _REMEDIES.get(ended.reason, "")


def _action(legal: Legal, given: object) -> Action:
    """Return the action that a person means.

    Raises:
        Denied: MALFORMED_ACTION, there is no such action.
    """
    try:
        match legal, given:
            case LegalActions(), str():
                return PlayCard(card(given))
            case LegalActions(), int() if type(given) is int:
                if (action := legal.at(given)) is not None:
                    return action
            case Choose(), list():
                return ChooseCards(tuple(map(card, given[:60])))
            case ChooseFurther(combinations), list():
                if all(type(each) is int and 0 <= each < len(combinations) for each in given):
                    return ChooseCombinations(tuple(combinations[each] for each in given))
    except (LookupError, TypeError, ValueError):
        pass
    raise Denied(Reason.MALFORMED_ACTION, "this is no answer to the decision")
