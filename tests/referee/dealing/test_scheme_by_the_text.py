"""The dealing scheme against a second implementation, and against the check by hand of docs/dealing.md."""

import hashlib
import hmac
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.dealing.scheme import Draws, first_seat
from tests.referee.dealing.dealing_vectors import MANIFESTS, ROOT, VECTORS, epoch_of, names, unhex

PAGE = Path(__file__).parents[3] / "docs" / "dealing.md"


# A second implementation, written from the text of the page, as plainly as can be


def plain_enc(*items: bytes | str) -> bytes:
    encoded = b""
    for item in items:
        raw = item if isinstance(item, bytes) else item.encode("ascii")
        encoded += len(raw).to_bytes(4, "big") + raw
    return encoded


def plain_hash(*items: bytes | str) -> bytes:
    return hashlib.sha256(plain_enc(*items)).digest()


def plain_mac(key: bytes, *items: bytes | str) -> bytes:
    return hmac.new(key, plain_enc(*items), hashlib.sha256).digest()


def plain_bytes(key: bytes, label: str) -> Iterator[int]:
    for j in itertools.count():
        yield from plain_mac(key, label, j.to_bytes(4, "big"))


def plain_draw(stream: Iterator[int], n: int) -> int:
    limit = max(m for m in range(257) if m % n == 0)
    return 0 if n == 1 else next(byte for byte in stream if byte < limit) % n


def plain_deck(key: bytes, deal: int) -> str:
    stream = plain_bytes(plain_mac(key, "fairdeal/1/deal", deal.to_bytes(4, "big")), "fairdeal/1/stream")
    pack = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    for i in range(51, 0, -1):
        j = plain_draw(stream, i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return " ".join(pack)


def plain_root(vector: Mapping[str, Any]) -> tuple[bytes, bytes]:
    secret, entrants = bytes.fromhex(vector["secret"]), sorted(unhex(vector["entrants"]).items())
    manifest = plain_hash(
        "fairdeal/1/manifest",
        "fairdeal/1",
        vector["epoch_id"],
        vector["game"],
        json.dumps(vector["options"], sort_keys=True).replace(" ", ""),
        (vector["deals"] if vector["deals"] is not None else 0).to_bytes(4, "big"),
        plain_enc(*[plain_hash("fairdeal/1/entrant-commit", e, r) for e, r in entrants]),
        vector["public_text"],
        "when no match of the epoch is unplayed",
        plain_hash("fairdeal/1/commit", vector["epoch_id"], secret),
    )
    opened = b"".join(plain_enc(e, r) for e, r in entrants)
    return manifest, plain_mac(secret, "fairdeal/1/root", manifest, opened, bytes.fromhex(vector["public"]))


@pytest.mark.parametrize("vector", MANIFESTS, ids=lambda vector: vector["name"])
def test_a_second_implementation_agrees(vector: Mapping[str, Any]) -> None:
    epoch = epoch_of(vector)
    manifest, key = plain_root(vector)
    assert (manifest.hex(), key.hex()) == (vector["manifest_digest"], vector["root"])
    for seats in (2, 3, 4):
        first = plain_draw(plain_bytes(key, "fairdeal/1/first"), seats)
        assert epoch.first(seats) == first_seat(key, seats) == first
    for deal in range(50):
        assert names(epoch.deck(deal)) == plain_deck(key, deal)


def test_the_check_by_hand_of_the_documentation_works(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text()
    snippet = page.split("```python\n")[1].split("```")[0]
    exec(compile(snippet, "docs/dealing.md", "exec"), {})
    told = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    vector = MANIFESTS[0]
    assert VECTORS["matches"][0]["epoch_digest"] == vector["manifest_digest"]
    assert {what: value.strip() for what, value in told.items()} == {
        "commitment": vector["commitment"],
        "manifest": VECTORS["matches"][0]["manifest_digest"],
        "first seat": str(vector["first"]),
        "first deal": vector["decks"][0]["deck"],
    }


def test_draws_take_no_byte_for_one_result_and_differ_by_label_and_key() -> None:
    stream = Draws(ROOT, "a")
    assert stream.draw(1) == 0 and stream.used == 0
    row = [stream.byte() for _ in range(100)]
    assert row == list(itertools.islice(plain_bytes(ROOT, "a"), 100))
    assert row != [Draws(ROOT, "b").byte() for _ in range(100)]
