"""Euchre as the rules page tells it (1.8, A7 and A19), for the harness."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.cards import Card, Seat
from referee.games import euchre
from referee.games.actions import Action, CallUpcard, Legal, LegalActions, UpcardCall
from referee.games.base import Event
from referee.games.euchre.events import AloneChosen, Dealt, PickedUp, TrumpCalled, UpcardCalled
from referee.games.events import CardPlayed, DealScored, TrickTaken
from tests.choices import Choices
from tests.noninterference.adaptor import Adaptor, Fact, Observer
from tests.noninterference.trick_games import played, without

_FLAGS = (
    "stick_the_dealer",
    "defenders_may_go_alone",
    "maker_partner_may_go_alone",
    "dealer_may_discard_upcard",
)


class EuchreAdaptor(Adaptor):
    """Each knows its own cards and the upcard, the dealer what it put aside."""

    game = euchre.GAME

    def options(self, phase: str, chance: Choices) -> Mapping[str, object]:
        """Play every variant."""
        return {name: bool(chance.below(3)) for name in _FLAGS}

    def choose(self, phase: str, state: Any, seat: Seat, legal: Legal, chance: Choices) -> Action:
        """Turn the upcard down where another trump is to be named."""
        called = CallUpcard(UpcardCall.PASS)
        turns_down = phase == "trump" and isinstance(legal, LegalActions) and called in legal.actions
        return called if turns_down else chance.action(legal)

    def facts(self, event: Event, observer: Observer, past: Sequence[Event]) -> tuple[Fact, ...]:
        """Return what the table of 1.8 lets an observer see."""
        match event:
            case Dealt(_, _, hands, upcard):
                own: tuple[Card, ...] = () if observer is None else hands[observer]
                return (("dealt", *sorted(own)), ("upcard", upcard))
            case UpcardCalled(seat, call) | TrumpCalled(seat, call):
                return (("called", seat, call),)
            case PickedUp(seat, discarded):
                return (("picked up", seat), *([("aside", discarded)] if seat == observer else []))
            case AloneChosen(seat, choice):
                return (("alone", seat, choice),)
            case CardPlayed(seat, c):
                return (("played", seat, c),)
            case TrickTaken() | DealScored():
                return ()  # these follow from the calls and the plays
        raise TypeError(f"nothing is known of {event!r}")

    def groups(self, past: Sequence[Event], observer: Observer) -> Sequence[Sequence[Card]]:
        """Return all cards neither seen nor played, and what the dealer chose from to put a card aside."""
        dealt = past[0]
        assert isinstance(dealt, Dealt)
        own: tuple[Card, ...] = () if observer is None else dealt.hands[observer]
        unknown = without(self.game.cards, own, (dealt.upcard,), played(past))
        taken = any(isinstance(event, PickedUp) for event in past) and dealt.dealer != observer
        return [unknown, unknown, [*dealt.hands[dealt.dealer], dealt.upcard]] if taken else [unknown]
