"""The tables of people: each plays one match at a time, against house bots in this process."""

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Final

from fairdeal import bots
from referee.cards import card
from referee.core.access import Denied
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
from tournaments.running.access import Admission
from tournaments.web.people import Person, is_house, person_of
from tournaments.web.seats import HouseSeat, PersonSeat

HOUSE_BOTS: Final = ("greedy", "random")
ANYBODY: Final = ""
"""In place of a bot: others who wait for an open table."""
MOST_DEALS: Final = 100
CLOCK: Final = PROFILES["patient"]
"""A person has as long as a language model: three minutes for each decision, and half an hour beyond."""


@dataclass(slots=True)
class Sitting:
    """Where a person sits; ``changed`` is set, and replaced, when that changes."""

    seat: PersonSeat | None = None
    legal: Legal | None = None  # what was last offered to the person
    streams: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake those who wait for a change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Hall:
    """Seats people and house bots; bots answer ``pause`` seconds after they are asked.

    ``most`` tables are open at once.
    """

    def __init__(self, referee: Referee, admission: Admission, *, pause: float = 0.6, most: int = 64) -> None:
        self._referee = referee
        self._admission = admission
        self._pause = pause
        self._most = most
        self._places: dict[Person, Sitting] = {}
        self._house: dict[str, list[HouseSeat]] = {}  # by match

    def recover(self) -> None:
        """Seat who sat at tables that an earlier process left."""
        for setup in self._referee.core.matches.setups:
            for owner in zip(setup.entries, setup.instance_by_seat, strict=True):
                self._seat(setup.match_id, owner)

    def place(self, person: Person) -> Sitting:
        """Return the place of a person."""
        return self._places.setdefault(person, Sitting())

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
        tokens = {owner: self._admission.token_for(owner) for owner in owners}
        self._referee.play(setup, tuple(owners))
        for owner in tokens:
            self._seat(setup.match_id, owner)

    def wait(self, person: Person, game: str) -> None:
        """Have a person wait for a seat at an open table, with bots and people who come there.

        Raises:
            Denied: BAD_REQUEST, no open table is for such a game; WRONG_STATE, the person plays or waits.
        """
        if game not in self._referee.core.open_games:
            raise Denied(Reason.BAD_REQUEST, "there is no open table for this game")
        self._check_free(person)
        self._sit(person, game)

    def _check_free(self, person: Person) -> None:
        seat = self.place(person).seat
        if (seat and not seat.is_over) or self._referee.core.matches.plays(person.owner):
            raise Denied(Reason.WRONG_STATE, "you sit at a table already")

    def _sit(self, person: Person, waits_for: str = "") -> None:
        place = self.place(person)
        place.legal = None
        token = self._admission.token_for(person.owner)
        place.seat = PersonSeat(self._referee, token, person.owner, place.tell, CLOCK, waits_for)
        place.tell()

    def _seat(self, match_id: str, owner: Owner) -> None:
        if is_house(owner) and owner[0] in HOUSE_BOTS:  # bots from elsewhere choose their instances
            token = self._admission.token_for(owner)
            made = HouseSeat(self._referee, token, owner, bots.make(owner[0]), self._pause)
            self._house.setdefault(match_id, []).append(made)
        elif person := person_of(owner):
            self._sit(person)

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
        if place.seat is None or place.seat.is_over:
            return
        if self._referee.core.matches.plays(person.owner):
            self._referee.abandon(person.owner)
        else:
            place.seat.close()
            place.tell()


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
