"""Actions: the answers a seat can give, shared by all games, and the choices they come from.

Legal actions are listed in the order of their values on the wire: cards in canonical order, bids from low
to high, choices as their enum numbers them.
"""

from enum import IntEnum
from typing import Final

from referee.cards import ALL_CARDS, EMPTY, Card, Hand, cards_of, holds
from referee.games.combinations import Combination
from referee.values import value_class


class MoonChoice(IntEnum):
    """What a hearts player who shot the moon does with the 26 points."""

    SUBTRACT = 1
    ADD = 2


class DraftChoice(IntEnum):
    """What a two-handed spades player does with the card it looks at."""

    KEEP = 1
    REFUSE = 2


class BlindChoice(IntEnum):
    """What a spades player entitled to bid blind does."""

    NIL = 1
    LOOK = 2


class UpcardCall(IntEnum):
    """A call in the first round of euchre."""

    ACCEPT = 1
    PASS = 2


class TrumpCall(IntEnum):
    """A call in the second round of euchre."""

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4
    PASS = 5


class AloneChoice(IntEnum):
    """Whether a euchre player plays without its partner."""

    ALONE = 1
    TOGETHER = 2


class BlankChoice(IntEnum):
    """Whether a piquet player claims a blank."""

    CLAIM = 1
    DECLINE = 2


class LeftoversChoice(IntEnum):
    """What the younger piquet hand does with the cards left over."""

    REVEAL = 1
    LEAVE = 2


@value_class
class PlayCard:
    """Play one card to the trick."""

    card: Card


@value_class
class Bid:
    """Declare a number of tricks; 0 is nil."""

    tricks: int


@value_class
class Draft:
    """Keep or refuse the card just looked at."""

    choice: DraftChoice


@value_class
class Moon:
    """Choose how a moon is scored."""

    choice: MoonChoice


@value_class
class ChooseCards:
    """Choose several cards (a hearts pass, a discard, an exchange); their order says nothing."""

    cards: tuple[Card, ...]


@value_class
class Blind:
    """Bid nil without having looked, or look."""

    choice: BlindChoice


@value_class
class CallUpcard:
    """Accept the upcard as trump or pass."""

    choice: UpcardCall


@value_class
class CallTrump:
    """Name trump or pass."""

    choice: TrumpCall


@value_class
class Alone:
    """Play alone or together."""

    choice: AloneChoice


@value_class
class Blank:
    """Claim a blank or do not."""

    choice: BlankChoice


@value_class
class Leftovers:
    """Reveal the cards left over or leave them."""

    choice: LeftoversChoice


@value_class
class Declare:
    """Declare one combination, or with None nothing."""

    combination: Combination | None


@value_class
class ChooseCombinations:
    """Choose further combinations to declare; their order says nothing."""

    combinations: tuple[Combination, ...]


Action = (
    PlayCard
    | Bid
    | Draft
    | Moon
    | ChooseCards
    | Blind
    | CallUpcard
    | CallTrump
    | Alone
    | Blank
    | Leftovers
    | Declare
    | ChooseCombinations
)


class LegalActions:
    """A list of ``count`` actions to choose one from, sorted and without doubles.

    Most decisions are plays of a card: these are a set of ``cards``, and a list only when somebody looks.
    """

    __slots__ = ("_actions", "cards", "count")
    __match_args__ = ("actions",)

    def __init__(self, actions: tuple[Action, ...] = (), cards: Hand = EMPTY) -> None:
        self._actions = actions
        self.cards = cards
        self.count = cards.bit_count() or len(actions)

    @property
    def actions(self) -> tuple[Action, ...]:
        """Return the actions in order."""
        if self.cards and not self._actions:
            self._actions = tuple([_BY_CARD[c] for c in cards_of(self.cards)])
        return self._actions

    def __len__(self) -> int:
        return self.count

    def __contains__(self, action: object) -> bool:
        if self.cards:
            return type(action) is PlayCard and action.card >= 0 and holds(self.cards, action.card)
        return action in self._actions

    def at(self, index: int) -> Action | None:
        """Return the action at a position, from 0; None where there is none."""
        if not 0 <= index < self.count:
            return None
        if self._actions:
            return self._actions[index]
        cards, above = self.cards, self.count - 1 - index
        if above < index:
            for _ in range(above):
                cards ^= 1 << cards.bit_length() - 1  # without the highest
            return _BY_CARD[cards.bit_length() - 1]
        for _ in range(index):
            cards &= cards - 1  # without the lowest
        return _BY_CARD[(cards & -cards).bit_length() - 1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LegalActions):
            return NotImplemented
        return self.cards == other.cards if self.cards and other.cards else self.actions == other.actions

    def __hash__(self) -> int:
        return hash(self.actions)

    def __repr__(self) -> str:
        return f"LegalActions(actions={self.actions!r})"


class _Choice:
    """A choice of several, which is answered by naming what is chosen."""

    __slots__ = ()

    def at(self, index: int) -> None:
        """Return that there is no action at any position."""


@value_class
class Choose(_Choice):
    """A choice of ``minimum`` to ``maximum`` of the given cards, too many to list."""

    cards: tuple[Card, ...]
    minimum: int
    maximum: int


@value_class
class ChooseFurther(_Choice):
    """A choice of ``minimum`` to ``maximum`` of the given combinations; there may be none to choose."""

    combinations: tuple[Combination, ...]
    minimum: int
    maximum: int


Legal = LegalActions | Choose | ChooseFurther

NOTHING: Final = LegalActions(())
"""What is legal for a seat that is not to act."""


_BY_CARD: Final = tuple(PlayCard(c) for c in ALL_CARDS)


class _KeptPlays(dict[Hand, LegalActions]):
    """Legal lists that play one of some cards, each made when it is first asked for."""

    def __missing__(self, cards: Hand) -> LegalActions:
        made = self[cards] = LegalActions(tuple([_BY_CARD[c] for c in cards_of(cards)]), cards)
        return made


SUIT_PLAYS: Final = _KeptPlays()
"""The same as `plays`, kept, by the cards: for cards of one suit, of which there are some 33,000 sets."""

_new: Final = object.__new__

_FEW: Final = 2
"""Of so many cards the lists are kept, too, whichever suits they are of: some 1,300."""


def plays(cards: Hand) -> LegalActions:
    """Return the legal list that plays one of some cards, of whichever suits."""
    count = cards.bit_count()
    if count <= _FEW:
        return SUIT_PLAYS[cards]
    made = _new(LegalActions)  # as `LegalActions((), cards)`, in half the time
    made._actions, made.cards, made.count = (), cards, count
    return made
