"""The play and the score of a deal in which spades are always trump, shared by the spades games.

Spades are broken by a spade that is played to another suit; one that is led, or that follows a spade, breaks
nothing.
"""

from abc import abstractmethod
from collections.abc import Sequence
from operator import add
from typing import Final

from referee.cards import CARD_MASKS, SUIT_MASKS, Card, Hand, Seat, Suit, cards_of
from referee.games.actions import SUIT_PLAYS, LegalActions, plays
from referee.games.bags import settle
from referee.games.base import Event, State, finish
from referee.games.events import CARDS_PLAYED, TRICKS_TAKEN, DealScored
from referee.games.options import Options, number, word
from referee.games.tricks import TrickPlay

HAND_SIZE: Final = 13
_SPADES: Final = SUIT_MASKS[Suit.SPADES]
_NO_SPADES: Final = ~_SPADES
_EACH_SPADE: Final = frozenset(cards_of(_SPADES))


def legal_lead(hand: Hand, broken: bool) -> Hand:
    """Return the cards that may be led: no spades before they are broken, unless there is nothing else."""
    return (not broken and hand & _NO_SPADES) or hand


def breaks(c: Card, led: Suit | None) -> bool:
    """Return whether a card breaks spades, given the suit that was led before it, None if it leads itself."""
    return c in _EACH_SPADE and led not in (None, Suit.SPADES)


class SpadePlayState(State):
    """A state of a spades game, as far as the play and the score of a deal go.

    ``hands`` and ``taken``, which counts tricks, are by seat, ``scores`` and ``bags`` by side.
    """

    __slots__ = (
        "_bag_limit",
        "_bag_penalty",
        "_deals",
        "_failed_nil_tricks",
        "_max_deals",
        "_nil_points",
        "_target",
        "bags",
        "broken",
        "deal_number",
        "hands",
        "needs_deck",
        "scores",
        "taken",
        "tricks",
    )

    deal_number: int
    needs_deck: bool
    hands: list[Hand]
    tricks: TrickPlay
    taken: list[int]
    broken: bool

    def __init__(self, options: Options, *, deals: int | None) -> None:
        self._target = number(options, "target")
        self._nil_points = number(options, "nil_points")
        self._bag_limit = number(options, "bag_limit")
        self._bag_penalty = number(options, "bag_penalty")
        self._failed_nil_tricks = word(options, "failed_nil_tricks")
        self._max_deals = number(options, "max_deals")
        self._deals = deals
        self._due, self._result = (), None
        self.deal_number = 0
        self.needs_deck = True
        self.scores: tuple[int, ...] = (0, 0)
        self.bags: tuple[int, ...] = (0, 0)

    def legal_play(self, seat: Seat) -> LegalActions:
        """Lead no spade before they are broken, unless there is nothing else; follow suit if able."""
        hand, tricks = self.hands[seat], self.tricks
        if same := hand & tricks.led_cards:
            return SUIT_PLAYS[same]
        return plays(hand if tricks.cards else legal_lead(hand, self.broken))

    def apply_play(self, seat: Seat, c: Card) -> list[Event]:
        """Play a card; take the trick when it is complete, and end the deal with the thirteenth."""
        tricks = self.tricks
        if not self.broken and c in _EACH_SPADE:
            self.broken = breaks(c, tricks.led)
        self.hands[seat] ^= CARD_MASKS[c]
        trick = tricks.play(c)
        winner = tricks.turn
        self._due = (winner,)
        if trick is None:
            return [CARDS_PLAYED[seat][c]]
        self.taken[winner] += 1
        events: list[Event] = [CARDS_PLAYED[seat][c], TRICKS_TAKEN[winner]]
        if len(tricks.complete) == HAND_SIZE:
            events.append(self._score())
        return events

    def _score(self) -> DealScored:
        """Score the deal that is over and end the match if it is decided."""
        points, bags = [], []
        for held, (gained, over) in zip(self.bags, self._gains(), strict=True):
            cost, kept = settle(held + over, limit=self._bag_limit, penalty=self._bag_penalty)
            points.append(gained + cost)
            bags.append(kept)
        self.bags = tuple(bags)
        self.scores = tuple(map(add, self.scores, points))
        self._result = finish(
            self.scores,
            low_wins=False,
            played=self.deal_number,
            decided=self._is_decided(),
            deals=self._deals,
            max_deals=self._max_deals,
        )
        self.needs_deck, self._due = self._result is None, ()
        return DealScored(self.deal_number, tuple(points), self.scores, self.bags)

    @abstractmethod
    def _gains(self) -> Sequence[tuple[int, int]]:
        """Return the points of each side in the deal that is over, before any bag penalty, and its bags."""

    @abstractmethod
    def _is_decided(self) -> bool:
        """Return whether the scores end the match."""
