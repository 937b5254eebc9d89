"""What the manifest of a match binds: the scheme ``fairdeal/2``, described in docs/dealing.md.

The decks are those of ``fairdeal/1``: they follow from the secret and from what the matches of an epoch have
in common. Around its digest, the manifest of a match binds what is this match's own. It is keyed with the
secret, since bots are told it when they are seated: by a plain hash they could find out, by trying, what they
are not told, such as the instances of their opponents.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from referee.dealing.scheme import canonical_options, enc, mac, u32be
from referee.games.base import Game
from referee.match.clock import ClockSettings
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy

SCHEME: Final = "fairdeal/2"
"""The scheme of new matches."""

PLAIN_SCHEME: Final = "fairdeal/1"
"""The scheme of earlier ones, whose manifest binds only what the decks follow from."""

SCHEMES: Final = (PLAIN_SCHEME, SCHEME)

_PRINT: Final = 8  # hexadecimal digits

_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def fields(
    setup: MatchSetup, *, rules_version: int, repeatable: bool, epoch_digest: bytes
) -> Mapping[str, bytes]:
    """Return the fields of a match's manifest in the order in which they are hashed, by name.

    Raises:
        ValueError: a number does not fit, or a name cannot be encoded.
    """
    return {
        "scheme": SCHEME.encode(),
        "epoch": epoch_digest,
        "match_id": setup.match_id.encode(),
        "attempt": u32be(setup.attempt),
        "rules_version": u32be(rules_version),
        "clock": _json(setup.clock),
        "faults": _json(setup.faults),
        "event_grid": str(setup.event_grid).encode(),
        "entries": enc(*(entry.encode() for entry in setup.entries)),
        "instances": enc(*(instance.encode() for instance in setup.instance_by_seat)),
        "repeatable": b"repeatable" if repeatable else b"drawn",
    }


def digest(secret: bytes, fields: Mapping[str, bytes]) -> bytes:
    """Return m of the scheme, which only who knows the secret can compute."""
    return mac(secret, "fairdeal/2/manifest", *fields.values())


def prints(setup: MatchSetup, rules: Game[Any], *, rules_version: int, repeatable: bool) -> dict[str, str]:
    """Return the first digits of the SHA-256 of each field, by its name in the header of a record.

    They prove nothing: where the digest of a manifest is wrong, they tell which field was changed.

    Raises:
        ValueError: a number does not fit, or a name cannot be encoded.
    """
    shared = {
        "game": setup.game.encode(),
        "options": canonical_options(rules.listed(setup.options)).encode(),
        "deals": u32be(setup.deals or 0),
    }
    own = fields(setup, rules_version=rules_version, repeatable=repeatable, epoch_digest=b"")
    named = {name: value for name, value in own.items() if name not in ("scheme", "epoch")}
    return {name: hashlib.sha256(value).hexdigest()[:_PRINT] for name, value in (shared | named).items()}


def _json(settings: ClockSettings | FaultPolicy) -> bytes:
    # not kept by value: settings of a record may be equal and yet other JSON, such as 3.0 for 3
    return _JSON.encode({name: getattr(settings, name) for name in settings.__slots__}).encode()
