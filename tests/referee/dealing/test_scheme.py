"""The dealing scheme against its published vectors, and what it refuses."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from referee.cards import ALL_CARDS, Seat, cards, rank_of
from referee.dealing.scheme import (
    Draws,
    Epoch,
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
)
from tests.referee.dealing.dealing_vectors import (
    FULL,
    MANIFESTS,
    ROOT,
    SECRET,
    TWO_FIELDS,
    VECTORS,
    epoch_of,
    manifest_of,
    names,
    unhex,
)


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
    stream = Draws(mac(key, "fairdeal/1/deal", u32be(vector["deal"])), "fairdeal/1/stream")
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


def test_a_first_seat_is_a_seat() -> None:
    drawn = {first_seat(sha(str(i)), 4) for i in range(60)}
    assert drawn == {Seat(0), Seat(1), Seat(2), Seat(3)}


# Refusals


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
        Draws(ROOT, "a").draw(n)


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
