"""What holds for every game, at random positions of random matches."""

from dataclasses import astuple
from typing import Any

import pytest

from fairdeal.v1 import actions_pb2
from referee.cards import ALL_CARDS, Rank, Seat, Suit, cards
from referee.codec.proto import fill_action
from referee.games.actions import (
    NOTHING,
    Action,
    Alone,
    AloneChoice,
    Bid,
    Blank,
    BlankChoice,
    Blind,
    BlindChoice,
    CallTrump,
    CallUpcard,
    Choose,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Draft,
    DraftChoice,
    Leftovers,
    LeftoversChoice,
    LegalActions,
    Moon,
    MoonChoice,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from referee.games.base import Game, check_action
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.errors import BadAction, BadOption
from referee.games.events import DealScored
from referee.games.registry import GAMES
from tests.draws import pick
from tests.games.conftest import GameTable

COMBINATIONS: tuple[Combination, ...] = (
    *(PointCombination(suit) for suit in Suit),
    *(SequenceCombination(suit, top, 3) for suit in Suit for top in Rank if top >= Rank.NINE),
    *(SetCombination(rank, count) for rank in Rank if rank >= Rank.TEN for count in (3, 4)),
)
ACTIONS: tuple[Action, ...] = (
    *(PlayCard(c) for c in ALL_CARDS),
    *(Bid(tricks) for tricks in range(-1, 15)),
    *(Draft(choice) for choice in DraftChoice),
    *(Moon(choice) for choice in MoonChoice),
    *(Blind(choice) for choice in BlindChoice),
    *(CallUpcard(call) for call in UpcardCall),
    *(CallTrump(call) for call in TrumpCall),
    *(Alone(choice) for choice in AloneChoice),
    *(Blank(choice) for choice in BlankChoice),
    *(Leftovers(choice) for choice in LeftoversChoice),
    *(Declare(combination) for combination in (None, *COMBINATIONS)),
    *(ChooseCombinations(some) for some in ((), COMBINATIONS[:1], COMBINATIONS[:1] * 2, COMBINATIONS)),
    *(ChooseCards(cards(names)) for names in ("", "2C", "2C 3C 4C", "2C 2C 3C", "5D 9H KS", "2C 3C 4C 5C")),
)

every_game = pytest.mark.parametrize("name", GAMES)

EXTENDED_PARTIE = 8
"""The most deals of piquet, which has no option for it: six, and two more after a tie."""


def most_deals(game: Game[Any]) -> Any:
    """Return after how many deals a game ends by default, whatever the scores."""
    return game.bind({}).get("max_deals", EXTENDED_PARTIE)


def ending(game: Game[Any], *, late: bool) -> dict[str, object]:
    """Return the options that end a game by its scores as late, or as soon, as may be."""
    bounds = {option.name: (option.minimum, option.maximum) for option in game.options}
    last = {"target": 1, "floor": 0}
    return {name: bounds[name][last[name] if late else 1 - last[name]] for name in last if name in bounds}


def order(action: Action) -> tuple[Any, ...]:
    """Return what a legal list is sorted by; a declaration of nothing comes first."""
    values = astuple(action)
    return () if values == (None,) else values


def everything(match: Any) -> Any:
    """Return all that can be seen of a match from outside."""
    state = match.state
    seats = range(match.game.seats)
    return (
        state.phase,
        state.deal_number,
        state.needs_deck,
        state.to_act(),
        state.result(),
        [match.view(seat) for seat in (None, *seats)],
        [state.legal(Seat(seat)) for seat in seats],
    )


@every_game
def test_the_facts_of_a_game_agree(name: str, table: type[GameTable]) -> None:
    game = GAMES[name]
    assert sorted(seat for side in game.sides for seat in side) == list(range(game.seats))
    assert list(game.cards) == sorted(game.cards)
    assert game.title and game.summary.endswith(".")
    assert game.always_listed <= {option.name for option in game.options}
    phases = type(table(game).state.phase)
    assert list(game.phases) == [phase.name.lower() for phase in phases]
    assert all(default.endswith(".") for default in game.phases.values())


@every_game
def test_each_decision_is_answered_as_the_facts_say(name: str, table: type[GameTable]) -> None:
    match, found = table(GAMES[name], deals=30), set()
    while match.state.result() is None:
        match.step("answers")
        for seat in match.state.to_act():
            message, action = actions_pb2.Action(), pick(match.legal(seat))
            fill_action(message, action)
            found.add((match.state.phase.name.lower(), message.WhichOneof("kind")))
    # a phase that random play seldom reaches has its answer checked wherever it is reached
    assert found <= set(GAMES[name].answers.items())
    assert len({phase for phase, _ in found}) >= min(2, len(GAMES[name].phases))
    assert list(GAMES[name].answers) == list(GAMES[name].phases)


@every_game
def test_defaults_are_within_the_bounds_of_their_options(name: str) -> None:
    for option in GAMES[name].options:
        assert option.problem(option.default) is None
        assert option.help.endswith(".")


@every_game
def test_options_out_of_bounds_are_refused(name: str) -> None:
    game = GAMES[name]
    for option in game.options:
        wrong: list[object] = [None, "nonsense"]
        if option.kind == "number":
            assert option.minimum is not None and option.maximum is not None
            wrong += [option.minimum - 1, option.maximum + 1, True]
            assert game.bind({option.name: option.minimum})[option.name] == option.minimum
            assert game.bind({option.name: option.maximum})[option.name] == option.maximum
        for value in wrong:
            with pytest.raises(BadOption, match=option.name):
                game.bind({option.name: value})


@every_game
def test_legal_lists_are_sorted_unique_and_for_those_who_act(name: str, table: type[GameTable]) -> None:
    for key in range(3):
        match = table(GAMES[name], deals=3)
        while match.state.result() is None:
            match.step("legal", key)
            to_act = match.state.to_act()
            assert bool(to_act) is not (match.state.needs_deck or match.state.result() is not None)
            assert list(to_act) == sorted(set(to_act))
            for seat in range(match.game.seats):
                legal = match.legal(seat)
                if seat not in to_act:
                    assert legal == NOTHING
                elif isinstance(legal, LegalActions):
                    values = [order(action) for action in legal.actions]
                    assert values and values == sorted(set(values))
                else:
                    some = legal.cards if isinstance(legal, Choose) else legal.combinations
                    assert list(some) == sorted(set(some))
                    assert 0 <= legal.minimum <= legal.maximum <= len(some)


@every_game
def test_what_is_not_legal_is_refused_and_changes_nothing(name: str, table: type[GameTable]) -> None:
    for steps in (1, 2, 3, 20, 30, 40, 50):
        match = table(GAMES[name]).walk(steps, "illegal")
        before = everything(match)
        for seat in range(match.game.seats):
            legal = match.legal(seat)
            for action in ACTIONS:
                if isinstance(legal, LegalActions):
                    if action in legal.actions:
                        continue
                elif isinstance(action, ChooseCards if isinstance(legal, Choose) else ChooseCombinations):
                    continue  # what may be chosen is tested with its game
                with pytest.raises(BadAction):
                    check_action(match.state, Seat(seat), action)
        assert everything(match) == before


@every_game
def test_default_actions_are_legal_and_take_a_match_to_its_end(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name])
    while match.state.result() is None:
        match.step("decks") if match.state.needs_deck else match.default_out()
    assert match.state.deal_number <= most_deals(match.game)


@every_game
def test_a_default_action_depends_on_the_view_and_the_legal_actions_only(
    name: str, table: type[GameTable]
) -> None:
    match, again = (table(GAMES[name]).walk(30, "default") for _ in range(2))
    seat = match.state.to_act()[0]
    view, legal = match.view(seat), match.legal(seat)
    before = everything(match)
    assert match.game.default(view, legal) == again.game.default(again.view(seat), again.legal(seat))
    assert everything(match) == before


@every_game
def test_every_match_ends_and_then_nobody_acts(name: str, table: type[GameTable]) -> None:
    for key in range(2):
        match = table(GAMES[name])
        while match.state.result() is None:
            assert match.state.deal_number <= most_deals(match.game)
            match.step("whole", key)
        assert match.state.to_act() == ()
        assert not match.state.needs_deck
        assert [match.state.legal(Seat(s)) for s in range(match.game.seats)] == [NOTHING] * match.game.seats
        last = match.events[-1]
        assert isinstance(last, DealScored)
        result = match.state.result()
        if name != "piquet":  # whose result is the settlement of the partie
            assert result.scores == last.totals
        best = min(last.totals) if match.game.low_wins else max(last.totals)
        assert [rank == 1 for rank in result.ranks] == [total == best for total in last.totals]


@every_game
def test_totals_are_the_sum_of_the_points_of_the_deals(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name])
    while match.state.result() is None:
        match.step("totals")
    scored = [event for event in match.events if isinstance(event, DealScored)]
    assert [event.deal for event in scored] == list(range(1, len(scored) + 1))
    for i, event in enumerate(scored):
        points = [earlier.points for earlier in scored[: i + 1]]
        assert event.totals == tuple(sum(column) for column in zip(*points, strict=True))


@every_game
@pytest.mark.parametrize("deals", [1, 2, 5, 9])
def test_a_fixed_number_of_deals_is_played_whatever_the_scores(
    name: str, deals: int, table: type[GameTable]
) -> None:
    cap = {"max_deals": 1} if "max_deals" in GAMES[name].bind({}) else {}
    match = table(GAMES[name], deals=deals, **ending(GAMES[name], late=False), **cap)
    while match.state.result() is None:
        match.step("fixed")
    assert match.state.deal_number == deals
    assert not match.state.result().capped
    assert match.state.result().scores == match.events[-1].totals  # of piquet too: no settlement


@pytest.mark.parametrize("name", [name for name in GAMES if "max_deals" in GAMES[name].bind({})])
@pytest.mark.parametrize("max_deals", [1, 3])
def test_max_deals_caps_a_game(name: str, max_deals: int, table: type[GameTable]) -> None:
    match = table(GAMES[name], max_deals=max_deals, **ending(GAMES[name], late=True))
    while match.state.result() is None:
        match.step("capped")
    assert match.state.deal_number == max_deals
    assert match.state.result().capped


@every_game
def test_the_same_inputs_give_the_same_match(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name], deals=5)
    while match.state.result() is None:
        match.step("again")
    again = match.replayed()
    assert again.events == match.events
    assert everything(again) == everything(match)


@every_game
def test_deal_numbers_count_from_one(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name], deals=3)
    assert (match.state.deal_number, match.state.needs_deck, match.state.to_act()) == (0, True, ())
    for deal in (1, 2, 3):
        match.step("count")
        assert (match.state.deal_number, match.view(None).deal) == (deal, deal)
        assert not match.state.needs_deck
        match.play_out("count")


@every_game
def test_every_view_tells_its_phase_its_seat_and_the_cards_held(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name]).walk(20, "fields")
    for seat in (None, *map(Seat, range(match.game.seats))):
        view = match.view(seat)
        assert (view.phase, view.seat) == (match.state.phase, seat)
        assert isinstance(view.hand, tuple)


@every_game
def test_views_and_events_are_immutable_values(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name]).walk(60, "values")
    for seat in (None, *range(match.game.seats)):
        hash(match.view(seat))
        assert all(hash(event) == hash(event) for event in match.told(seat))
    assert not any(hasattr(event, "__dict__") for event in match.events)


@every_game
def test_an_event_that_no_projection_provides_for_is_told_to_nobody(name: str) -> None:
    for seat in (None, Seat(0)):
        with pytest.raises(TypeError, match=f"{name} has no projection of str"):
            GAMES[name].project("a hand", seat)


@every_game
def test_the_public_holds_no_cards(name: str, table: type[GameTable]) -> None:
    for steps in (1, 10, 30, 50):
        view = table(GAMES[name]).walk(steps, "public").view(None)
        assert view.seat is None
        assert view.hand == ()
