"""Who may call each RPC, and how often; `referee.server.interceptors` enforces it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final


class Caller(Enum):
    """Who may call an RPC."""

    ANYBODY = auto()
    ORGANISER = auto()
    ENTRY = auto()  # an organiser, or the bot of the entry that the request's field `entry` names
    SESSION = auto()  # anybody who may act for the entry that the Hello names


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may call an RPC, and the name in `Limits` of the limit that it counts against."""

    caller: Caller
    limit: str = "calls_per_second"


RULES: Final[Mapping[str, Rule]] = {
    "/grpc.health.v1.Health/Check": Rule(Caller.ANYBODY),
    "/grpc.health.v1.Health/List": Rule(Caller.ANYBODY),
    "/grpc.health.v1.Health/Watch": Rule(Caller.ANYBODY),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Rule(Caller.ANYBODY),
}
"""The rules of what every server offers; each service adds its own, and an RPC without one is refused."""
