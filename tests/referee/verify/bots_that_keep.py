"""Matches of bots of the SDK that keep what they are told, without a socket: their lines and the record."""

import json
from typing import Any, Final

from fairdeal import Decision, LegalActions, LegalChoice, LegalCombinations, Noted
from fairdeal._keeper import Keeper
from fairdeal._session import Session
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as play
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.running_match import RunningMatch
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource, SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import SECOND, ClockSettings
from referee.match.effects import Faulted, Input, MatchSetup
from referee.match.faults import FaultPolicy
from referee.storage import record
from referee.storage.recorder import SOFTWARE

Lines = list[dict[str, Any]]

CLOCK: Final = ClockSettings(move=2 * SECOND, bank=10 * SECOND)


class KeepingBot:
    """A bot with a session; ``incidents`` tells by decision what happens instead of an answer."""

    def __init__(self, core: Core, entry: str, incidents: dict[int, str]) -> None:
        self.core = core
        self.incidents = dict(incidents)
        self.kept: list[str] = []
        self.exchanged: list[tuple[bytes, bytes]] = []  # what it was asked and answered, as bytes
        self.bot = self._new_bot(entry)
        self.session = core.connect(None, 0)

    def _new_bot(self, entry: str) -> Session:
        hello = play.Hello(versions=[1], entry=entry, tables=1)
        return Session(hello, keeper=Keeper(self.kept.append))

    @property
    def lines(self) -> Lines:
        return [json.loads(line) for line in self.kept]

    def go_on(self, core: Core, now: int) -> None:
        """Come back to a referee that was down."""
        self.core, self.session = core, core.connect(None, now)
        self.bot.rejoin()

    def say(self, now: int) -> bool:
        frames = self.bot.take_frames()
        for frame in frames:
            answers = play.PlayRequest.FromString(frame).answers
            self.exchanged += [(b"answered", answer.SerializeToString()) for answer in answers]
            self.core.receive(self.session, frame, now)
        return bool(frames)

    def hear(self, now: int) -> None:
        while (frame := self.session.next_frame()) is not None:
            told = play.PlayResponse.FromString(frame)
            asked = [update.decision for update in told.updates if update.HasField("decision")]
            self.exchanged += [(b"asked", decision.SerializeToString()) for decision in asked]
            for update in self.bot.receive(frame):
                if isinstance(update, Decision) and not self._happens(update, now):
                    self.bot.answer(update, chosen(update))

    def _happens(self, decision: Decision, now: int) -> bool:
        match self.incidents.pop(decision.id, ""):
            case "breaks":  # before the answer arrives
                self.bot.answer(decision, chosen(decision))
                self.core.disconnect(self.session, now)
                self.bot.rejoin()
                self.session = self.core.connect(None, now)
            case "loses the end":  # the answer arrives, and what is told of it does not
                self.bot.answer(decision, chosen(decision))
                self.say(now)
                self.core.disconnect(self.session, now)
                self.bot.rejoin()
                self.session = self.core.connect(None, now)
            case "starts anew":
                self.core.disconnect(self.session, now)
                self.bot = self._new_bot(self.bot._opening.entry)
                self.session = self.core.connect(None, now)
            case "malformed":
                self.bot.give_up(decision)
            case "illegal":
                action = actions_pb2.Action(bid=99)
                self.bot.answer(decision, action)
            case "notes":
                answered = chosen(decision)
                self.bot.answer(decision, Noted(answered, f"\u2660\x01 of {self.bot._opening.entry}"))
            case "late":
                pass
            case _:
                return False
        return True


def chosen(decision: Decision) -> Any:
    legal = decision.legal
    if isinstance(legal, LegalChoice):
        return decision.chance.choose(legal.cards, legal.minimum, legal.maximum)
    if isinstance(legal, LegalCombinations):
        return decision.chance.choose(legal.combinations, legal.minimum, legal.maximum)
    assert isinstance(legal, LegalActions)
    return decision.chance.choice(legal.actions)


def played(
    game: str,
    incidents: dict[tuple[int, int], str],
    *,
    keys: KeySource | None = None,
    event_grid: int = 0,
    down_after: int = -1,
    away: int = -1,
) -> tuple[bytes, list[KeepingBot]]:
    """Play a match of a few deals and return its record and its bots; ``incidents`` by seat and decision.

    The referee is killed after so many turns of its loop, and goes on from its journal; the bot of the seat
    ``away`` comes back only when its clock has run out.
    """
    rules, source = GAMES[game], keys or SeededKeys("spring")
    setup = MatchSetup(
        match_id="m-0001",
        game=game,
        options=rules.bind({}),
        deals=4 if game == "euchre" else 2,
        entries=tuple("abcd"[: rules.seats]),
        clock=CLOCK,
        faults=FaultPolicy(max_faults=9),
        event_grid=event_grid,
    )

    def new_core() -> Core:
        return Core(
            deals=lambda setup, rules: MatchDeals(setup, rules, source),
            access=Trusting(),
            server="fairdeal/test",
        )

    core = new_core()
    bots = [
        KeepingBot(core, entry, {number: what for (of, number), what in incidents.items() if of == seat})
        for seat, entry in enumerate(setup.entries)
    ]
    now = turn = 0
    core.create(setup, now)
    while True:
        turn += 1
        now += 1000
        said = [bot.say(now) for bot in bots if bot.core is core]
        if not any(said):
            assert core.next_wake is not None
            now = max(now, core.next_wake)
            core.tick(now)
        output = core.take()
        core.release(output, now)
        for bot in bots:
            if bot.core is not core and any(
                isinstance(e, Faulted) for t in output.logged.values() for e in t.log
            ):
                bot.go_on(core, now)
            if bot.core is core:
                bot.hear(now)
        if output.finished:
            return encoded(output.finished[0]), bots
        if turn == down_after and (table := core.matches.get(setup.match_id)):
            core, inputs = new_core(), [entry for entry in table.log if isinstance(entry, Input)]
            now = inputs[-1].at  # the latest that the journal knows
            core.matches.restore(record.read_header(header_of(table)), inputs, now, 30 * SECOND)
            for seat, bot in enumerate(bots):
                if seat != away:
                    bot.go_on(core, now)


def header_of(table: RunningMatch) -> dict[str, Any]:
    return record.header_line(
        table.setup, table.owners, table.game, table.deals.commitment, software=SOFTWARE, started="today"
    )


def encoded(table: RunningMatch) -> bytes:
    return record.encode(header_of(table), table.log, table.deals.secret, table.told.digests())
