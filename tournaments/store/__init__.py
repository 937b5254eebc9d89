"""The matches of a tournament, their results, and its entries, in a database."""

from tournaments.store.database import (
    ELSEWHERE,
    FILE,
    NothingStored,
    StoreError,
    StoreHeld,
    StoreLost,
    TakenOver,
)
from tournaments.store.moving import ADDRESS, NoAddress, with_store
from tournaments.store.store import Store
from tournaments.store.tables import LEFT_OUT
from tournaments.store.values import (
    Added,
    Adjudication,
    Attempted,
    Checkpoint,
    Extent,
    Issued,
    MatchResult,
    NoShow,
    Registered,
)

__all__ = [
    "ADDRESS",
    "ELSEWHERE",
    "FILE",
    "LEFT_OUT",
    "Added",
    "Adjudication",
    "Attempted",
    "Checkpoint",
    "Extent",
    "Issued",
    "MatchResult",
    "NoAddress",
    "NoShow",
    "NothingStored",
    "Registered",
    "Store",
    "StoreError",
    "StoreHeld",
    "StoreLost",
    "TakenOver",
    "with_store",
]
