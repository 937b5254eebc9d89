"""What a verifier of the dealing scheme catches: each flipped bit, each missing part."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from referee.cards import ALL_CARDS
from referee.dealing.scheme import DealingError, Epoch, verify
from tests.referee.dealing.dealing_vectors import FULL, SECRET, epoch_of, manifest_of, unhex

SEATS = FULL["seats"]


def honest() -> dict[str, Any]:
    epoch = epoch_of(FULL)
    return {
        "secret": epoch.secret,
        "manifest": epoch.manifest,
        "commitment": epoch.commitment,
        "manifest_digest": epoch.manifest_digest,
        "cards": ALL_CARDS,
        "decks": [epoch.deck(0), epoch.deck(1)],
        "seats": SEATS,
        "first": epoch.first(SEATS),
        "entrants": unhex(FULL["entrants"]),
        "public": bytes.fromhex(FULL["public"]),
    }


def test_what_was_dealt_honestly_is_verified() -> None:
    verify(**honest())


def flipped(value: Any) -> Iterator[Any]:
    """Yield a value with each of its bits flipped, as far as the result is of the same type."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value ^ 1 << bit for bit in range(6))
        case None:
            yield from (1 << bit for bit in range(32))
        case bytes():
            for place, bit in itertools.product(range(len(value)), range(8)):
                yield value[:place] + bytes([value[place] ^ 1 << bit]) + value[place + 1 :]
        case str():
            for place, bit in itertools.product(range(len(value)), range(7)):
                yield value[:place] + chr(ord(value[place]) ^ 1 << bit) + value[place + 1 :]
        case tuple() | list():
            for place, item in enumerate(value):
                yield from (
                    type(value)([*value[:place], other, *value[place + 1 :]]) for other in flipped(item)
                )
        case dict():
            for key, item in value.items():
                yield from ({**value, key: other} for other in flipped(item))
                rest = {k: v for k, v in value.items() if k != key}
                yield from ({**rest, other: item} for other in flipped(key))
        case _:
            raise AssertionError(f"cannot flip bits of {value!r}")


def flipped_manifest(field: str) -> Callable[[dict[str, Any]], Iterator[dict[str, Any]]]:
    def changes(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for other in flipped(getattr(told["manifest"], field)):
            yield {**told, "manifest": replace(told["manifest"], **{field: other})}

    return changes


def flipped_argument(name: str) -> Callable[[dict[str, Any]], Iterator[dict[str, Any]]]:
    return lambda told: ({**told, name: other} for other in flipped(told[name]))


FLIPS = [
    ("secret", flipped_argument("secret"), "manifest: its commitment"),
    ("commitment told", flipped_argument("commitment"), "commitment: .* was announced"),
    ("manifest told", flipped_argument("manifest_digest"), "manifest: .* was announced"),
    ("scheme", flipped_manifest("scheme"), "manifest: the dealing scheme is"),
    ("epoch id", flipped_manifest("epoch_id"), "manifest: its commitment"),
    ("game", flipped_manifest("game"), "manifest: .* was announced"),
    ("options", flipped_manifest("options"), "manifest: .* was announced"),
    ("deals", flipped_manifest("deals"), "manifest: .* was announced"),
    ("commitment", flipped_manifest("commitment"), "manifest: its commitment"),
    ("entrants' commitments", flipped_manifest("entrant_commits"), "entropy: what (alice|bob) opened"),
    ("description", flipped_manifest("public"), "manifest: .* was announced"),
    ("reveal rule", flipped_manifest("reveal"), "manifest: .* was announced"),
    ("entrants", flipped_argument("entrants"), "entropy: what .* opened is not what it committed to"),
    ("public entropy", flipped_argument("public"), "first seat: . was announced|deck 0: card"),
    ("first seat", flipped_argument("first"), "first seat: .* was announced"),
    ("decks", flipped_argument("decks"), r"deck [01]: card \d+ is not [2-9TJQKA][CDHS]"),
]


@pytest.mark.parametrize(("changes", "told"), [flip[1:] for flip in FLIPS], ids=[flip[0] for flip in FLIPS])
def test_any_flipped_bit_is_caught(
    changes: Callable[[dict[str, Any]], Iterator[dict[str, Any]]], told: str
) -> None:
    for changed in changes(honest()):
        with pytest.raises(DealingError, match=f"^({told})"):
            verify(**changed)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"secret": SECRET[:31]}, "secret: 31 bytes, must be 32"),
        ({"entrants": {}}, "entropy: 0 entrants, the manifest holds 2"),
        ({"decks": [ALL_CARDS[:51]]}, "deck 0: 51 cards, the secret gives 52"),
    ],
)
def test_parts_that_are_missing_are_caught(change: dict[str, Any], text: str) -> None:
    with pytest.raises(DealingError, match=f"^{text}$"):
        verify(**honest() | change)


def test_an_entrant_that_withheld_its_entropy_counts_as_zeros() -> None:
    vector = {**FULL, "entrants": {**FULL["entrants"], "bob": "00" * 32}}
    withheld = Epoch(
        SECRET,
        manifest_of(FULL),
        ALL_CARDS,
        entrants=unhex(vector["entrants"]),
        public=bytes.fromhex(FULL["public"]),
    )
    assert withheld.manifest_digest == FULL["manifest_digest"]
    assert withheld.deck(0) != epoch_of(FULL).deck(0)
