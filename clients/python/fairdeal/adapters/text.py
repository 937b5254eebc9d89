"""One seat of a game as an environment of texts, to train language models in.

::

    from fairdeal.adapters import text

    env = text.TextEnv("hearts", opponents="greedy", deals=1, seed=7)
    turn = env.reset()
    while not turn.done:
        turn = env.step(model(turn.text))
    print(turn.reward, turn.info["score"])

`TextEnv.reset` and `TextEnv.step` return what the seat is told next, as environments of the OpenEnv kind do.
The other seats are played by bots of this process, by the referee's own rules and dealing, without clocks. No
other package is needed.

**Texts** are those of `fairdeal.words`, with the rules in each, and replies are read by
`fairdeal.words.parse`. What has one legal answer is played without asking. A reply that cannot be taken is
answered with what was wrong with it; the last of so many tries for a decision costs a fault, and the
referee's default action is played.

**Rewards** are 0 until the match is over. Then they follow from the ranks of the sides, evenly from 1 for a
sole best to -1 for a sole worst, as those of `fairdeal.adapters.pettingzoo`. ``info`` then has the ``rank``
and the ``score`` of the own side, and at all times the number of ``faults``.

**Chance**: a seed gives the same matches in every run, whichever seat is taken. ``reset(seed=...)`` begins
the first match of that seed, a ``reset()`` without one the next match of the seed given last.
"""

import secrets
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from fairdeal._player import Player
from fairdeal.actions import Noted, only_answer
from fairdeal.adapters._matches import Variant, keys_of, reward_of
from fairdeal.bots import make
from fairdeal.errors import BadSetting
from fairdeal.testing.alone import questions_of
from fairdeal.updates import Decision, OptionValue
from fairdeal.words import GAMES, PROFILES, Profile, parse, reminder, words
from referee.games.base import Result

__all__ = ["TextEnv", "TextTurn"]

OVER: Final = "The match is over."


@dataclass(frozen=True, slots=True)
class TextTurn:
    """What the seat is told: a ``text`` to reply to, or that the match is ``done``, with its reward."""

    text: str
    reward: float = 0.0
    done: bool = False
    info: Mapping[str, Any] = field(default_factory=dict)


class TextEnv:
    """Matches of a game, one after the other, in which one seat is played by replies.

    ``opponents`` is the name of a house bot, or a bot for each of the other seats in their order, partners
    included: objects or functions that are not async. ``deals`` is the number of deals of a match (None:
    whole games), ``tries`` how many replies a decision may take.

    Raises:
        BadSetting: the game is unknown, or one of the settings is wrong.
    """

    def __init__(
        self,
        game: str = "hearts",
        *,
        seat: int = 0,
        opponents: str | Sequence[Any] = "greedy",
        options: Mapping[str, OptionValue] | None = None,
        deals: int | None = None,
        seed: int | str | None = None,
        profile: Profile = "full",
        tries: int = 2,
    ) -> None:
        self._variant = Variant(game, options or {}, deals)
        seats = self._variant.game.seats
        if game not in GAMES:
            raise BadSetting(f"there are no words for {game!r}; there are for {', '.join(GAMES)}")
        if seat not in range(seats):
            raise BadSetting(f"seat {seat}: must be 0 to {seats - 1}")
        if profile not in PROFILES:
            raise BadSetting(f"profile {profile!r}: must be {' or '.join(PROFILES)}")
        if tries < 1:
            raise BadSetting(f"tries {tries}: must be 1 or more")
        others = [make(opponents)] * (seats - 1) if isinstance(opponents, str) else list(opponents)
        if len(others) != seats - 1:
            raise BadSetting(f"opponents: {len(others)} are given, and there are {seats - 1} other seats")
        players = [Player(bot, "stop") for bot in others]
        if any(isinstance(bot, type) for bot in others) or any(player.is_async for player in players):
            raise BadSetting("opponents: must be objects or functions that are not async")
        self._players: list[Player | None] = [*players[:seat], None, *players[seat:]]
        self._seat = seat
        self._profile: Profile = profile
        self._tries = tries
        self._take_seed(seed)
        self._questions: Generator[Decision, object, Result] | None = None
        self._decision: Decision | None = None
        self._tried = self._faults = 0

    def reset(self, seed: int | str | None = None) -> TextTurn:
        """Begin the first match of a seed or, without one, the next match; return the first turn.

        Raises:
            BadSetting: the seed is wrong.
        """
        if seed is not None:
            self._take_seed(seed)
        self._matches += 1
        self._faults = 0
        setup, deals = self._variant.match(self._keys, self._matches)
        questions = self._questions = questions_of(setup, deals, seed=self._seed)
        return self._until_asked(next(questions))

    def step(self, reply: str | None) -> TextTurn:
        """Take a reply to the last text and return the next turn; None, a message without content, is empty.

        Raises:
            BadSetting: no match is being played: call `reset` first.
        """
        decision, questions = self._decision, self._questions
        if decision is None or questions is None:
            raise BadSetting("no match is being played: call reset() first")
        reading = parse(decision, reply or "", self._profile)
        answer: object = reading.answer
        if reading.problem:
            self._tried += 1
            if self._tried < self._tries:
                told = reminder(decision, reading, self._profile)
                return TextTurn(f"{words(decision, self._profile)}\n{told}", info=self._info())
            self._faults += 1
            answer = Noted(None, "")
        return self._until_asked(answer, begun=True)

    def _take_seed(self, seed: int | str | None) -> None:
        self._seed = secrets.token_hex(16) if seed is None else str(seed)  # that of the bots, too
        self._keys = keys_of(self._seed)
        self._matches = 0

    def _until_asked(self, said: Any, *, begun: bool = False) -> TextTurn:
        """Have the bots play until the seat is asked or the match is over."""
        questions = self._questions
        assert questions is not None
        self._decision, self._tried = None, 0
        try:
            decision = questions.send(said) if begun else said
            while (answer := self._answered(decision)) is not None:
                decision = questions.send(answer)
        except StopIteration as over:
            return self._ended(over.value)
        self._decision = decision
        return TextTurn(words(decision, self._profile), info=self._info())

    def _answered(self, decision: Decision) -> object:
        """Return the answer of a bot, or the only one that is legal; None where a reply is wanted."""
        player = self._players[decision.seat]
        return only_answer(decision.legal) if player is None else player.call(decision)

    def _ended(self, result: Result) -> TextTurn:
        self._questions = None
        side = next(at for at, seats in enumerate(self._variant.game.sides) if self._seat in seats)
        info = {**self._info(), "rank": result.ranks[side], "score": result.scores[side]}
        return TextTurn(OVER, reward_of(result.ranks, side), True, info)

    def _info(self) -> dict[str, Any]:
        return {"game": self._variant.game.name, "seat": self._seat, "faults": self._faults}
