"""Hearts as the rules page tells it (1.7, A1 and A16), for the harness."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee.cards import Card, Seat, card, cards, holds, rank_of
from referee.games.actions import Action, Choose, ChooseCards, Legal, LegalActions, PlayCard
from referee.games.base import Event
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.hearts.rules import CardsPassed, Dealt, MoonChosen, PassDirection
from referee.games.registry import GAMES
from tests.choices import Choices
from tests.noninterference.adaptor import Adaptor, Fact, Observer
from tests.noninterference.trick_games import played, without

_SEATS_ON: Final[Mapping[PassDirection, int]] = {
    PassDirection.LEFT: 1,
    PassDirection.RIGHT: 3,
    PassDirection.ACROSS: 2,
}
# with these a seat takes every heart: it wins a club lead, draws the spades and then the hearts
_MOON: Final = cards("AC AS KS QS AH KH QH JH TH 9H")


class HeartsAdaptor(Adaptor):
    """Each knows its own cards, what it gave and to whom, and what it got and from whom."""

    game = GAMES["hearts"]

    def options(self, phase: str, chance: Choices) -> Mapping[str, object]:
        """Play every variant, but let the shooter choose where its choice is wanted."""
        return {
            "jack_of_diamonds": bool(chance.below(2)),
            "any_heart_breaks": bool(chance.below(2)),
            "moon": "choose" if phase == "moon" else chance.one(("choose", "add", "subtract")),
        }

    def before(self, phase: str, chance: Choices) -> int:
        """Pass where the moon is wanted: in a deal without, nothing is hidden by then."""
        return chance.below(3 if phase == "moon" else 4)

    def deck(self, phase: str, state: Any, chance: Choices) -> Sequence[Card]:
        """Deal a seat a hand that shoots the moon where that is wanted."""
        if phase != "moon":
            return super().deck(phase, state, chance)
        rest = chance.shuffled(without(self.game.cards, _MOON))
        place = 13 * chance.below(4)
        return [*rest[:place], *_MOON, *rest[place:]]

    def choose(self, phase: str, state: Any, seat: Seat, legal: Legal, chance: Choices) -> Action:
        """Let the seat with the hand for the moon cash it, and all others stay below it."""
        if phase != "moon":
            return chance.action(legal)
        if isinstance(legal, Choose):
            return ChooseCards(tuple(chance.some(without(legal.cards, _MOON), 3)))
        assert isinstance(legal, LegalActions)
        plays = [action.card for action in legal.actions if isinstance(action, PlayCard)]
        if not plays:
            return chance.action(legal)
        if holds(state.hands[seat], card("AS")) or state.points[seat] > 0:
            return PlayCard(min(plays, key=lambda c: (c != card("QS"), c not in _MOON, -rank_of(c))))
        return PlayCard(min(plays, key=rank_of))

    def facts(self, event: Event, observer: Observer, past: Sequence[Event]) -> tuple[Fact, ...]:
        """Return what the table of 1.7 lets an observer see."""
        match event:
            case Dealt(_, _, hands):
                return () if observer is None else (("dealt", *sorted(hands[observer])),)
            case CardsPassed(direction, passed):
                if observer is None:
                    return ()
                on = _SEATS_ON[direction]
                return (("gave", *sorted(passed[observer])), ("got", *sorted(passed[(observer - on) % 4])))
            case CardPlayed(seat, c):
                return (("played", seat, c),)
            case MoonChosen(seat, choice):
                return (("moon", seat, choice),)
            case TrickTaken() | DealScored():
                return ()  # these follow from the plays and the choice
        raise TypeError(f"nothing is known of {event!r}")

    def groups(self, past: Sequence[Event], observer: Observer) -> Sequence[Sequence[Card]]:
        """Return the others' unplayed cards, and of each other seat all cards: what was passed is hidden."""
        dealt = past[0]
        assert isinstance(dealt, Dealt)
        hands = [list(hand) for hand in dealt.hands]
        known: tuple[Card, ...] = () if observer is None else dealt.hands[observer]
        for event in past:
            if isinstance(event, CardsPassed):
                on = _SEATS_ON[event.direction]
                for seat, gone in enumerate(event.passed):
                    hands[seat] = without(hands[seat], gone) + list(event.passed[(seat - on) % 4])
        others = [without(hand, known) for seat, hand in enumerate(hands) if seat != observer]
        on_hand = without([c for hand in others for c in hand], played(past))
        if dealt.direction == PassDirection.NONE:
            return [on_hand]
        return [on_hand, on_hand, on_hand, *others]

    def turn_is_hidden(self, past: Sequence[Event]) -> bool:
        """Return whether the two of clubs is still to be led: who holds it is not said before."""
        return not played(past)
