"""The referee's own rules as a forward model, for bots that search.

`worlds` draws deals in which everything is as the bot's seat has seen it. Each is a `State` of the referee's
rules at this very decision: `copy` it, `apply` an answer, and play on::

    from fairdeal import model

    for state in model.worlds(decision, 20):
        after = state.copy()
        after.apply(answer)
        after.play_out(decision.chance.draw)
        print(after.points)

`each_world` draws them one by one, for a bot that searches for as long as it has time.

The model loads the referee's rules, which ``import fairdeal`` alone does not. It knows no more than the view:
the real deal stays where it is.
"""

from fairdeal.model._state import State
from fairdeal.model._worlds import each_world, is_certain, worlds

__all__ = ["State", "each_world", "is_certain", "worlds"]
