"""Dealing that can be checked: the scheme ``fairdeal/1``, described in docs/dealing.md.

A secret S of 32 bytes is drawn, its commitment is published before the first card, and every shuffle of the
epoch (the matches that share deals and are opened together) follows from S. After the reveal anybody
recomputes it all. Nothing here draws randomness: S is given.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from referee.cards import Card, Seat, name_of
from referee.games.options import OptionValue

SCHEME: Final = "fairdeal/1"
SECRET_BYTES: Final = 32
NO_PUBLIC_ENTROPY: Final = "none"
REVEAL_RULE: Final = "when no match of the epoch is unplayed"
_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
NO_ENTRANTS: Final[Mapping[str, bytes]] = MappingProxyType({})

T = TypeVar("T")


class DealingError(ValueError):
    """A secret, manifest, first seat or deck that does not follow from the others; the text names which."""


def u32be(n: int) -> bytes:
    """Return a number as four bytes, big-endian.

    Raises:
        ValueError: it does not fit.
    """
    if not 0 <= n < 2**32:
        raise ValueError(f"{n} does not fit in four bytes: must be 0 to {2**32 - 1}")
    return n.to_bytes(4, "big")


def enc(*items: bytes | str) -> bytes:
    """Return items one after the other, each preceded by its length as four bytes, big-endian.

    Raises:
        ValueError: a text is not ASCII.
    """
    raw = [_ascii(item) if isinstance(item, str) else item for item in items]
    return b"".join([u32be(len(item)) + item for item in raw])


def sha(*items: bytes | str) -> bytes:
    """Return H of the scheme: the SHA-256 of the encoded items."""
    return hashlib.sha256(enc(*items)).digest()


def mac(key: bytes, *items: bytes | str) -> bytes:
    """Return MAC of the scheme: the HMAC-SHA256 of the encoded items."""
    return hmac.digest(key, enc(*items), "sha256")


def epoch_id(match_id: str, attempt: int) -> str:
    """Return the epoch id of one attempt at a match."""
    return f"{match_id}.{attempt}"


def seeded_secret(seed: str, epoch_id: str) -> bytes:
    """Return the secret of an epoch in a repeatable run; anybody who knows the seed knows the secret.

    Raises:
        ValueError: the seed or the epoch id is not ASCII.
    """
    return mac(_ascii(seed), "fairdeal/1/seeded", epoch_id)


def commit(epoch_id: str, secret: bytes) -> bytes:
    """Return the commitment to the secret of an epoch.

    Raises:
        ValueError: the secret is not 32 bytes, or the epoch id is not ASCII.
    """
    return sha("fairdeal/1/commit", epoch_id, _of_32_bytes(secret, "the secret of an epoch"))


def entrant_commit(entrant: str, drawn: bytes) -> bytes:
    """Return an entrant's commitment to the 32 bytes that it drew.

    Raises:
        ValueError: they are not 32 bytes, or the entrant's name is not ASCII.
    """
    return sha("fairdeal/1/entrant-commit", entrant, _of_32_bytes(drawn, f"what {entrant} drew"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All that is fixed before the first card of an epoch.

    ``options`` holds those that the game lists (`Game.listed`) with their values, ``deals`` the fixed number
    of deals (None: a whole game), ``entrant_commits`` what `entrant_commit` gives, ascending by entrant,
    ``public`` the description of the public entropy.
    """

    epoch_id: str
    game: str
    options: Mapping[str, OptionValue]
    deals: int | None
    commitment: bytes
    scheme: str = SCHEME
    entrant_commits: tuple[bytes, ...] = ()
    public: str = NO_PUBLIC_ENTROPY
    reveal: str = REVEAL_RULE

    def fields(self) -> tuple[bytes | str, ...]:
        """Return the fields in the order in which they are hashed."""
        return (
            self.scheme,
            self.epoch_id,
            self.game,
            canonical_options(self.options),
            u32be(self.deals or 0),
            enc(*self.entrant_commits),
            self.public,
            self.reveal,
            self.commitment,
        )

    def digest(self) -> bytes:
        """Return m of the scheme.

        Raises:
            ValueError: a text is not ASCII.
        """
        return manifest_digest(*self.fields())


def canonical_options(options: Mapping[str, OptionValue]) -> str:
    """Return options as JSON with sorted names and no blanks."""
    return _JSON.encode(dict(options))


def manifest_digest(*fields: bytes | str) -> bytes:
    """Return m of the scheme for manifest fields in order."""
    return sha("fairdeal/1/manifest", *fields)


def root(secret: bytes, manifest: bytes, entrants: Mapping[str, bytes], public: bytes) -> bytes:
    """Return K of the scheme, from which every draw of an epoch follows.

    ``manifest`` is the digest, ``entrants`` maps names to the 32 bytes that each opened, ``public`` is the
    public entropy (empty if none).

    Raises:
        ValueError: an entrant's name is not ASCII.
    """
    opened = [item for entrant in sorted(entrants) for item in (entrant, entrants[entrant])]
    return mac(secret, "fairdeal/1/root", manifest, enc(*opened), public)


class Draws:
    """Uniform draws from a key, each label a stream of its own; ``used`` counts the bytes taken."""

    __slots__ = ("_block", "_key", "_label", "used")

    def __init__(self, key: bytes, label: str) -> None:
        self._key = key
        self._label = label
        self._block = b""
        self.used = 0

    def byte(self) -> int:
        """Return the next byte."""
        block, place = divmod(self.used, 32)
        if place == 0:
            self._block = mac(self._key, self._label, u32be(block))
        self.used += 1
        return self._block[place]

    def draw(self, n: int) -> int:
        """Return one of 0 .. n-1, all equally likely; n = 1 takes no byte.

        Raises:
            ValueError: n is not 1 to 256.
        """
        if not 1 <= n <= 256:
            raise ValueError(f"cannot draw one of {n}: must be one of 1 to 256")
        if n == 1:
            return 0
        # bytes from the limit on are skipped: with them the low results would come up too often
        limit = 256 - 256 % n
        byte = self.byte()
        while byte >= limit:
            byte = self.byte()
        return byte % n


def shuffle(items: Sequence[T], draws: Draws) -> tuple[T, ...]:
    """Return at most 256 items in an order that is drawn, all orders equally likely."""
    shuffled = list(items)
    for i in range(len(shuffled) - 1, 0, -1):
        j = draws.draw(i + 1)
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    return tuple(shuffled)


def deck(root: bytes, deal: int, cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the shuffled deck of a deal, which counts from 0; ``cards`` are in canonical order.

    Raises:
        ValueError: the deal is negative.
    """
    return shuffle(cards, Draws(mac(root, "fairdeal/1/deal", u32be(deal)), "fairdeal/1/stream"))


def first_seat(root: bytes, seats: int) -> Seat:
    """Return the seat that begins: the first dealer, or the first to play where nobody deals."""
    return Seat(Draws(root, "fairdeal/1/first").draw(seats))


class Epoch:
    """An epoch from the inside: its secret, what is published before play, and its draws.

    ``commitment`` and ``manifest_digest`` are hexadecimal. ``entrants`` and ``public`` are the opened
    entropy; an entrant that withheld its own counts as 32 zero bytes.

    Raises:
        DealingError: secret, manifest and entropy do not belong together.
        ValueError: a text is not ASCII, or what an entrant opened is not 32 bytes.
    """

    # not a dataclass: its repr would show the secret
    __slots__ = ("_cards", "_root", "commitment", "manifest", "manifest_digest", "secret")

    def __init__(
        self,
        secret: bytes,
        manifest: Manifest,
        cards: Sequence[Card],
        *,
        entrants: Mapping[str, bytes] = NO_ENTRANTS,
        public: bytes = b"",
    ) -> None:
        if manifest.scheme != SCHEME:
            raise DealingError(
                f"manifest: the dealing scheme is {manifest.scheme!r}, this version knows {SCHEME!r}"
            )
        if len(secret) != SECRET_BYTES:
            raise DealingError(f"secret: {len(secret)} bytes, must be {SECRET_BYTES}")
        if manifest.commitment != commit(manifest.epoch_id, secret):
            raise DealingError("manifest: its commitment is not the one to this secret in this epoch")
        _check_entropy(manifest.entrant_commits, entrants)
        digest = manifest.digest()
        self.secret = secret
        self.manifest = manifest
        self.commitment = manifest.commitment.hex()
        self.manifest_digest = digest.hex()
        self._cards = tuple(cards)
        self._root = root(secret, digest, entrants, public)

    @classmethod
    def of_match(
        cls,
        secret: bytes,
        *,
        epoch_id: str,
        game: str,
        options: Mapping[str, OptionValue],
        deals: int | None,
        cards: Sequence[Card],
    ) -> "Epoch":
        """Return the epoch of a match by itself, without outside entropy.

        Raises:
            ValueError: the secret is not 32 bytes, or a text is not ASCII.
        """
        commitment = commit(epoch_id, secret)
        manifest = Manifest(epoch_id=epoch_id, game=game, options=options, deals=deals, commitment=commitment)
        return cls(secret, manifest, cards)

    def deck(self, deal: int) -> tuple[Card, ...]:
        """Return the shuffled deck of a deal, which counts from 0.

        Raises:
            ValueError: the deal is negative.
        """
        return deck(self._root, deal, self._cards)

    def first(self, seats: int) -> Seat:
        """Return the seat that begins."""
        return first_seat(self._root, seats)


def verify(
    secret: bytes,
    manifest: Manifest,
    *,
    commitment: str,
    manifest_digest: str,
    cards: Sequence[Card],
    decks: Sequence[Sequence[Card]],
    seats: int,
    first: Seat,
    entrants: Mapping[str, bytes] = NO_ENTRANTS,
    public: bytes = b"",
) -> None:
    """Check what was published and dealt against the revealed secret.

    ``commitment`` and ``manifest_digest`` are hexadecimal, as published before play; ``decks`` are those
    dealt, from deal 0 on; ``cards`` are the game's, in canonical order.

    Raises:
        DealingError: something differs; the text names the first difference.
        ValueError: a text is not ASCII, or what an entrant opened is not 32 bytes.
    """
    epoch = Epoch(secret, manifest, cards, entrants=entrants, public=public)
    if commitment != epoch.commitment:
        raise DealingError(f"commitment: {commitment} was announced, the secret gives {epoch.commitment}")
    if manifest_digest != epoch.manifest_digest:
        raise DealingError(
            f"manifest: {manifest_digest} was announced, its fields give {epoch.manifest_digest}"
        )
    if first != epoch.first(seats):
        raise DealingError(f"first seat: {first} was announced, the secret gives {epoch.first(seats)}")
    for deal, dealt in enumerate(decks):
        given = epoch.deck(deal)
        if len(dealt) != len(given):
            raise DealingError(f"deck {deal}: {len(dealt)} cards, the secret gives {len(given)}")
        for place, (was, should_be) in enumerate(zip(dealt, given, strict=True)):
            if was != should_be:
                raise DealingError(
                    f"deck {deal}: card {place} is not {name_of(should_be)}, as the secret gives"
                )


def _check_entropy(commits: Sequence[bytes], entrants: Mapping[str, bytes]) -> None:
    if len(commits) != len(entrants):
        raise DealingError(f"entropy: {len(entrants)} entrants, the manifest holds {len(commits)}")
    for entrant, committed in zip(sorted(entrants), commits, strict=True):
        opened = entrants[entrant]
        if opened != bytes(32) and committed != entrant_commit(entrant, opened):
            raise DealingError(f"entropy: what {entrant} opened is not what it committed to")


def _ascii(text: str) -> bytes:
    if not text.isascii():
        raise ValueError(f"{text!r} is not ASCII: the dealing scheme hashes ASCII texts only")
    return text.encode("ascii")


def _of_32_bytes(value: bytes, what: str) -> bytes:
    if len(value) != 32:
        raise ValueError(f"{what} is {len(value)} bytes, must be 32")
    return value
