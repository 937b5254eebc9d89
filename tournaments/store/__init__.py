"""What a tournament has issued, what came of it, and who takes part, in a database."""

from tournaments.store.database import FILE, StoreError
from tournaments.store.store import Store
from tournaments.store.values import Checkpoint, Issued, MatchResult, Registered

__all__ = ["FILE", "Checkpoint", "Issued", "MatchResult", "Registered", "Store", "StoreError"]
