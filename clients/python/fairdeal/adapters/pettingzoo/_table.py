"""A match of the referee that is played step by step, without sessions, clocks and faults."""

from collections.abc import Sequence

from fairdeal import _decode
from fairdeal.actions import Legal
from fairdeal.adapters._matches import Variant
from fairdeal.v1 import play_service_pb2
from fairdeal.views import View
from referee.cards import Seat
from referee.codec import proto
from referee.dealing.keys import SeededKeys
from referee.games.actions import Choose, ChooseCards, ChooseCombinations, LegalActions
from referee.games.base import Result, State
from referee.match.clock import Micros
from referee.match.messages import Decision


class EnvMatch:
    """One match; its deals follow from the keys and its number."""

    def __init__(self, variant: Variant, keys: SeededKeys, number: int) -> None:
        game = self._game = variant.game
        _setup, self._deals = variant.match(keys, number)
        self._state: State = game.new(
            variant.options, deals=variant.deals, first=self._deals.first(game.seats)
        )
        self._deal()

    @property
    def turn(self) -> int:
        """Return the seat that is asked, the first of several."""
        return self._state.to_act()[0]

    @property
    def result(self) -> Result | None:
        """Return the result once the match is over."""
        return self._state.result()

    def told(self, seat: int) -> tuple[View, Legal]:
        """Return all that a seat knows, as it would be sent to its bot, and its legal answers."""
        legal, view = self._state.legal(Seat(seat)), self._game.view(self._state, Seat(seat))
        decision = Decision(
            match_id="",
            decision_id=1,
            sequence=0,
            move_time=Micros(0),
            bank=Micros(0),
            legal=legal,
            view=view,
        )
        sent = proto.encode(decision)
        message = play_service_pb2.Update.FromString(sent).decision
        decoded = _decode.view(message.view)
        assert decoded is not None, "the referee's games are known"
        return decoded, _decode.legal(message.legal)

    def answer(self, seat: int, places: Sequence[int]) -> None:
        """Take a seat's answer, as positions among its legal answers."""
        legal = self._state.legal(Seat(seat))
        if isinstance(legal, LegalActions):
            action = legal.actions[places[0]]
        elif isinstance(legal, Choose):
            action = ChooseCards(tuple([legal.cards[place] for place in places]))
        else:
            action = ChooseCombinations(tuple([legal.combinations[place] for place in places]))
        self._state.apply(Seat(seat), action)
        self._deal()

    def _deal(self) -> None:
        while self._state.needs_deck and self._state.result() is None:
            self._state.deal(self._deals.deck(self._state.deal_number))
