"""A policy at a table."""

import operator
from collections.abc import Callable

from fairdeal._player import Bot
from fairdeal.actions import Answer, LegalActions, LegalChoice
from fairdeal.adapters.pettingzoo._actions import Offer
from fairdeal.adapters.pettingzoo._observation import Observation, observe
from fairdeal.errors import BadAnswer
from fairdeal.updates import Decision


def make(policy: Callable[[Observation], int]) -> Bot:
    """Return the bot that plays by a policy."""
    return _Policy(policy)


class _Policy:
    """Picks by the policy until the answer is complete."""

    def __init__(self, policy: Callable[[Observation], int]) -> None:
        self._policy = policy

    def act(self, decision: Decision) -> Answer:
        """Return the policy's pick."""
        game, legal, view = decision.match.game, decision.legal, decision.view
        if view is None:
            raise BadAnswer(f"match {decision.match.id}: {game} has no observations")
        question = Offer.of(game, legal)
        picked: list[int] = []
        while True:
            open_ = question.open(picked)
            action = operator.index(self._policy(observe(game, view, picked, open_)))
            if action not in open_:
                where = f"match {decision.match.id}, decision {decision.id}"
                raise BadAnswer(f"{where}: the policy returned {action}, the legal actions are {open_}")
            if action != question.stop:
                picked.append(action)
            if question.is_complete(picked, action):
                break
        places = question.places(picked)
        if isinstance(legal, LegalActions):
            return legal.actions[places[0]]
        if isinstance(legal, LegalChoice):
            return [legal.cards[place] for place in places]
        return [legal.combinations[place] for place in places]
