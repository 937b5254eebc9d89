"""The published vectors of the dealing scheme, and the epochs that they tell of."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.cards import ALL_CARDS, Card, name_of
from referee.dealing.scheme import Epoch, Manifest, entrant_commit, sha

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "dealing_vectors.json").read_text())
TWO_FIELDS = VECTORS["two_fields"]
MANIFESTS = VECTORS["manifests"]
FULL = MANIFESTS[1]  # has entropy of entrants and public entropy
SECRET = bytes(range(32))
ROOT = sha("a root for tests")


def unhex(entrants: Mapping[str, str]) -> dict[str, bytes]:
    """Return what each entrant opened, as bytes."""
    return {name: bytes.fromhex(opened) for name, opened in entrants.items()}


def manifest_of(vector: Mapping[str, Any]) -> Manifest:
    """Return the manifest that a vector tells of."""
    return Manifest(
        epoch_id=vector["epoch_id"],
        game=vector["game"],
        options=vector["options"],
        deals=vector["deals"],
        commitment=bytes.fromhex(vector["commitment"]),
        entrant_commits=tuple(entrant_commit(e, r) for e, r in sorted(unhex(vector["entrants"]).items())),
        public=vector["public_text"],
    )


def epoch_of(vector: Mapping[str, Any]) -> Epoch:
    """Return the epoch that a vector tells of, with its entropy."""
    return Epoch(
        bytes.fromhex(vector["secret"]),
        manifest_of(vector),
        ALL_CARDS,
        entrants=unhex(vector["entrants"]),
        public=bytes.fromhex(vector["public"]),
    )


def names(some: tuple[Card, ...]) -> str:
    """Return the names of cards as the vectors have them."""
    return " ".join(map(name_of, some))
