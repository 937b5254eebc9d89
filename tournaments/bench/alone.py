"""What is measured in this process, without a server: matches, bare rules beside pyspiel's, and memory."""

import asyncio
import gc
import importlib
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from fairdeal.bots import make
from fairdeal.testing import play
from referee.cards import Seat
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    LegalActions,
)
from referee.games.registry import game
from referee.match.clock import PROFILES
from referee.match.effects import Input, MatchSetup
from referee.match.faults import FaultPolicy
from referee.server.opening import open_referee
from referee.server.runtime import Referee
from tournaments.bench.cheap import CardPlayer, Delays
from tournaments.bench.measure import Sizes

THEIR_GAMES: Final = ("hearts", "spades", "euchre")  # which OpenSpiel has, too
_SESSIONS: Final = 200
_TURNS: Final = 5  # of the loop, until what was told is written and released


@dataclass(frozen=True, slots=True)
class GameRates:
    """Decisions a second of CPU in one game, by round; ``theirs`` are pyspiel's, empty where it has none."""

    game: str
    played: tuple[float, ...]
    rules: tuple[float, ...]
    theirs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """The referee's own bytes for an idle session, and for a table that waits for its first answer."""

    session: int
    table: int


def sizes_of(name: str) -> Sizes:
    """Return the mean sizes of a decision's messages on the wire, from a match of cheap clients."""
    rules, keys = game(name), SeededKeys("bench")
    core = Core(
        deals=lambda setup, rules: MatchDeals(setup, rules, keys), access=Trusting(), server="fairdeal-bench"
    )
    players = [CardPlayer(f"bot{number}", 1, Delays()) for number in range(rules.seats)]
    sessions = [core.connect(None, 0) for _ in players]
    core.create(_setup(name, "bench", tuple(player.entry for player in players)), 0)
    told = said = 0
    saying = [player.first for player in players]
    while not (output := core.take()).finished:
        core.release(output, 0)
        for number, (player, session) in enumerate(zip(players, sessions, strict=True)):
            while (frame := session.next_frame()) is not None:
                told += len(frame)
                saying[number] = [*saying[number], *player.hear([frame])]
            for frame in saying[number]:
                said += len(frame)
                core.receive(session, frame, 0)
            saying[number] = []
    decisions = sum(player.decisions for player in players)
    return Sizes(question=told // decisions, answer=said // decisions)


def measure_alone(name: str, seconds: float, rounds: int) -> GameRates:
    """Measure whole matches in process, our rules and, where they are installed, pyspiel's, in turn."""
    theirs = _pyspiel(name)
    played, rules, other = [], [], []
    for number in range(rounds):
        played.append(_rate(lambda draw: _play_match(name, draw), seconds, number))
        rules.append(_rate(lambda draw: _play_deal(name, draw), seconds, number))
        if theirs:
            other.append(_rate(theirs, seconds, number))
    return GameRates(name, tuple(played), tuple(rules), tuple(other))


def _rate(work: Callable[[Random], tuple[int, float]], seconds: float, seed: int) -> float:
    """Repeat some work, which returns its decisions and their CPU seconds, and return decisions a second."""
    draw, decisions, spent = Random(seed), 0, 0.0
    until = time.process_time() + seconds
    while time.process_time() < until or not decisions:
        done, took = work(draw)
        decisions, spent = decisions + done, spent + took
    return decisions / spent


def _play_match(name: str, draw: Random) -> tuple[int, float]:
    bots = [make("random")] * game(name).seats
    began = time.process_time()
    played = play(name, bots, seed=str(draw.random()))
    took = time.process_time() - began
    return sum(isinstance(entry, Input) and entry.kind == "answer" for entry in played.log), took


def _play_deal(name: str, draw: Random) -> tuple[int, float]:
    """Play one deal by the rules alone; the dealing does not count."""
    rules = game(name)
    state = rules.new(rules.bind({}), deals=1, first=Seat(0))
    deck = list(rules.cards)
    draw.shuffle(deck)
    state.deal(deck)
    decisions, chance = 0, draw.random
    began = time.process_time()
    while seats := state.to_act():
        seat = seats[0]
        legal = state.legal(seat)
        if isinstance(legal, LegalActions):
            action = legal.at(int(chance() * legal.count))
            assert action is not None  # the position is below the count
        else:
            action = _chosen(legal)
        state.apply(seat, action)
        decisions += 1
    return decisions, time.process_time() - began


def _chosen(legal: Choose | ChooseFurther) -> Action:
    if isinstance(legal, Choose):
        return ChooseCards(legal.cards[: legal.minimum])
    return ChooseCombinations(legal.combinations[: legal.minimum])


def _pyspiel(name: str) -> Callable[[Random], tuple[int, float]] | None:
    """Return the same of OpenSpiel, None where it is not installed or lacks the game."""
    if name not in THEIR_GAMES:
        return None
    try:
        pyspiel: Any = importlib.import_module("pyspiel")
    except ImportError:
        return None
    theirs = pyspiel.load_game(name)

    def play_deal(draw: Random) -> tuple[int, float]:
        state = theirs.new_initial_state()
        while state.is_chance_node():
            state.apply_action(draw.choice(state.legal_actions()))
        decisions, chance = 0, draw.random
        began = time.process_time()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(chance() * len(legal))])
            decisions += 1
        return decisions, time.process_time() - began

    return play_deal


async def measure_memory(name: str, folder: Path) -> Memory:
    """Measure what sessions and tables cost the referee, without gRPC and its connections."""
    rules = game(name)
    referee = open_referee(folder, SeededKeys("bench"), Trusting())
    guests = [_Idler(referee, f"bot{number}") for number in range(rules.seats)]
    for guest in guests:
        guest.connect()
    await _settle(guests)  # what the first of each costs once for all
    tracemalloc.start()
    try:
        idle = [_Idler(referee, f"idle{number}") for number in range(_SESSIONS)]
        before = _allocated()
        for each in idle:
            each.connect()
        await _settle(idle)
        with_sessions = _allocated()
        groups = [idle[at : at + rules.seats] for at in range(0, _SESSIONS - rules.seats + 1, rules.seats)]
        for number, group in enumerate([guests, *groups]):
            referee.play(_setup(name, f"bench-{number}", tuple(guest.entry for guest in group)))
        await _settle([*guests, *idle])
        with_tables = _allocated()
    finally:
        tracemalloc.stop()
        await referee.close()
    return Memory((with_sessions - before) // _SESSIONS, (with_tables - with_sessions) // (len(groups) + 1))


def _setup(name: str, match_id: str, entries: tuple[str, ...]) -> MatchSetup:
    return MatchSetup(
        match_id=match_id,
        game=name,
        options=game(name).bind({}),
        deals=None,
        entries=entries,
        clock=PROFILES["debug"],
        faults=FaultPolicy(),
    )


class _Idler:
    """A bot that takes its seats and answers nothing."""

    def __init__(self, referee: Referee, entry: str) -> None:
        self.entry = entry
        self._referee = referee
        self._player = CardPlayer(entry, 1, Delays())
        self._session: Session

    def connect(self) -> None:
        """Open a session."""
        self._session = self._referee.connect(None, lambda: None)
        self._referee.receive(self._session, *self._player.first)

    def turn(self) -> None:
        """Take what is told; a question is left as it is."""
        while (frame := self._session.next_frame()) is not None:
            for said in self._player.take_seats(frame):
                self._referee.receive(self._session, said)


async def _settle(guests: list[_Idler]) -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)
        for guest in guests:
            guest.turn()


def _allocated() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
