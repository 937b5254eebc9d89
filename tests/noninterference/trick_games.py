"""What the adaptors of games with tricks share."""

from collections.abc import Iterable, Sequence

from referee.cards import Card
from referee.games.base import Event
from referee.games.events import CardPlayed


def without(cards: Iterable[Card], *others: Iterable[Card]) -> list[Card]:
    """Return cards in their order, less the others."""
    gone = {c for other in others for c in other}
    return [c for c in cards if c not in gone]


def played(past: Sequence[Event]) -> set[Card]:
    """Return the cards played so far."""
    return {event.card for event in past if isinstance(event, CardPlayed)}
