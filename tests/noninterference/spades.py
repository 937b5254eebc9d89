"""Spades as the rules page tells it (1.7, A4 and A5), for the harness."""

from collections.abc import Mapping, Sequence

from referee.cards import Card
from referee.games import spades
from referee.games.base import Event, State
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.options import Options, number
from referee.games.spades.rules import Dealt, Looked, SpadesState
from tests.choices import Choices
from tests.noninterference.adaptor import Adaptor, Fact, Observer
from tests.noninterference.trick_games import played, without


class SpadesAdaptor(Adaptor):
    """Each knows its own cards; one that may bid blind does not, until it has declined or done so."""

    game = spades.GAME
    together = frozenset({"blind", "bid"})

    def options(self, phase: str, chance: Choices) -> Mapping[str, object]:
        """Let sides bid blind often, or both of them."""
        gaps = (0, 0, 20) if phase == "blind" else (0, 20, 200)
        return {"blind_nil_gap": chance.one(gaps)}

    def opens_rightly(self, event: Event, state: State, options: Options) -> bool:
        """Work out from the scores which sides may bid blind (1.3)."""
        assert isinstance(event, Dealt) and isinstance(state, SpadesState)
        behind = (state.scores[1] - state.scores[0], state.scores[0] - state.scores[1])
        gap = number(options, "blind_nil_gap")
        return event.blind_sides == tuple(side for side in (0, 1) if behind[side] >= gap)

    def facts(self, event: Event, observer: Observer, past: Sequence[Event]) -> tuple[Fact, ...]:
        """Return what the table of 1.7 lets an observer see."""
        match event:
            case Dealt():
                return (("sees", *sorted(self._own([event], observer))),)
            case Looked(seat):
                return (("looked", seat), ("sees", *sorted(self._own([*past, event], observer))))
            case BidMade(seat, tricks, blind):
                return (("bid", seat, tricks, blind),)
            case CardPlayed(seat, c):
                return (("played", seat, c),)
            case TrickTaken() | DealScored():
                return ()  # these follow from the bids and the plays
        raise TypeError(f"nothing is known of {event!r}")

    @staticmethod
    def _own(past: Sequence[Event], observer: Observer) -> Sequence[Card]:
        """Return the cards dealt to an observer, none while it may bid blind and has not looked."""
        dealt = past[0]
        assert isinstance(dealt, Dealt)
        looked = {event.seat for event in past if isinstance(event, Looked)}
        if observer is None or (observer % 2 in dealt.blind_sides and observer not in looked):
            return ()
        return dealt.hands[observer]

    def groups(self, past: Sequence[Event], observer: Observer) -> Sequence[Sequence[Card]]:
        """Return all cards neither seen nor played."""
        return [without(self.game.cards, self._own(past, observer), played(past))]
