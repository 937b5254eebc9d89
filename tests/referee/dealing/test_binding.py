"""The manifest of a match against a second implementation, and what it tells before the secret is known."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from referee.dealing import binding
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import Revealed, SeededKeys
from referee.dealing.scheme import Manifest, commit
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from tests.referee.dealing.dealing_vectors import VECTORS

MATCHES = VECTORS["matches"]


def setup_of(vector: Mapping[str, Any]) -> MatchSetup:
    return MatchSetup(
        match_id=vector["match_id"],
        attempt=vector["attempt"],
        game=vector["game"],
        options=vector["options"],
        deals=vector["deals"],
        entries=tuple(vector["entries"]),
        instances=tuple(vector["instances"]),
        clock=ClockSettings(**vector["clock"]),
        faults=FaultPolicy(**vector["faults"]),
        event_grid=vector["event_grid"],
        epoch=vector["epoch_id"] if vector["epoch_id"].startswith("set") else "",
    )


# A second implementation, written from the text of docs/dealing.md


def plain_enc(items: list[bytes]) -> bytes:
    return b"".join(len(item).to_bytes(4, "big") + item for item in items)


def plain_json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).replace(" ", "").encode()


def plain_number(number: int) -> bytes:
    return number.to_bytes(4, "big")


def plain_digests(vector: Mapping[str, Any]) -> tuple[str, str]:
    secret, epoch_id = bytes.fromhex(vector["secret"]), vector["epoch_id"].encode()
    epoch_fields = [
        b"fairdeal/1/manifest",
        b"fairdeal/1",
        epoch_id,
        vector["game"].encode(),
        plain_json(vector["options"]),
        plain_number(vector["deals"] or 0),
        b"",
        b"none",
        b"when no match of the epoch is unplayed",
        hashlib.sha256(plain_enc([b"fairdeal/1/commit", epoch_id, secret])).digest(),
    ]
    epoch = hashlib.sha256(plain_enc(epoch_fields)).digest()
    match_fields = [
        b"fairdeal/2/manifest",
        b"fairdeal/2",
        epoch,
        vector["match_id"].encode(),
        plain_number(vector["attempt"]),
        plain_number(vector["rules_version"]),
        plain_json(vector["clock"]),
        plain_json(vector["faults"]),
        str(vector["event_grid"]).encode(),
        plain_enc([name.encode() for name in vector["entries"]]),
        plain_enc([name.encode() for name in vector["instances"]]),
        b"repeatable" if vector["repeatable"] else b"drawn",
    ]
    return epoch.hex(), hmac.new(secret, plain_enc(match_fields), hashlib.sha256).hexdigest()


@pytest.mark.parametrize("vector", MATCHES, ids=lambda vector: vector["name"])
def test_a_second_implementation_agrees(vector: Mapping[str, Any]) -> None:
    published = vector["epoch_digest"], vector["manifest_digest"]
    assert plain_digests(vector) == published
    secret = bytes.fromhex(vector["secret"])
    epoch = Manifest(
        epoch_id=vector["epoch_id"],
        game=vector["game"],
        options=vector["options"],
        deals=vector["deals"],
        commitment=commit(vector["epoch_id"], secret),
    ).digest()
    fields = binding.fields(
        setup_of(vector),
        rules_version=vector["rules_version"],
        repeatable=vector["repeatable"],
        epoch_digest=epoch,
    )
    assert (epoch.hex(), binding.digest(secret, fields).hex()) == published


# What a match announces

SETUP = replace(setup_of(MATCHES[0]), options=GAMES["hearts"].bind({}))
RULES = GAMES["hearts"]


def announced(setup: MatchSetup, **rest: int) -> bytes:
    return MatchDeals(setup, RULES, SeededKeys("spring"), **rest).commitment.manifest


def test_each_thing_that_is_bound_makes_another_manifest() -> None:
    changed = [
        replace(SETUP, match_id="m-0002"),
        replace(SETUP, attempt=2),
        replace(SETUP, options=RULES.bind({"target": 50})),
        replace(SETUP, deals=None),
        replace(SETUP, entries=("bob", "alice", "carol", "dave")),
        replace(SETUP, instances=()),
        replace(SETUP, clock=replace(SETUP.clock, bank=1)),
        replace(SETUP, faults=FaultPolicy(max_faults=2)),
        replace(SETUP, event_grid=1),
        replace(SETUP, epoch="set-1.1"),
    ]
    manifests = [announced(SETUP), announced(SETUP, rules_version=9), *map(announced, changed)]
    assert len(set(manifests)) == len(manifests) == 12


def test_names_cannot_be_moved_from_one_field_to_the_next() -> None:
    one = replace(SETUP, entries=("ab", "c", "d", "e"), instances=("", "", "", ""))
    assert announced(one) != announced(replace(one, entries=("a", "bc", "d", "e")))


def test_no_instances_are_the_same_as_empty_ones() -> None:
    assert announced(replace(SETUP, instances=("",) * 4)) == announced(replace(SETUP, instances=()))


def test_the_cards_do_not_depend_on_who_plays_how_long() -> None:
    others = [
        replace(SETUP, entries=("x", "y", "z", "w")),
        replace(SETUP, instances=()),
        replace(SETUP, clock=replace(SETUP.clock, bank=1)),
        replace(SETUP, scheme=binding.PLAIN_SCHEME),
    ]
    decks = {MatchDeals(each, RULES, SeededKeys("spring")).deck(0) for each in (SETUP, *others)}
    assert len(decks) == 1


def test_a_match_of_the_earlier_scheme_is_announced_as_it_was() -> None:
    vector = VECTORS["manifests"][0]
    setup = replace(SETUP, options=vector["options"], scheme=binding.PLAIN_SCHEME)
    keys = Revealed(bytes.fromhex(vector["secret"]), repeatable=False)
    told = MatchDeals(setup, RULES, keys).commitment
    assert (told.scheme, told.manifest.hex()) == ("fairdeal/1", vector["manifest_digest"])
    assert replace(told, scheme="", manifest=b"") == replace(
        MatchDeals(replace(setup, scheme=""), RULES, keys).commitment, scheme="", manifest=b""
    )


def test_who_does_not_know_the_secret_cannot_try_what_it_is_not_told() -> None:
    """Whatever else is known: of a plain hash, opponents' instances would follow from what bots are told."""
    keys = [Revealed(bytes([number] * 32), repeatable=False) for number in range(2)]
    made = [MatchDeals(SETUP, RULES, each) for each in keys]
    epoch = bytes.fromhex(VECTORS["matches"][0]["epoch_digest"])
    fields = binding.fields(SETUP, rules_version=RULES.rules_version, repeatable=False, epoch_digest=epoch)
    assert len({binding.digest(deals.secret, fields) for deals in made}) == 2
    guessed = {
        hashlib.sha256(plain_enc([label, *fields.values()])).digest()
        for label in (b"fairdeal/2/manifest", b"")
    }
    assert not guessed & {deals.commitment.manifest for deals in made}
