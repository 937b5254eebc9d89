"""OpenSpiel's bots at a fairdeal table: hearts, spades and euchre, where the rules agree.

::

    import fairdeal
    from fairdeal.adapters import openspiel
    from open_spiel.python.algorithms import mcts

    def make(game, player):
        return mcts.MCTSBot(game, 2, 100, mcts.RandomRolloutEvaluator(), player_id=player)

    fairdeal.main(openspiel.bot(make), games=openspiel.GAMES, on_error="stop")

A bot is whatever has a method ``step(state)`` that returns one of the state's legal actions. OpenSpiel's
games are single deals: ``make`` is called in each with the `pyspiel.Game` and the number of the player, and
makes the bot that plays it. Its ``step`` is all that is called.

**The state** is made anew for each decision from what the seat knows: its own cards and all that was said
and played. What it does not know, which is who holds the other cards and who passed or put aside which, is
drawn from ``decision.chance``, all deals alike that fit what was played. So what the state tells the player,
as in ``state.information_state_string(player)``, is true, and a bot that searches in the state itself, such
as `MCTSBot`, plays in one possible deal and never sees the real one.

**Where the rules agree.** A table with one of these options otherwise is refused with `BadSetting`, as soon
as the bot is seated, and so are all other games:

======  =====================================================================================================
hearts  ``any_heart_breaks=true``; ``moon=choose`` or ``moon=add``
spades  ``nil_points=100``, ``bag_limit=10``, ``bag_penalty=100``
euchre  ``dealer_may_discard_upcard=false``, ``maker_partner_may_go_alone=false``
======  =====================================================================================================

All other options are OpenSpiel's parameters, or concern the match and not the deal.

**What OpenSpiel does not have** is decided without asking the bot: after a moon in hearts the others get 26
points, as OpenSpiel counts; in spades nobody bids blind nil, but looks. A blind nil of somebody else is shown
as nil, and bids of partners that make more than 13 as 13. In OpenSpiel spades are never broken and partners
never bid more than 13, so a bot leads no spade that it need not, and bids no more. It counts nils that fail,
and lone defenders of euchre, otherwise than we do.
"""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, Protocol

from fairdeal._player import Bot
from fairdeal.actions import Answer
from fairdeal.adapters._extras import load
from fairdeal.adapters.openspiel._euchre import EUCHRE
from fairdeal.adapters.openspiel._hearts import HEARTS
from fairdeal.adapters.openspiel._rules import Rules
from fairdeal.adapters.openspiel._spades import SPADES
from fairdeal.errors import BadAnswer, BadSetting
from fairdeal.updates import Decision, Seated

__all__ = ["GAMES", "Make", "Stepper", "bot", "check"]

_RULES: Final[Mapping[str, Rules]] = {"hearts": HEARTS, "spades": SPADES, "euchre": EUCHRE}

GAMES: Final = tuple(_RULES)
"""The games that OpenSpiel's bots can play."""


class Stepper(Protocol):
    """A bot for one deal, such as a `pyspiel.Bot`."""

    def step(self, state: Any, /) -> int:
        """Return one of the legal actions of a `pyspiel.State`."""


Make = Callable[[Any, int], Stepper]
"""Makes a bot from a `pyspiel.Game` and the number of the player."""


def bot(make: Make) -> type[Bot]:
    """Return the bot that plays a match with OpenSpiel's bots, one for each deal.

    Raises:
        NotInstalled: OpenSpiel is not installed.
        BadSetting: ``make`` cannot be called.
    """
    if not callable(make):
        raise BadSetting(f"{make!r} makes no bots: give a function of a pyspiel.Game and a player's number")
    pyspiel = load("pyspiel", "openspiel")

    class OpenSpiel(_Table):
        def __init__(self) -> None:
            super().__init__(make, pyspiel)

    return OpenSpiel


def check(match: Seated) -> None:
    """Check that OpenSpiel plays a match as fairdeal does.

    Raises:
        BadSetting: it lacks the game, or an option makes the rules differ; the text says what helps.
    """
    rules = _RULES.get(match.game)
    if rules is None:
        text = f"match {match.id}: OpenSpiel has no {match.game}, only {', '.join(GAMES)}"
        raise BadSetting(f"{text}: give run games=openspiel.GAMES")
    wrong = [
        f"{name}={_word(match.options[name])} (must be {' or '.join(map(_word, allowed))})"
        for name, allowed in rules.agreed.items()
        if name in match.options and match.options[name] not in allowed
    ]
    if wrong:
        text = f"match {match.id}: OpenSpiel plays {match.game} by other rules than a table with"
        remedy = " ".join(f"--option {match.game}.{name}={_word(a[0])}" for name, a in rules.agreed.items())
        raise BadSetting(f"{text} {', '.join(wrong)}: have it opened with {remedy}")


class _Table:
    """Plays one match."""

    def __init__(self, make: Make, pyspiel: ModuleType) -> None:
        self._make = make
        self._pyspiel = pyspiel
        self._deal = 0
        self._game: Any = None
        self._stepper: Stepper | None = None

    def on_seated(self, seated: Seated) -> None:
        """Refuse a match that OpenSpiel plays by other rules."""
        check(seated)

    def act(self, decision: Decision) -> Answer:
        """Return the bot's answer, or the fixed one where OpenSpiel has no such decision."""
        check(decision.match)
        from fairdeal.model._worlds import draw  # on demand: it loads the referee's rules

        rules = _RULES[decision.match.game]
        view: Any = decision.view
        if (given := rules.without_asking(view)) is not None:
            return given
        player = rules.player(view)
        if self._stepper is None or self._deal != view.deal:
            self._deal = view.deal
            self._game = self._pyspiel.load_game(decision.match.game, rules.parameters(decision.match))
            self._stepper = self._make(self._game, player)
        state = self._game.new_initial_state()
        rules.prepare(state, view)
        for action in rules.history(view, draw(decision, decision.chance), decision.chance):
            state.apply_action(action)
        steps = []
        for _ in range(rules.steps(view)):
            action = self._stepper.step(state)
            if action not in state.legal_actions(player):
                where = f"match {decision.match.id}, decision {decision.id}"
                text = f"step returned {action!r}, which is not a legal action of the state"
                raise BadAnswer(f"{where}: {text}: {state.legal_actions(player)}")
            state.apply_action(action)
            steps.append(int(action))
        return rules.answer(view, steps)


def _word(value: object) -> str:
    return str(value).lower()
