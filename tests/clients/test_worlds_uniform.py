"""The deals that `fairdeal.model.worlds` draws: each that fits, as often as the others.

In small cases they are counted out: every way the hidden cards may lie is played by the referee's rules, and
those that leave the seat's view as it is are the deals that fit. An ending is small by itself; earlier, a
hypothesis says where most cards are.
"""

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from itertools import combinations, groupby
from math import comb
from typing import Any, Final

import pytest
from scipy.stats import chi2

import fairdeal
from fairdeal import model
from fairdeal.bots import make
from fairdeal.testing import play
from referee.cards import ALL_CARDS, Card, Seat, cards_of
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Draft,
    DraftChoice,
    Legal,
    PlayCard,
)
from referee.games.base import check_action
from referee.games.errors import GameError
from referee.games.registry import GAMES
from tests.draws import draw, pick, shuffled

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
EACH: Final = 40 if LONG else 10
"""How often each deal is expected to be drawn."""
CASES: Final = 10 if LONG else 2


@dataclass
class Position:
    """A decision of a seat, and how it came about: the state before the deal, the deck, the answers since.

    ``held`` is a hypothesis: what other seats hold, by seat.
    """

    game: str
    options: Mapping[str, Any]
    before: Any
    deck: Sequence[Card]
    answers: list[tuple[Seat, Action]]
    state: Any
    seat: Seat
    held: Mapping[Seat, frozenset[Card]] = field(default_factory=dict)

    @property
    def decision(self) -> fairdeal.Decision:
        """Return the decision as a bot has it."""
        some = _some_decision(self.game, tuple(self.options.items()))
        match = replace(some.match, seat=int(self.seat), deals=None)
        decision = fairdeal.Decision(match, some.message, f"{self.deck}{len(self.answers)}")
        decision._view = model.State(GAMES[self.game], self.state).view(self.seat)
        return decision

    @property
    def hidden(self) -> list[Card]:
        """Return the cards that the seat has not seen and of which the hypothesis says nothing."""
        known = {ALL_CARDS[card.number - 1] for card in _cards_in(self.decision.view)}
        return [card for card in self.deck if card not in known.union(*self.held.values())]

    @property
    def phase(self) -> str:
        """Return the name of the phase."""
        return str(self.state.phase.name)

    def worlds(self, count: int) -> list[Any]:
        """Return deals that the model draws, as states of the rules."""
        held = {
            int(seat): [fairdeal.ALL_CARDS[card] for card in sorted(cards)]
            for seat, cards in self.held.items()
        }
        return [state.rules for state in model.worlds(self.decision, count, held=held)]


@cache
def _some_decision(game: str, options: tuple[tuple[str, Any], ...]) -> fairdeal.Decision:
    met: list[fairdeal.Decision] = []

    class Noting:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            met.append(decision)
            return make("random").act(decision)

    play(game, [Noting() for _ in range(GAMES[game].seats)], seed="some", deals=1, options=dict(options))
    return met[0]


def _cards_in(thing: Any) -> Iterator[fairdeal.Card]:
    if isinstance(thing, fairdeal.Card):
        yield thing
    elif is_dataclass(thing):
        for each in fields(thing):
            yield from _cards_in(getattr(thing, each.name))
    elif isinstance(thing, tuple | list):
        for one in thing:
            yield from _cards_in(one)


def positions(
    game: str, options: Mapping[str, Any], *key: object, given: Sequence[Card] = ()
) -> Iterator[Position]:
    """Yield the decisions of a game of seats that play at random; seat 1 is always dealt the cards given."""
    rules = GAMES[game]
    state = rules.new(rules.bind(options), deals=None, first=Seat(0))
    while state.result() is None:
        before, deck = state.copy(), shuffled({*rules.cards} - {*given}, state.deal_number, *key)
        deck = (*deck[: len(given)], *given, *deck[len(given) :])
        answers: list[tuple[Seat, Action]] = []
        state.deal(deck)
        while state.to_act():
            seat = state.to_act()[0]
            yield Position(game, options, before, deck, list(answers), state.copy(), seat)
            action = pick(state.legal(seat), len(answers), state.deal_number, *key)
            state.apply(seat, action)
            answers.append((seat, action))


def hand(state: Any, seat: Seat) -> frozenset[Card]:
    """Return what a seat holds."""
    return frozenset(cards_of(state.hands[seat]) or getattr(state, "kept", [()] * 4)[seat])


def where(game: str, state: Any) -> Hashable:
    """Return what each seat holds, and what it has put aside or thrown away."""
    seats = [Seat(seat) for seat in range(GAMES[game].seats)]
    piles = [getattr(GAMES[game].view(state, seat), "discarded", None) or () for seat in seats]
    aside = [frozenset(pile if isinstance(pile, tuple) else (pile,)) for pile in piles]
    return (*[hand(state, seat) for seat in seats], *aside)


def fitting(at: Position) -> Counter[Hashable]:
    """Return how many deals there are by `where` the cards lie: all are tried."""
    view = GAMES[at.game].view(at.state, at.seat)
    kept = {seat: set(cards) for seat, cards in at.held.items()}
    for seat, action in at.answers:
        if isinstance(action, PlayCard):
            kept.setdefault(seat, set()).add(action.card)
    found = {}
    piles = _piles(at)
    for spread in _spreads(frozenset(at.hidden), [len(some) for some in piles]):
        deck = list(at.deck)
        for some, cards in zip(piles, spread, strict=True):
            for place, card in zip(some, cards, strict=True):
                deck[place] = card
        begun = at.before.copy()
        begun.deal(deck)
        for chosen, state in _replayed(at, begun, kept):
            if all(cards <= hand(state, seat) for seat, cards in at.held.items()) and (
                GAMES[at.game].view(state, at.seat) == view
            ):
                found[tuple(deck), chosen] = where(at.game, state)
    return Counter(found.values())


def _piles(at: Position) -> list[list[int]]:
    """Return the places in the deck of hidden cards, by hand or pile; in any order it is the same deal."""
    piles: dict[Hashable, list[int]] = {}
    hidden = set(at.hidden)
    for place, card in enumerate(at.deck):
        if card in hidden:
            piles.setdefault(_pile(at, place), []).append(place)
    return [*piles.values()]


def _pile(at: Position, place: int) -> Hashable:
    match at.game:
        case "two_handed_spades":
            kept = place % 2 == (at.state.choices[place // 2].name != "KEEP")
            return (at.state.first + place // 2) % 2, kept
        case "euchre":
            return min(place // 5, 4)
        case "piquet" if place >= 24:
            taken = [len(done.drawn) for done in at.state.exchanges]
            return "talon", sum(place - 24 >= sum(taken[: n + 1]) for n in range(len(taken)))
        case "piquet":
            return place // 12
    return place // 13


def _ways(at: Position) -> int:
    """Return in how many ways the hidden cards may be dealt."""
    ways, left = 1, len(at.hidden)
    for pile in _piles(at):
        ways, left = ways * comb(left, len(pile)), left - len(pile)
    return ways


def _spreads(cards: frozenset[Card], sizes: Sequence[int]) -> Iterator[list[tuple[Card, ...]]]:
    if not sizes:
        yield []
        return
    for some in combinations(sorted(cards), sizes[0]):
        for rest in _spreads(cards - {*some}, sizes[1:]):
            yield [some, *rest]


def _replayed(
    at: Position, state: Any, kept: Mapping[Seat, set[Card]], done: int = 0, chosen: tuple[Action, ...] = ()
) -> Iterator[tuple[tuple[Action, ...], Any]]:
    """Yield the states to which the answers lead, each with the cards that others put aside or passed unseen.

    ``kept`` are cards that a seat certainly did not.
    """
    for number, (seat, action) in enumerate(at.answers[done:], done):
        if seat != at.seat and isinstance(action, ChooseCards | ChooseCombinations | Declare):
            for other in _others(state.legal(seat), action, kept.get(seat, set())):
                twin = state.copy()
                twin.apply(seat, other)
                more = (other,) if isinstance(other, ChooseCards) else ()
                yield from _replayed(at, twin, kept, number + 1, chosen + more)
            return
        try:
            check_action(state, seat, action)
        except GameError:
            return
        state.apply(seat, action)
    yield chosen, state


def _others(legal: Legal, action: Action, kept: set[Card]) -> Iterator[Action]:
    """Yield what may have been answered instead, for all that another seat could see."""
    match legal, action:
        case Choose(), ChooseCards(cards):
            for some in combinations([card for card in legal.cards if card not in kept], len(cards)):
                yield ChooseCards(some)
        case _, ChooseCombinations(shown):
            for added in combinations(getattr(legal, "combinations", ()), len(shown)):
                yield ChooseCombinations(added)
        case _, Declare():
            yield from getattr(legal, "actions", ())


def check(at: Position, deals: Mapping[Hashable, int]) -> None:
    """Check that the model draws the deals that fit, and each as often as the others."""
    drawn = Counter(where(at.game, state) for state in at.worlds(EACH * len(deals)))
    assert set(drawn) <= set(deals)
    means = {each: EACH * len(deals) * ways / sum(deals.values()) for each, ways in deals.items()}
    square: float = sum((drawn[each] - mean) ** 2 / mean for each, mean in means.items())
    assert square < chi2.ppf(1 - 1e-4, len(deals) - 1)


MOST: Final = 150 if LONG else 24
"""In how many ways the hidden cards of a case may be dealt."""

ENDINGS: Final[Sequence[tuple[str, Mapping[str, Any], int]]] = (
    ("hearts", {}, 0),
    ("spades", {}, 0),
    ("two_handed_spades", {}, 0),
    ("euchre", {}, 0),
    ("euchre", {"dealer_may_discard_upcard": False}, 0),
    ("piquet", {}, 0),
    ("piquet", {}, 4),  # here and below: what younger has shown, and values and tops that were told, matter
)
EARLIER: Final[Sequence[tuple[str, Mapping[str, Any], str, int]]] = (
    ("hearts", {}, "PASS", 0),
    ("hearts", {}, "PLAY", 0),
    ("spades", {"blind_nil_gap": 0}, "BLIND", 0),
    ("spades", {"blind_nil_gap": 0}, "BID", 0),
    ("spades", {}, "PLAY", 0),
    ("two_handed_spades", {}, "BID", 0),
    ("two_handed_spades", {}, "PLAY", 0),
    ("euchre", {}, "UPCARD", 0),
    ("euchre", {}, "TRUMP", 0),
    ("euchre", {}, "DISCARD", 0),
    ("euchre", {}, "ALONE", 0),
    ("euchre", {}, "PLAY", 0),
    ("euchre", {"dealer_may_discard_upcard": False}, "PLAY", 0),
    ("piquet", {}, "BLANK", 0),
    ("piquet", {}, "EXCHANGE", 0),
    ("piquet", {}, "LEFTOVERS", 0),
    ("piquet", {}, "DECLARE", 0),
    ("piquet", {}, "FURTHER", 0),
    ("piquet", {}, "PLAY", 2),
    ("piquet", {}, "PLAY", 43),
)


@pytest.mark.parametrize(("game", "options", "first"), ENDINGS)
def test_in_an_ending_each_deal_that_fits_is_drawn_as_often(
    game: str, options: Mapping[str, Any], first: int
) -> None:
    for deals, at in cases(game, options, ending, first):
        check(at, deals)


@pytest.mark.parametrize(("game", "options", "phase", "first"), EARLIER)
def test_in_earlier_phases_each_deal_that_fits_is_drawn_as_often(
    game: str, options: Mapping[str, Any], phase: str, first: int
) -> None:
    for deals, at in cases(game, options, lambda at: almost_known(at) if at.phase == phase else None, first):
        check(at, deals)


def cases(
    game: str, options: Mapping[str, Any], made: Callable[[Position], Position | None], first: int
) -> Iterator[tuple[Counter[Hashable], Position]]:
    """Yield positions of some kind, one of the first deal of a match that has any, and the deals that fit."""
    found = 0
    for number in range(first, first + 200):
        for _deal, some in groupby(positions(game, options, number), lambda at: at.state.deal_number):
            if possible := [at for each in some if (at := made(each))]:
                at = possible[draw(len(possible), number)]
                if len(deals := fitting(at)) >= 3:
                    yield deals, at
                    found += 1
                break
        if found == CASES:
            return
    raise AssertionError("too few positions")


def ending(at: Position) -> Position | None:
    """Return a position of an ending with few ways to deal the hidden cards."""
    is_late = at.phase == "PLAY" and at.state.tricks.complete and len(hand(at.state, at.seat)) <= 4
    return at if is_late and 3 <= _ways(at) <= MOST else None


def almost_known(at: Position) -> Position | None:
    """Return a position before the second trick is over, with a hypothesis that leaves few ways to deal."""
    if len(at.state.tricks.complete) > 1 or (at.phase == "PASS" and at.answers):
        return None
    others = [Seat(seat) for seat in range(GAMES[at.game].seats) if seat != at.seat]
    cards = {seat: shuffled(hand(at.state, seat), at.deck) for seat in others}
    free = dict.fromkeys(cards, 0)

    def supposed() -> Position:
        return replace(at, held={seat: frozenset(cards[seat][number:]) for seat, number in free.items()})

    for seat in others * 3:
        free[seat] += 1
        if _ways(supposed()) > MOST:
            free[seat] -= 1
    return supposed()


HEARTS: Final = ALL_CARDS[26:39]
SPADES: Final = ALL_CARDS[39:]
CLUB_ACE: Final = ALL_CARDS[12]


@pytest.mark.parametrize(
    ("game", "deal", "given"),
    [
        ("hearts", 4, HEARTS),  # thrown in the first trick; nobody passes in the fourth deal
        ("hearts", 4, (*HEARTS[:12], CLUB_ACE)),  # led before any was thrown
        ("spades", 2, SPADES),
    ],
)
def test_who_plays_what_may_not_be_played_yet_has_nothing_else(
    game: str, deal: int, given: Sequence[Card]
) -> None:
    checked = 0
    for at in positions(game, {}, given=given):
        if at.state.deal_number > deal:
            break
        own = {action.card for seat, action in at.answers if seat == 1 and isinstance(action, PlayCard)}
        is_shown = at.state.deal_number == deal and own & {*HEARTS, *SPADES}
        if is_shown and at.seat != 1 and (known := almost_known(at)):
            check(known, fitting(known))
            checked += 1
    assert checked


@pytest.mark.parametrize(("deal", "number"), [(1, 49), (2, 6)])
def test_a_blank_is_known_in_piquet(deal: int, number: int) -> None:
    """Elder's is proved at once, younger's after elder's exchange; what lay in it may have been discarded."""
    blank = [card for card in GAMES["piquet"].cards if card % 13 not in (9, 10, 11)]
    checked = 0
    for at in positions("piquet", {}, number, given=shuffled(blank, number)[:12]):
        if at.state.deal_number > deal:
            break
        is_claimed = at.state.deal_number == deal and any(each.seat == 1 for each in at.state.blanks)
        if is_claimed and at.seat == 0 and at.phase == "EXCHANGE":
            known = almost_known(at)
            assert known
            check(known, fitting(known))
            checked += 1
    assert checked


def test_a_draft_tells_nothing_of_cards_that_were_not_seen() -> None:
    """The rules ask for nothing in a draft, so that each hidden card may be anywhere."""
    for number in range(CASES):
        at = next(at for at in positions("two_handed_spades", {}, number) if len(at.answers) == 3 + number)
        hidden, other = at.hidden, Seat(1 - at.seat)
        drawn = at.worlds(EACH * len(hidden))
        for state in drawn:
            state.apply(at.seat, Draft(DraftChoice.REFUSE))
        kept = Counter(card for state in drawn for card in state.kept[other][:1])
        thrown = Counter(card for state in drawn for card in state.discarded[other][-1:])
        taken = Counter(state.kept[at.seat][-1] for state in drawn)
        for counts in (kept, thrown, taken):
            assert set(counts) <= set(hidden)
            square = sum((counts[card] - EACH) ** 2 / EACH for card in hidden)
            assert square < chi2.ppf(1 - 1e-4, len(hidden) - 1)
