"""Two-handed spades as the rules page tells it (1.7, A2, A3 and A15), for the harness."""

from collections.abc import Sequence

from referee.cards import Card, Seat
from referee.games.base import Event
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.registry import GAMES
from referee.games.two_handed_spades.rules import Dealt, Drafted
from tests.noninterference.adaptor import Adaptor, Fact, Observer
from tests.noninterference.trick_games import played, without


class TwoHandedSpadesAdaptor(Adaptor):
    """Each knows the two cards of each of its own turns, the first before it decides, the second after."""

    game = GAMES["two_handed_spades"]

    def facts(self, event: Event, observer: Observer, past: Sequence[Event]) -> tuple[Fact, ...]:
        """Return what the table of 1.7 lets an observer see."""
        match event:
            case Dealt():
                return self._offered([event], observer)
            case Drafted(seat, choice, kept, discarded):
                own: tuple[Fact, ...] = (("kept", kept, "discarded", discarded),) if seat == observer else ()
                return (("drafted", seat, choice), *own, *self._offered([*past, event], observer))
            case BidMade(seat, tricks):
                return (("bid", seat, tricks),)
            case CardPlayed(seat, c):
                return (("played", seat, c),)
            case TrickTaken() | DealScored():
                return ()  # these follow from the bids and the plays
        raise TypeError(f"nothing is known of {event!r}")

    @staticmethod
    def _offered(past: Sequence[Event], observer: Observer) -> tuple[Fact, ...]:
        """Return the top card of the stock when the observer is to keep or refuse it."""
        dealt = past[0]
        assert isinstance(dealt, Dealt)
        turns = len(past) - 1
        if turns < 26 and observer is not None and (dealt.first + turns) % 2 == observer:
            return (("offered", dealt.stock[2 * turns]),)
        return ()

    def groups(self, past: Sequence[Event], observer: Observer) -> Sequence[Sequence[Card]]:
        """Return all cards neither seen nor played, and what each other seat kept, its turns being hidden."""
        dealt = past[0]
        assert isinstance(dealt, Dealt)
        turns = [event for event in past if isinstance(event, Drafted)]
        seen = [c for turn in turns if turn.seat == observer for c in (turn.kept, turn.discarded)]
        seen += [c for word, c in self._offered(past[: len(turns) + 1], observer) if len(turns) < 26]
        kept = [
            [turn.kept for turn in turns if turn.seat == seat]
            for seat in (Seat(0), Seat(1))
            if seat != observer
        ]
        return [without(dealt.stock, seen, played(past)), *kept]
