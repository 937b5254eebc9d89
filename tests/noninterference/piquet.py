"""Piquet as the rules page tells it (1.2, 1.4, 1.9, A26 and A28), for the harness."""

from collections.abc import Sequence
from typing import Any, Final

from referee.cards import Card, Rank, Seat, Suit, cards, cards_of, rank_of, suit_of
from referee.games import piquet
from referee.games.actions import Action, ChooseCards, Declare, LeftoversChoice, Legal, LegalActions
from referee.games.base import Event
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.piquet.events import (
    BlankClaimed,
    BonusScored,
    CombinationsShown,
    Dealt,
    Declared,
    Exchanged,
    LeftoversSettled,
    PiquetRound,
)
from tests.choices import Choices
from tests.noninterference.adaptor import Adaptor, Fact, Observer, Swap
from tests.noninterference.piquet_words import cards_in, hand_after, said, strength
from tests.noninterference.trick_games import played, without

# what elder and younger hold for sure, where something is to be declared: for elder a repique unless younger
# has something before, or many further ones; for younger a better sequence; or both have the same
_HANDS: Final = (
    (cards("AS KS QS JS TS AH AD AC KH KD"), ()),
    (cards("AS KS QS JS AH KH AD KD AC KC"), ()),
    (cards("AS KS QS JS AH KH QH JH AD KD QD JD"), ()),
    (cards("KD QD JD"), cards("AS KS QS JS TS")),
    (cards("AS KS QS JS"), cards("AH KH QH JH")),
)
_COURTS: Final = (Rank.JACK, Rank.QUEEN, Rank.KING)


class PiquetAdaptor(Adaptor):
    """Each knows its own cards wherever they are, and what was said and shown."""

    game = piquet.GAME
    together = frozenset({"declare", "further"})

    def before(self, phase: str, chance: Choices) -> int:
        """Come to the last deal of a partie at times."""
        return chance.below(6)

    def deck(self, phase: str, state: Any, chance: Choices) -> Sequence[Card]:
        """Deal a blank, or nearly one, where blanks matter, and something to declare where that does."""
        deck = super().deck(phase, state, chance)
        elder = 1 - state.elder if state.deal_number else state.elder
        if phase in ("blank", "exchange") and chance.below(2):
            low = [c for c in deck if rank_of(c) not in _COURTS]
            return dealt_for_sure(deck, chance.below(2), low[: 11 + chance.below(2)])
        if phase in ("declare", "further", "play") and chance.below(2):
            return dealt_for_sure(deck, elder, *chance.one(_HANDS))
        return deck

    def choose(self, phase: str, state: Any, seat: Seat, legal: Legal, chance: Choices) -> Action:
        """Keep strong hands together where something is to be declared, and declare something as a rule."""
        action = chance.action(legal)
        if phase not in ("declare", "further", "play"):
            return action
        if isinstance(action, ChooseCards):
            weak = [c for c in action.cards if rank_of(c) < Rank.TEN]
            return ChooseCards(tuple(weak)) if weak else action
        return chance.action(legal) if action == Declare(None) else action

    def facts(self, event: Event, observer: Observer, past: Sequence[Event]) -> tuple[Fact, ...]:
        """Return what the tables of 1.2, 1.4 and 1.9 let an observer see."""
        dealt = past[0] if past else event
        assert isinstance(dealt, Dealt)
        match event:
            case Dealt(_, _, hands):
                return () if observer is None else (("dealt", *sorted(hands[observer])),)
            case BlankClaimed(seat):
                # elder proves at once, younger when elder has exchanged
                proved = seat == dealt.elder or any(isinstance(earlier, Exchanged) for earlier in past)
                return (("blank", seat, *(sorted(dealt.hands[seat]) if proved else ())),)
            case Exchanged(seat, discarded, drawn, looked):
                own = (("cards", sorted(discarded), drawn, looked),) if seat == observer else ()
                return (("exchanged", seat, len(discarded)), *own)
            case LeftoversSettled(choice):
                drawn_of = [earlier.drawn for earlier in past if isinstance(earlier, Exchanged)]
                revealed = without(dealt.talon, *drawn_of) if choice == LeftoversChoice.REVEAL else []
                return (("left over", choice, tuple(revealed)),)
            case Declared(in_round, combination):
                own_word = (("combination", combination),) if observer == dealt.elder else ()
                return (("said", in_round, *said(past, in_round, combination)), *own_word)
            case CombinationsShown(seat, in_round, combinations):
                if not _may_show(past, seat, in_round):
                    return ()
                hand = hand_after(past, seat)
                return tuple(("shown", seat, in_round, c, cards_in(hand, c)) for c in sorted(combinations))
            case CardPlayed(seat, c):
                return (("played", seat, c),)
            case BonusScored() | TrickTaken() | DealScored():
                return ()  # these follow from what was shown and played
        raise TypeError(f"nothing is known of {event!r}")

    def groups(self, past: Sequence[Event], observer: Observer) -> Sequence[Sequence[Card]]:
        """Return all cards neither seen nor shown, and each other hand: what of it was drawn is hidden."""
        own: set[Card] = set()
        public: set[Card] = set()
        others = []
        for number, event in enumerate(past):
            if isinstance(event, Exchanged) and event.seat != observer:
                others.append(event.seat)
            for fact in self.facts(event, observer, past[:number]):
                match fact:
                    case ("dealt", *dealt):
                        own.update(dealt)
                    case ("cards", _, drawn, looked):
                        own.update(drawn, looked)
                    case ("left over", _, revealed):
                        public.update(revealed)
                    case ("shown", _, _, _, shown):
                        public.update(shown)
                    case ("played", _, c):
                        public.add(c)
        unknown = without(self.game.cards, own, public)
        # within a suit, since most other exchanges change what the dialogue says
        suits = [[c for c in unknown if suit_of(c) == suit] for suit in Suit]
        return [unknown, *suits, *(without(hand_after(past, seat), own) for seat in others)]

    def mapped(self, action: Action, state: Any, seat: Seat, swap: Swap) -> Action:
        """Return the declaration of the same words, or else the nearest, of which not all need be said."""
        if not isinstance(action, Declare) or action.combination is None:
            return super().mapped(action, state, seat, swap)
        now = cards_of(state.hands[seat])
        before = [swap.deck.get(c, c) for c in now]
        legal = state.legal(seat)
        assert isinstance(legal, LegalActions)
        length, height = strength(before, action.combination)

        def difference(other: Declare) -> tuple[bool, bool, bool]:
            assert other.combination is not None
            found = strength(now, other.combination)
            return found[0] != length, found[1] != height, other != action

        others = [a for a in legal.actions if isinstance(a, Declare) and a.combination is not None]
        return min(others, key=difference, default=action)


def _may_show(past: Sequence[Event], seat: Seat, in_round: PiquetRound) -> bool:
    """Return whether a seat may show combinations of a round: elder good ones, younger once elder has led."""
    dealt = past[0]
    assert isinstance(dealt, Dealt)
    declared = next(event for event in past if isinstance(event, Declared) and event.round == in_round)
    answer = said(past, in_round, declared.combination)[-1]
    if seat == dealt.elder:
        return answer == "good"
    return answer in ("nothing", "not good") and bool(played(past))


def dealt_for_sure(
    deck: Sequence[Card], seat: int, own: Sequence[Card], others: Sequence[Card] = ()
) -> Sequence[Card]:
    """Return a deck of the same cards in which a seat and the other one are dealt some for sure."""
    rest = without(deck, own, others)
    hand = [*own, *rest[: 12 - len(own)]]
    other = [*others, *without(rest, hand)[: 12 - len(others)]]
    hands = [hand, other] if seat == 0 else [other, hand]
    return [*hands[0], *hands[1], *without(deck, *hands)]
