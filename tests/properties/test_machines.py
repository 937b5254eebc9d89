"""State machines: any decks, any options, legal actions mixed with wrong ones, in every game.

After each step the legal actions, the places of the cards and the ways to and from the wire and the record
are looked at. A match that is left is played to the end of its deal, and then once more from its inputs.
"""

import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any, ClassVar, Final

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Card, Seat, cards_of
from referee.codec.json import from_tagged, tagged
from referee.codec.proto.actions import action_of, fill_action
from referee.codec.proto.updates import encode
from referee.games.actions import (
    NOTHING,
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    LegalActions,
)
from referee.games.base import Event, Game, State, check_action, check_deck
from referee.games.errors import BadAction, BadDeck, IllegalAction, MalformedAction, NotYourDecision
from referee.games.options import Options, number
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.messages import Decision, Happened
from tests.properties.conftest import Inputs, KeyedMatch
from tests.wire_reader import read, read_legal

ACTIONS_A_DEAL: Final = {"hearts": 57, "two_handed_spades": 54, "spades": 60, "euchre": 32, "piquet": 34}
"""The most actions that a deal takes; the deals of a match are bounded by ``max_deals``."""


def most_deals(options: Options) -> int:
    """Return after how many deals a game ends, whatever the scores; in piquet after six, or two more."""
    return number(options, "max_deals") if "max_deals" in options else 8


every_game = pytest.mark.parametrize("name", GAMES)


def chosen(action: Action) -> tuple[Any, ...]:
    if isinstance(action, ChooseCards):
        return action.cards
    return action.combinations if isinstance(action, ChooseCombinations) else ()


def turned_round(action: Action) -> Action:
    """Return the same action, with what it chooses in the opposite order."""
    if isinstance(action, ChooseCards):
        return ChooseCards(action.cards[::-1])
    return ChooseCombinations(chosen(action)[::-1]) if isinstance(action, ChooseCombinations) else action


def expected_error(state: State, seat: Seat, action: Action) -> type[BadAction] | None:
    """Return the error that an action of a seat must meet, None when it is legal."""
    if seat not in state.to_act():
        return NotYourDecision
    if len(set(chosen(action))) < len(chosen(action)):
        return MalformedAction
    legal = state.legal(seat)
    if isinstance(legal, LegalActions):
        return None if action in legal.actions else IllegalAction
    pool: tuple[Any, ...] = legal.cards if isinstance(legal, Choose) else legal.combinations
    fits = isinstance(action, ChooseCards if isinstance(legal, Choose) else ChooseCombinations)
    enough = legal.minimum <= len(chosen(action)) <= legal.maximum
    return None if fits and enough and set(chosen(action)) <= set(pool) else IllegalAction


def out_of_hands(name: str, deck: Sequence[Card], events: Sequence[Event]) -> list[Card]:
    """Return the cards of a deal that are in no hand and no trick, going by what truly happened."""

    def happened(kind: str) -> list[Any]:
        return [event for event in events if type(event).__name__ == kind]

    match name:
        case "two_handed_spades":
            drafted = happened("Drafted")
            return [event.discarded for event in drafted] + list(deck[2 * len(drafted) :])
        case "euchre":
            taken = any(event.call.name == "ACCEPT" for event in happened("UpcardCalled"))
            aside = [event.discarded for event in happened("PickedUp")]
            return [*deck[21:], *aside, *(() if taken else deck[20:21])]
        case "piquet":
            exchanges = happened("Exchanged")
            gone = [c for event in exchanges for c in event.discarded]
            return gone + list(deck[24 + len(gone) :])
    return []


def wire_order(action: Action) -> tuple[Any, ...]:
    """Return what a legal list is sorted by; a declaration of nothing comes first."""
    values = astuple(action)
    return () if values == (None,) else values


def everything(game: Game[Any], state: State) -> tuple[Any, ...]:
    """Return all that a match is, as everybody sees it and as it lies in memory."""
    views = [game.view(state, seat) for seat in (None, *map(Seat, range(game.seats)))]
    return state.to_act(), state.result(), views, pickle.dumps(state)


class MatchMachine(RuleBasedStateMachine):
    """One match of a game. ``phases`` collects those in which somebody was to act, over all runs."""

    game: ClassVar[Game[Any]]
    make: ClassVar[Any]
    phases: ClassVar[set[str]]

    def __init__(self) -> None:
        super().__init__()
        self.inputs: list[tuple[Seat | None, Any]] = []
        self.events: list[Event] = []
        self.deal_began = 0  # the event with which the deal in play began
        self.actions = 0  # of the deal in play
        self.known: set[Any] = set()  # what was seen to come back from wire and record

    @initialize(data=st.data(), deals=st.none() | st.integers(1, 5))
    def begin(self, data: st.DataObject, deals: int | None) -> None:
        self.options = self.game.bind(data.draw(self.make.options(self.game)))
        self.deals = deals
        self.first = Seat(data.draw(st.integers(0, self.game.seats - 1)))
        self.state = self.new()

    def new(self) -> State:
        state: State = self.game.new(self.options, deals=self.deals, first=self.first)
        return state

    def needs_deck(self) -> bool:
        return self.state.needs_deck

    def in_play(self) -> bool:
        return bool(self.state.to_act())

    def give(self, seat: Seat | None, given: Any) -> None:
        """Give a deck, or an action of a seat, through the checked doors."""
        if seat is None:
            check_deck(self.game, given)
            happened = self.state.deal(given)
            self.deal_began, self.actions = len(self.events), 0
        else:
            check_action(self.state, seat, given)
            twin = pickle.loads(pickle.dumps(self.state))
            happened = self.state.apply(seat, given)
            assert twin.apply(seat, turned_round(given)) == happened  # the order of a choice says nothing
            self.actions += 1
        self.inputs.append((seat, given))
        self.events += happened
        for event in happened:
            self.comes_back(event)
            for to in (None, *map(Seat, range(self.game.seats))):
                if (told := self.game.project(event, to)) is not None:
                    sent = pb.Update.FromString(encode(Happened("m", 1, told))).happened.event
                    assert read(type(told), getattr(sent, sent.WhichOneof("kind"))) == told

    def comes_back(self, value: Any) -> None:
        """Check that an event or an action can be read from its line in a record."""
        if value not in self.known:
            line = json.loads(json.dumps(tagged(value)))
            assert from_tagged([type(value)], line) == value
            self.known.add(value)

    @precondition(needs_deck)
    @rule(data=st.data())
    def deal(self, data: st.DataObject) -> None:
        self.give(None, tuple(data.draw(self.make.decks(self.game))))

    @precondition(needs_deck)
    @rule(data=st.data(), fault=st.sampled_from(("doubled", "missing", "foreign", "one too many")))
    def deal_wrong(self, data: st.DataObject, fault: str) -> None:
        deck = data.draw(self.make.decks(self.game))
        place = data.draw(st.integers(0, len(deck) - 1))
        match fault:
            case "doubled":
                deck[place] = deck[place - 1]
            case "missing":
                del deck[place]
            case "foreign":
                deck[place] = Card(52)
            case "one too many":
                deck.insert(place, deck[0])
        self.refused(BadDeck, lambda: check_deck(self.game, deck))

    @precondition(in_play)
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.state.to_act()))
        self.give(seat, self.make.pick(self.state.legal(seat), data.draw(st.integers(0, 999))))

    @precondition(in_play)
    @rule(steps=st.sampled_from((3, 9, 30, 60)), key=st.integers(0, 999))
    def play_on(self, steps: int, key: int) -> None:
        for _ in range(steps):
            if to_act := self.state.to_act():
                number = len(self.inputs)
                seat = to_act[self.make.draw(len(to_act), key, number)]
                self.give(seat, self.make.pick(self.state.legal(seat), key, number))
                self.look()

    @rule(data=st.data())
    def act_wrong(self, data: st.DataObject) -> None:
        seat = Seat(data.draw(st.integers(-1, self.game.seats)))
        action = data.draw(self.make.likely_wrong(self.state))
        if error := expected_error(self.state, seat, action):
            self.refused(error, lambda: check_action(self.state, seat, action))

    def refused(self, error: type[Exception], door: Callable[[], None]) -> None:
        """Check that an entry point refuses what is given, and that this changes nothing."""
        before = everything(self.game, self.state)
        with pytest.raises(error) as caught:
            door()
        assert caught.type is error and "\n" not in str(caught.value)
        assert everything(self.game, self.state) == before

    @invariant()
    def look(self) -> None:
        self.look_at_legal_actions()
        self.look_at_cards()
        assert self.actions <= ACTIONS_A_DEAL[self.game.name]
        assert self.state.deal_number <= (self.deals or most_deals(self.options))

    def look_at_legal_actions(self) -> None:
        state, to_act = self.state, self.state.to_act()
        assert bool(to_act) is not (state.needs_deck or state.result() is not None)
        assert list(to_act) == sorted(set(to_act))
        for seat in map(Seat, range(self.game.seats)):
            legal, view = state.legal(seat), self.game.view(state, seat)
            if seat not in to_act:
                assert legal == NOTHING
                continue
            self.phases.add(view.phase.name.lower())
            put = Decision("m", 1, 0, Micros(0), Micros(0), legal, view)
            decision = pb.Update.FromString(encode(put)).decision
            assert read(type(view), getattr(decision.view, self.game.name)) == view
            assert read_legal(decision.legal) == legal
            if isinstance(legal, LegalActions):
                order = [wire_order(action) for action in legal.actions]
                assert order and order == sorted(set(order))
                some = legal.actions
            else:
                pool = legal.cards if isinstance(legal, Choose) else legal.combinations
                assert [*pool] == sorted(set(pool))
                assert 0 <= legal.minimum <= legal.maximum <= len(pool)
                some = (self.make.pick(legal, self.actions),)
            for action in {*some, self.game.default(view, legal)}:
                assert expected_error(state, seat, action) is None
                self.survives(action)

    def survives(self, action: Action) -> None:
        """Check that an action is the same after it was sent, and after it was recorded."""
        if action not in self.known:
            message = actions_pb2.Action()
            fill_action(message, action)
            received = action_of(actions_pb2.Action.FromString(message.SerializeToString()))
            assert type(received) is type(action)
            assert sorted(chosen(received)) == sorted(chosen(action))
            assert chosen(action) or received == action
            self.comes_back(action)

    def look_at_cards(self) -> None:
        if self.state.deal_number == 0:
            return
        state: Any = self.state
        deck = next(given for seat, given in reversed(self.inputs) if seat is None)
        held = [c for hand in state.hands for c in cards_of(hand)]
        tricks = [*state.tricks.complete, *filter(None, [state.tricks.current])]
        played = [c for trick in tricks for c in trick.cards]
        aside = out_of_hands(self.game.name, deck, self.events[self.deal_began :])
        assert sorted([*held, *played, *aside]) == list(self.game.cards)

    def teardown(self) -> None:
        if self.inputs:
            while self.state.to_act():
                self.play_on(1, 0)
            self.play_again()

    def play_again(self) -> None:
        """Check that the same inputs give the same match."""
        again, events = self.new(), list[Event]()
        for seat, given in self.inputs:
            events += again.deal(given) if seat is None else again.apply(seat, given)
        assert events == self.events
        assert everything(self.game, again)[:-1] == everything(self.game, self.state)[:-1]


@every_game
def test_a_match_keeps_its_promises_whatever_it_is_given(name: str, inputs: type[Inputs]) -> None:
    class Machine(MatchMachine):
        game = GAMES[name]
        make = inputs
        phases: ClassVar[set[str]] = set()

    run_state_machine_as_test(Machine, settings=inputs.profile(8, stateful_step_count=40))
    assert Machine.phases == set(Machine.game.phases)  # else the promises were not looked at everywhere


@every_game
@pytest.mark.parametrize("deals", [None, 3], ids=["a whole game", "three deals"])
def test_every_match_ends_within_its_bound(name: str, deals: int | None, played: type[KeyedMatch]) -> None:
    last = {option.name: option.maximum for option in GAMES[name].options}
    late = {"target": last["target"], "max_deals": 20} if "max_deals" in last else {}
    for key in range(3):
        match = played(GAMES[name], "bound", key, deals=deals, **late)
        played_deals = list(match.deals())
        assert len(played_deals) <= (deals or most_deals(match.options))
        assert match.state.result() is not None
        assert match.state.to_act() == () and not match.state.needs_deck
        assert all(deal.actions <= ACTIONS_A_DEAL[name] for deal in played_deals)
