"""Whole matches in Python without sockets, for tests and research.

>>> from referee.testing import play
>>> from fairdeal.bots import make
>>> played = play("two_handed_spades", [make("greedy"), make("random")], seed="spring", deals=2)
>>> played.outcome.termination.name
'COMPLETED'
"""

from referee.testing.arena import Arena, Played, play

__all__ = ["Arena", "Played", "play"]
