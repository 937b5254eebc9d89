"""A position of a deal under the referee's rules, in the SDK's cards and answers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fairdeal import _decode
from fairdeal.actions import (
    Alone,
    Answer,
    Bid,
    Blank,
    Blind,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Draft,
    Leftovers,
    Legal,
    Moon,
    Noted,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from fairdeal.cards import Card
from fairdeal.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from fairdeal.errors import BadSetting
from fairdeal.v1 import actions_pb2, views_pb2
from fairdeal.views import View
from referee import cards as their_cards
from referee.codec.proto.actions import legal_bytes
from referee.codec.proto.fields import fill, member
from referee.codec.proto.updates import view_field
from referee.games import actions as theirs
from referee.games import base, combinations
from referee.games.errors import GameError
from referee.games.events import DealScored

Draw = Callable[[int], int]
"""Draws one of 0 .. n-1, as ``decision.chance.draw`` and ``random.randrange`` do."""


class State:
    """One deal in progress, all cards known; what one does to it concerns no other state.

    ``points`` are what the deal brought each side, None until it is over; in hearts few are good.
    """

    __slots__ = ("_game", "_state", "points")

    def __init__(self, game: base.Game[Any], state: base.State) -> None:
        self._game = game
        self._state = state
        self.points: tuple[int, ...] | None = None

    @property
    def rules(self) -> base.State:
        """Return the state of the referee's rules behind this one, whose insides may change at any time.

        What is applied to it shows here too, but not in ``points``.
        """
        return self._state

    def copy(self) -> "State":
        """Return a state of its own that goes on from here."""
        twin = State(self._game, self._state.copy())
        twin.points = self.points
        return twin

    def to_act(self) -> tuple[int, ...]:
        """Return the seats that decide next, none once the deal is over."""
        return self._state.to_act() if self.points is None else ()

    def legal(self, seat: int) -> Legal:
        """Return what a seat may answer, as ``decision.legal`` has it; an empty list if it is not to act."""
        message = actions_pb2.Legal.FromString(legal_bytes(self._state.legal(their_cards.Seat(seat))))
        return _decode.legal(message)

    def view(self, seat: int) -> View:
        """Return what a seat knows here, as ``decision.view`` has it.

        Raises:
            BadSetting: there is no such seat.
        """
        if seat not in range(self._game.seats):
            raise BadSetting(f"there is no seat {seat!r}: seats are 0 to {self._game.seats - 1}")
        seen = self._game.view(self._state, their_cards.Seat(seat))
        kind: Any = type(seen)
        message = views_pb2.View()
        fill(member(message, view_field(kind)), seen)
        view = _decode.view(message)
        assert view is not None  # our own rules have no game that the SDK does not know
        return view

    def result(self) -> tuple[int, ...] | None:
        """Return the scores by side if the deal ended the match, else None."""
        ended = self._state.result()
        return None if ended is None else ended.scores

    def apply(self, answer: Answer, seat: int | None = None) -> None:
        """Have a seat answer, by default the one to act.

        Raises:
            BadSetting: the deal is over, several seats are to act and none is named, or the answer is not
                legal; the state is as it was.
        """
        if self.points is not None:
            raise BadSetting("the deal is over: nobody is to act")
        due = self.to_act()
        if seat is None:
            if len(due) != 1:
                raise BadSetting(f"seats {list(due)} are to act: name the seat that answers")
            (seat,) = due
        try:
            self._play(their_cards.Seat(seat), action_of(answer))
        except GameError as error:
            raise BadSetting(f"seat {seat} cannot answer {answer!r} here: {error}") from None

    def play_out(self, draw: Draw) -> tuple[int, ...]:
        """Play the deal to its end at random and return its points by side.

        Raises:
            BadSetting: ``draw(n)`` gave none of 0 .. n-1.
        """
        state, events = self._state, []
        while due := state.to_act():
            seat = due[0]
            legal = state.legal(seat)
            if isinstance(legal, theirs.LegalActions):
                action = legal.at(draw(legal.count) if legal.count > 1 else 0)
                if action is None:
                    raise BadSetting(f"draw({legal.count}) must give one of 0 to {legal.count - 1}")
            else:
                action = _random(legal, draw)
            events = state.apply(seat, action)
        self._note(events)
        assert self.points is not None  # the deal is over
        return self.points

    def _play(self, seat: their_cards.Seat, action: theirs.Action) -> None:
        """Carry out an action of the referee's rules.

        Raises:
            GameError: it is not legal; the state is as it was.
        """
        base.check_action(self._state, seat, action)
        self._note(self._state.apply(seat, action))

    def _note(self, events: list[Any]) -> None:
        if events and type(events[-1]) is DealScored:
            self.points = events[-1].points


def start(
    game: base.Game[Any], options: Any, *, deals: int | None, deal: int, kept: Mapping[str, Any]
) -> base.State:
    """Return the state of a match before one of its deals, given the attributes that it has then."""
    state: base.State = game.new(options, deals=deals, first=their_cards.Seat(0))
    state.take_up(deal, **kept)
    return state


def check_kept(game: base.Game[Any], options: Any, kept: Mapping[str, Any]) -> None:
    """Check the attributes that a state has before a deal.

    Raises:
        GameError: one of them is no seat, or has not as many numbers as the game has there.
    """
    fresh = game.new(options, deals=None, first=their_cards.Seat(0))
    for name, value in kept.items():
        if not isinstance(value, tuple):
            if value not in range(game.seats):
                raise GameError(f"{name} is no seat: {value}")
        elif len(value) != len(getattr(fresh, name)):
            raise GameError(f"{name} are {len(getattr(fresh, name))} numbers, not {len(value)}")


def _random(legal: theirs.Choose | theirs.ChooseFurther, draw: Draw) -> theirs.Action:
    left: list[Any] = list(legal.cards if isinstance(legal, theirs.Choose) else legal.combinations)
    count = legal.minimum + draw(legal.maximum - legal.minimum + 1)
    chosen = tuple([left.pop(draw(len(left))) for _ in range(count)])
    return (
        theirs.ChooseCards(chosen) if isinstance(legal, theirs.Choose) else theirs.ChooseCombinations(chosen)
    )


def their_card(card: Card) -> their_cards.Card:
    """Return a card as the referee's rules have it."""
    return their_cards.ALL_CARDS[card.number - 1]


_CHOICES: Final[Mapping[type, Callable[[int], theirs.Action]]] = {
    Draft: lambda n: theirs.Draft(theirs.DraftChoice(n)),
    Moon: lambda n: theirs.Moon(theirs.MoonChoice(n)),
    Blind: lambda n: theirs.Blind(theirs.BlindChoice(n)),
    UpcardCall: lambda n: theirs.CallUpcard(theirs.UpcardCall(n)),
    TrumpCall: lambda n: theirs.CallTrump(theirs.TrumpCall(n)),
    Alone: lambda n: theirs.Alone(theirs.AloneChoice(n)),
    Blank: lambda n: theirs.Blank(theirs.BlankChoice(n)),
    Leftovers: lambda n: theirs.Leftovers(theirs.LeftoversChoice(n)),
}

_PLAYS: Final = tuple([theirs.PlayCard(card) for card in their_cards.ALL_CARDS])


def action_of(answer: Any) -> theirs.Action:
    """Return an answer as an action of the referee's rules.

    Raises:
        BadSetting: it is no answer.
    """
    if type(answer) is Card:
        return _PLAYS[answer.number - 1]
    if (make := _CHOICES.get(type(answer))) and answer.value:
        return make(answer.value)
    match answer:
        case Noted(answer=bare):
            return action_of(bare)
        case PlayCard(card):
            return _PLAYS[card.number - 1]
        case Bid(tricks):
            return theirs.Bid(tricks)
        case ChooseCards(some):
            return theirs.ChooseCards(tuple(map(their_card, some)))
        case ChooseCombinations(some):
            return theirs.ChooseCombinations(tuple(map(their_combination, some)))
        case Declare(combination):
            return theirs.Declare(None if combination is None else their_combination(combination))
        case PointCombination() | SequenceCombination() | SetCombination():
            return theirs.Declare(their_combination(answer))
        case tuple() | list() if all(isinstance(each, Card) for each in answer):
            return theirs.ChooseCards(tuple(map(their_card, answer)))
        case tuple() | list() if all(isinstance(each, Combination) for each in answer):
            return theirs.ChooseCombinations(tuple(map(their_combination, answer)))
    raise BadSetting(f"{answer!r} is no answer")


def their_combination(ours: Combination) -> combinations.Combination:
    """Return a combination as the referee's rules have it."""
    match ours:
        case PointCombination(suit):
            return combinations.PointCombination(their_cards.Suit(suit - 1))
        case SequenceCombination(suit, top, length):
            return combinations.SequenceCombination(
                their_cards.Suit(suit - 1), their_cards.Rank(top - 2), length
            )
        case SetCombination(rank, count):
            return combinations.SetCombination(their_cards.Rank(rank - 2), count)
