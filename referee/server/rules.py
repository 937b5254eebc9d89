"""Who may call each RPC, and how often; `referee.server.guard` holds everybody to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Caller(Enum):
    """Who may call an RPC."""

    ANYBODY = auto()
    ORGANISER = auto()
    SESSION = auto()  # whoever may speak for the entry that its Hello names


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may call an RPC, and the limit that it counts against by its name in `Limits`."""

    caller: Caller
    limit: str = "calls_per_second"


RULES: Final[Mapping[str, Rule]] = {
    # its Hello and its limits are the lobby's: nothing may stand between a session and its frames
    "/fairdeal.v1.PlayService/Play": Rule(Caller.SESSION, "sessions"),
    "/fairdeal.v1.MatchService/ListGames": Rule(Caller.ANYBODY),
    "/fairdeal.v1.MatchService/ListMatches": Rule(Caller.ORGANISER),
    "/fairdeal.v1.MatchService/CancelMatch": Rule(Caller.ORGANISER),
    "/grpc.health.v1.Health/Check": Rule(Caller.ANYBODY),
    "/grpc.health.v1.Health/List": Rule(Caller.ANYBODY),
    "/grpc.health.v1.Health/Watch": Rule(Caller.ANYBODY),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Rule(Caller.ANYBODY),
}
"""The rule of every RPC; a call of one that has none is refused."""
