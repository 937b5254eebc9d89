"""Lets a program in any language play: JSON lines to it and from it, the protocol to the referee.

From a terminal: ``fairdeal bridge -- COMMAND``. The lines are described in clients/stdio/README.md.
"""

from fairdeal.stdio._bridge import BotEnded, bridge

__all__ = ["BotEnded", "bridge"]
