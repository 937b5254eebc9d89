"""The dealing scheme against its vectors, its exact uniformity, and what a verifier catches."""

import hashlib
import hmac
import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.cards import ALL_CARDS, Card, Seat, cards, name_of, rank_of
from referee.dealing import (
    DealingError,
    Epoch,
    Manifest,
    Stream,
    canonical_options,
    commit,
    deck,
    enc,
    entrant_commit,
    epoch_id,
    first_seat,
    mac,
    manifest_digest,
    root,
    seeded_secret,
    sha,
    shuffle,
    u32be,
    verify,
)

TESTS = Path(__file__).parents[1]
VECTORS = json.loads((TESTS / "data" / "dealing_vectors.json").read_text())
TWO_FIELDS = VECTORS["two_fields"]
MANIFESTS = VECTORS["manifests"]
SECRET = bytes(range(32))
ROOT = sha("a root for tests")


def unhex(entrants: Mapping[str, str]) -> dict[str, bytes]:
    return {name: bytes.fromhex(opened) for name, opened in entrants.items()}


def manifest_of(vector: Mapping[str, Any]) -> Manifest:
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
    return Epoch(
        bytes.fromhex(vector["secret"]),
        manifest_of(vector),
        ALL_CARDS,
        entrants=unhex(vector["entrants"]),
        public=bytes.fromhex(vector["public"]),
    )


def names(some: tuple[Card, ...]) -> str:
    return " ".join(map(name_of, some))


# --- the published vectors -------------------------------------------------------------------------------


def test_the_vectors_with_two_manifest_fields() -> None:
    name = TWO_FIELDS["epoch_id"]
    commitment = commit(name, SECRET)
    manifest = manifest_digest(name, commitment)
    key = root(SECRET, manifest, unhex(TWO_FIELDS["entrants"]), b"")
    assert commitment.hex() == TWO_FIELDS["commitment"]
    assert manifest.hex() == TWO_FIELDS["manifest_digest"]
    assert key.hex() == TWO_FIELDS["root"]


def test_entrants_are_hashed_in_order_of_name_however_they_are_given() -> None:
    entrants = unhex(TWO_FIELDS["entrants"])
    backwards = dict(reversed(entrants.items()))
    assert list(backwards) != list(entrants)
    assert root(SECRET, ROOT, backwards, b"") == root(SECRET, ROOT, entrants, b"")


@pytest.mark.parametrize("vector", TWO_FIELDS["decks"], ids=lambda vector: f"{vector['cards']} cards")
def test_decks_and_the_bytes_they_take(vector: Mapping[str, Any]) -> None:
    size = vector["cards"]
    pack = tuple(c for c in ALL_CARDS if rank_of(c) >= 13 - size // 4)
    key = bytes.fromhex(TWO_FIELDS["root"])
    assert deck(key, vector["deal"], pack) == cards(vector["deck"])
    stream = Stream(mac(key, "fairdeal/1/deal", u32be(vector["deal"])), "fairdeal/1/stream")
    assert names(shuffle(pack, stream)) == vector["deck"]
    draws = size - 1
    assert (stream.used, stream.used - draws) == (vector["bytes"], vector["rejected"])


@pytest.mark.parametrize("vector", MANIFESTS, ids=lambda vector: vector["name"])
def test_the_vectors_with_a_full_manifest(vector: Mapping[str, Any]) -> None:
    manifest = manifest_of(vector)
    assert canonical_options(vector["options"]) == vector["canonical_options"]
    assert [c.hex() for c in manifest.entrant_commits] == vector["entrant_commits"]
    assert manifest.reveal == vector["reveal_rule"]
    epoch = epoch_of(vector)
    assert epoch.commitment == vector["commitment"]
    assert epoch.manifest_digest == vector["manifest_digest"]
    assert epoch.first(vector["seats"]) == vector["first"]
    for dealt in vector["decks"]:
        assert names(epoch.deck(dealt["deal"])) == dealt["deck"]


def test_the_epoch_of_a_match_is_the_one_of_its_manifest() -> None:
    vector = MANIFESTS[0]
    epoch = Epoch.of_match(
        SECRET,
        epoch_id=vector["epoch_id"],
        game=vector["game"],
        options=dict(reversed(vector["options"].items())),  # given in any order
        deals=vector["deals"],
        cards=ALL_CARDS,
    )
    assert epoch.manifest_digest == vector["manifest_digest"]
    assert names(epoch.deck(1)) == vector["decks"][1]["deck"]
    assert epoch.secret == SECRET
    assert SECRET.hex() not in repr(epoch) and str(SECRET) not in repr(epoch)


@pytest.mark.parametrize("vector", VECTORS["seeded"], ids=lambda v: f"{v['seed']}, {v['epoch_id']}")
def test_seeded_secrets(vector: Mapping[str, str]) -> None:
    assert seeded_secret(vector["seed"], vector["epoch_id"]).hex() == vector["secret"]


def test_an_epoch_id_names_match_and_attempt() -> None:
    assert epoch_id("m-0001", 2) == "m-0001.2"


# --- a second implementation, written from the text of docs/dealing.md, as plainly as can be -------------


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
    page = (TESTS.parent / "docs" / "dealing.md").read_text()
    snippet = page.split("```python\n")[1].split("```")[0]
    exec(compile(snippet, "docs/dealing.md", "exec"), {})
    told = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    vector = MANIFESTS[0]
    assert {what: value.strip() for what, value in told.items()} == {
        "commitment": vector["commitment"],
        "manifest": vector["manifest_digest"],
        "first seat": str(vector["first"]),
        "first deal": vector["decks"][0]["deck"],
    }


# --- uniformity ------------------------------------------------------------------------------------------


class EveryByte(Stream):
    """Yields each byte value once, in order."""

    def byte(self) -> int:
        if self.used == 256:
            raise EOFError
        self.used += 1
        return self.used - 1


def test_every_result_of_a_draw_comes_from_equally_many_bytes() -> None:
    for n in range(2, 257):
        stream, drawn = EveryByte(b"", ""), Counter[int]()
        with pytest.raises(EOFError):
            while True:
                drawn[stream.draw(n)] += 1
        assert drawn == dict.fromkeys(range(n), 256 // n), n


class Scripted(Stream):
    """Yields draws that were fixed beforehand."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        super().__init__(b"", "")
        self._script = iter(draws)

    def draw(self, n: int) -> int:
        drawn = next(self._script)
        assert 0 <= drawn < n
        return drawn


@pytest.mark.parametrize("n", range(1, 8))
def test_every_path_of_draws_gives_another_order(n: int) -> None:
    paths = itertools.product(*(range(i + 1) for i in range(n - 1, 0, -1)))
    orders = [shuffle(range(n), Scripted(path)) for path in paths]
    assert len(orders) == math.factorial(n)
    assert set(orders) == set(itertools.permutations(range(n)))


def chi_square(decks: list[tuple[Card, ...]]) -> float:
    """Return the statistic of card by position, which has (n - 1) ** 2 degrees of freedom.

    Each deck fills every row and column once, so that the plain sum is too large by n / (n - 1).
    """
    n = len(decks[0])
    expected = len(decks) / n
    counts = Counter(cell for dealt in decks for cell in enumerate(dealt))
    plain = sum((counts[place, c] - expected) ** 2 / expected for place in range(n) for c in ALL_CARDS[:n])
    return plain * (n - 1) / n


class Hasty(Stream):
    """Forgets to pass over the bytes that make low results too frequent."""

    def draw(self, n: int) -> int:
        return self.byte() % n


DEALS = 8_000
FREEDOM = 51**2
SIGMA = math.sqrt(2 * FREEDOM)


def test_cards_come_to_all_positions_alike() -> None:
    decks = [deck(ROOT, deal, ALL_CARDS) for deal in range(DEALS)]
    assert abs(chi_square(decks) - FREEDOM) < 3 * SIGMA


def test_a_shuffle_without_rejection_would_be_noticed() -> None:
    decks = [shuffle(ALL_CARDS, Hasty(mac(ROOT, u32be(deal)), "")) for deal in range(DEALS)]
    assert chi_square(decks) - FREEDOM > 6 * SIGMA


def test_draws_take_no_byte_for_one_result_and_differ_by_label_and_key() -> None:
    stream = Stream(ROOT, "a")
    assert stream.draw(1) == 0 and stream.used == 0
    row = [stream.byte() for _ in range(100)]
    assert row == list(itertools.islice(plain_bytes(ROOT, "a"), 100))
    assert row != [Stream(ROOT, "b").byte() for _ in range(100)]


# --- what a verifier catches -----------------------------------------------------------------------------

FULL = MANIFESTS[1]  # has entropy of entrants and public entropy
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
    ("commitment told", flipped_argument("commitment"), "commitment: told was"),
    ("manifest told", flipped_argument("manifest_digest"), "manifest: told was"),
    ("scheme", flipped_manifest("scheme"), "manifest: the dealing scheme is"),
    ("epoch id", flipped_manifest("epoch_id"), "manifest: its commitment"),
    ("game", flipped_manifest("game"), "manifest: told was"),
    ("options", flipped_manifest("options"), "manifest: told was"),
    ("deals", flipped_manifest("deals"), "manifest: told was"),
    ("commitment", flipped_manifest("commitment"), "manifest: its commitment"),
    ("entrants' commitments", flipped_manifest("entrant_commits"), "entropy: what (alice|bob) opened"),
    ("description", flipped_manifest("public"), "manifest: told was"),
    ("reveal rule", flipped_manifest("reveal"), "manifest: told was"),
    ("entrants", flipped_argument("entrants"), "entropy: what .* opened is not what it committed to"),
    ("public entropy", flipped_argument("public"), "first seat: it was|deck 0: card"),
    ("first seat", flipped_argument("first"), "first seat: it was"),
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


# --- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: enc("zażółć"),
        lambda: commit("mécz.1", SECRET),
        lambda: entrant_commit("Łucja", SECRET),
        lambda: seeded_secret("jaźń", "m.1"),
        lambda: root(SECRET, ROOT, {"Łucja": SECRET}, b""),
        lambda: replace(manifest_of(FULL), public="ś").digest(),
        lambda: replace(manifest_of(FULL), options={"moon": "księżyc"}).digest(),
    ],
)
def test_text_that_is_not_ascii_is_refused(call: Callable[[], bytes]) -> None:
    with pytest.raises(ValueError, match="is not ASCII"):
        call()


@pytest.mark.parametrize("n", [-1, 0, 257])
def test_draws_out_of_range_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"cannot draw one of {n}: must be one of 1 to 256"):
        Stream(ROOT, "a").draw(n)


@pytest.mark.parametrize("n", [-1, 2**32])
def test_numbers_that_do_not_fit_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="does not fit in four bytes"):
        u32be(n)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_secrets_of_another_length_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"is {size} bytes, must be 32"):
        commit("m.1", bytes(size))
    with pytest.raises(ValueError, match=f"what alice drew is {size} bytes, must be 32"):
        entrant_commit("alice", bytes(size))


def test_a_first_seat_is_a_seat() -> None:
    drawn = {first_seat(sha(str(i)), 4) for i in range(60)}
    assert drawn == {Seat(0), Seat(1), Seat(2), Seat(3)}
