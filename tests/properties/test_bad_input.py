"""Bad decks and bad answers in every game: refused as documented, through a match too, and nothing else."""

import copy
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import ALL_CARDS, Card, Rank, Seat, Suit, cards, suit_of
from referee.core.access import Trusting
from referee.core.core import Core
from referee.games.actions import (
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
    ChooseFurther,
    Declare,
    Draft,
    DraftChoice,
    Leftovers,
    LeftoversChoice,
    Legal,
    LegalActions,
    Moon,
    MoonChoice,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from referee.games.base import check_deck
from referee.games.combinations import PointCombination, SequenceCombination, SetCombination
from referee.games.errors import BadDeck
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.effects import Effect, MatchSetup, Tell
from referee.match.faults import Fault, FaultPolicy, Termination
from referee.match.match import Match
from referee.match.messages import (
    Closed,
    CloseReason,
    Commitment,
    Decision,
    Finished,
    Happened,
    Index,
    Malformed,
    Reason,
    Refused,
)
from tests.properties.conftest import Inputs

CLOCK = ClockSettings(move=100, bank=50, increment=7, lag=10, lag_cap=15, start=1_000)

every_game = pytest.mark.parametrize("name", GAMES)


# Decks


def doubled(deck: list[Card]) -> Sequence[Any]:
    return [*deck[:-1], deck[0]]


def missing(deck: list[Card]) -> Sequence[Any]:
    return deck[1:]


def one_more(deck: list[Card]) -> Sequence[Any]:
    return [*deck, deck[3]]


def foreign(deck: list[Card]) -> Sequence[Any]:
    return [*deck[1:], Card(52)]


def below_zero(deck: list[Card]) -> Sequence[Any]:
    return [*deck[1:], Card(-1)]


def of_another_game(deck: list[Card]) -> Sequence[Any]:
    return ALL_CARDS if len(deck) < 52 else [c for c in deck if c % 13 >= 7]


def empty(deck: list[Card]) -> Sequence[Any]:
    return ()


bad_decks = pytest.mark.parametrize(
    "spoil", [doubled, missing, one_more, foreign, below_zero, of_another_game, empty]
)
Spoil = Callable[[list[Card]], Sequence[Any]]


@every_game
@bad_decks
def test_a_bad_deck_is_refused_and_its_cards_are_named(name: str, spoil: Spoil) -> None:
    game = GAMES[name]
    bad = spoil(list(game.cards))
    with pytest.raises(BadDeck) as caught:
        check_deck(game, bad)
    wrong = set(bad) ^ set(game.cards) or {c for c in bad if list(bad).count(c) > 1}
    assert all(str(c) in str(caught.value) for c in wrong)
    assert "\n" not in str(caught.value)


# Through a match


class Dealer:
    """Deals decks that are a function of a key, sorted by suit if that is odd; one may be spoilt."""

    commitment = Commitment(
        scheme="fairdeal/1", epoch_id="m-1.1", commit=bytes(32), manifest=bytes(32), repeatable=True
    )
    secret = bytes(32)

    def __init__(self, name: str, inputs: Any, key: int, *, spoil: Spoil | None = None, at: int = 0) -> None:
        self._cards = GAMES[name].cards
        self._inputs = inputs
        self._key = key
        self._spoil = spoil
        self._at = at

    def deck(self, deal: int) -> tuple[Card, ...]:
        deck = list(self._inputs.shuffled(self._cards, self._key, deal))
        if self._key % 2:
            deck.sort(key=suit_of)
        return tuple(self._spoil(deck) if self._spoil and deal == self._at else deck)

    def first(self, seats: int) -> Seat:
        return Seat(0)


class Sitting:
    """A match at its table; ``open`` are the decisions that are put, by seat."""

    def __init__(
        self, name: str, inputs: Any, dealer: Any, *, deals: int | None = None, **options: object
    ) -> None:
        self.game = GAMES[name]
        self.inputs = inputs
        self.seats = [Seat(seat) for seat in range(self.game.seats)]
        self.setup = MatchSetup(
            match_id="m-1",
            game=name,
            options=self.game.bind(options),
            deals=deals,
            entries=tuple("abcd"[: self.game.seats]),
            clock=CLOCK,
            faults=FaultPolicy(),
        )
        self.match = Match(self.setup, self.game, dealer)
        self.open: dict[Seat, Decision] = {}
        self.match.start(0)

    def begin(self) -> "Sitting":
        """Take every seat, with which the first deal begins."""
        for seat in self.seats:
            self.match.back(seat, 0)
            self.tell(self.match.ready(seat, 0))
        return self

    def answer(self, seat: Seat, given: Any) -> list[Any]:
        """Answer a seat's decision; return what all seats are told, each with its seat."""
        return self.tell(self.match.answer(seat, self.open[seat].decision_id, given, 0))

    def tell(self, effects: list[Effect]) -> list[Any]:
        """Record what a step of the match tells, and return it."""
        told = [(effect.seat, effect.update) for effect in effects if isinstance(effect, Tell)]
        for seat, update in told:
            if isinstance(update, Decision):
                self.open[seat] = update
            elif isinstance(update, Closed):
                del self.open[seat]
        return told

    def play_on(self, key: int, *, until: Callable[[Decision], bool]) -> bool:
        """Play until such a decision is put; tell whether there was one within 300 answers."""
        for number in range(300):
            if not self.open:
                return False
            seat = min(self.open)
            if until(self.open[seat]):
                return True
            self.answer(seat, self.inputs.pick(self.open[seat].legal, key, number))
        return False

    def twin(self) -> "Sitting":
        """Return the same match, to be gone on with otherwise."""
        other = copy.copy(self)
        other.open = dict(self.open)
        other.match = copy.deepcopy(self.match, {id(self.setup): self.setup, id(self.game): self.game})
        return other


def position(name: str, phase: str, inputs: Any) -> Sitting:
    """Return a match that has come to a phase."""
    options = {"blind_nil_gap": 0} if name == "spades" else {}
    for key in range(60):
        sitting = Sitting(name, inputs, Dealer(name, inputs, key), **options).begin()
        if sitting.play_on(key, until=lambda decision: decision.view.phase.name.lower() == phase):
            return sitting
    raise AssertionError(f"{name} never came to {phase}")


OF_ALL_GAMES: Final[tuple[Action, ...]] = (
    *(PlayCard(c) for c in (*ALL_CARDS, Card(52), Card(-1))),
    *(Bid(tricks) for tricks in (-1, 0, 13, 14)),
    *(Draft(choice) for choice in DraftChoice),
    *(Moon(choice) for choice in MoonChoice),
    *(Blind(choice) for choice in BlindChoice),
    *(CallUpcard(call) for call in UpcardCall),
    *(CallTrump(call) for call in TrumpCall),
    *(Alone(choice) for choice in AloneChoice),
    *(Blank(choice) for choice in BlankChoice),
    *(Leftovers(choice) for choice in LeftoversChoice),
    *(Declare(PointCombination(suit)) for suit in Suit),
    *(Declare(SequenceCombination(suit, Rank.ACE, length)) for suit in Suit for length in (2, 3, 4, 8)),
    *(
        Declare(SetCombination(rank, count))
        for rank in (Rank.NINE, Rank.TEN, Rank.ACE)
        for count in (2, 3, 4)
    ),
    Declare(None),
)


def misfits(legal: Legal) -> list[tuple[Any, Reason]]:
    """Return answers to a decision that must be refused, with the reason that must be given."""
    wrong: list[Any] = [Index(-1), Index(2**31)]
    malformed: list[Any] = [Malformed("no kind"), ChooseCards((ALL_CARDS[7],) * 2)]
    point = PointCombination(Suit.CLUBS)
    malformed.append(ChooseCombinations((point, SetCombination(Rank.ACE, 3), point)))
    if isinstance(legal, LegalActions):
        wrong += [action for action in OF_ALL_GAMES if action not in legal.actions]
        wrong += [
            Index(len(legal.actions)),
            ChooseCards(()),
            ChooseCards(ALL_CARDS[:1]),
            ChooseCombinations(()),
        ]
    elif isinstance(legal, Choose):
        least, most, pool = legal.minimum, legal.maximum, legal.cards
        others = tuple(c for c in (*ALL_CARDS, Card(52)) if c not in pool)
        wrong += [*OF_ALL_GAMES, Index(0), ChooseCombinations(())]
        wrong += [ChooseCards((*pool[: max(least, 1) - 1], other)) for other in others]
        wrong += [ChooseCards(pool[:n]) for n in range(len(pool) + 1) if not least <= n <= most]
        malformed.append(ChooseCards((*pool[:most], pool[0])))
    else:
        not_held = (SequenceCombination(Suit.CLUBS, Rank.TWO, 3), SetCombination(Rank.NINE, 4), point)
        wrong += [*OF_ALL_GAMES, Index(0), ChooseCards(())]
        wrong += [ChooseCombinations((*legal.combinations, other)) for other in not_held]
    return [(given, Reason.ILLEGAL_ACTION) for given in wrong] + [
        (given, Reason.MALFORMED_ACTION) for given in malformed
    ]


@pytest.mark.parametrize(("name", "phase"), [(name, phase) for name in GAMES for phase in GAMES[name].phases])
def test_a_wrong_answer_is_one_fault_and_the_default_is_played(
    name: str, phase: str, inputs: type[Inputs]
) -> None:
    sitting = position(name, phase, inputs)
    seat = min(sitting.open)
    decision = sitting.open[seat]
    kept = sitting.twin()
    played = kept.answer(seat, kept.game.default(decision.view, decision.legal))
    for given, reason in misfits(decision.legal):
        wrong = sitting.twin()
        told = wrong.answer(seat, given)
        fault = Fault.MALFORMED if reason is Reason.MALFORMED_ACTION else Fault.ILLEGAL
        (refused,) = [update for _, update in told if isinstance(update, Refused)]
        assert (refused.reason, refused.decision_id) == (reason, decision.decision_id)
        assert "\n" not in refused.text
        assert (seat, Closed("m-1", decision.decision_id, CloseReason.DEFAULTED, fault)) in told
        # but for that, all is as if the default had been answered
        assert {s for s, update in told if isinstance(update, Refused)} == {seat}
        assert happened(told) == happened(played)
        assert {s: (d.legal, d.view) for s, d in wrong.open.items()} == {
            s: (d.legal, d.view) for s, d in kept.open.items()
        }


def happened(told: list[Any]) -> list[Any]:
    return [(seat, update) for seat, update in told if isinstance(update, Happened)]


@every_game
def test_the_cards_of_another_seat_are_refused(name: str, inputs: type[Inputs]) -> None:
    sitting = position(name, "play", inputs)
    (seat,) = sitting.open
    hands = [sitting.game.view(sitting.match._state, other).hand for other in sitting.seats if other != seat]
    assert all(hands)
    for c in (c for hand in hands for c in hand):
        ((_, refused), *_) = sitting.twin().answer(seat, PlayCard(c))
        assert refused.reason is Reason.ILLEGAL_ACTION


@every_game
def test_an_answer_of_a_seat_that_was_not_asked_changes_nothing(name: str, inputs: type[Inputs]) -> None:
    sitting = position(name, "play", inputs)
    (asked,) = sitting.open
    legal = sitting.open[asked].legal
    assert isinstance(legal, LegalActions)
    before = sitting.twin()
    for seat in sitting.seats:
        if seat != asked:
            for action in legal.actions:
                ((told, refused),) = sitting.tell(sitting.match.answer(seat, 1_000, action, 0))
                assert (told, refused.reason) == (seat, Reason.NOT_YOUR_DECISION)
    choice = legal.actions[0]
    assert happened(sitting.answer(asked, choice)) == happened(before.answer(asked, choice))


def test_a_further_sequence_that_outranks_the_declared_one_is_refused(inputs: type[Inputs]) -> None:
    class Stacked(Dealer):
        """Elder, seat 1, holds a quart, a tierce and no more; younger holds no sequence."""

        def deck(self, deal: int) -> tuple[Card, ...]:
            younger = cards("7S 9S JS KS 7H 9H JH KH 8C TC QC AC")
            elder = cards("AD KD QD JD 9D 8D 7D 9C 8H 8S TH TS")
            return (*younger, *elder, *(c for c in GAMES["piquet"].cards if c not in younger + elder))

    sitting = Sitting("piquet", inputs, Stacked("piquet", inputs, 0)).begin()
    quart = SequenceCombination(Suit.DIAMONDS, Rank.ACE, 4)
    tierce = SequenceCombination(Suit.DIAMONDS, Rank.NINE, 3)
    for answer in (
        Blank(BlankChoice.DECLINE),
        Blank(BlankChoice.DECLINE),
        ChooseCards(cards("9C")),
        ChooseCards(()),
        Leftovers(LeftoversChoice.LEAVE),
        Declare(None),
        Declare(tierce),
    ):
        (seat,) = sitting.open
        sitting.answer(seat, answer)
    assert sitting.open[Seat(1)].legal == ChooseFurther((), 0, 0)
    for action in (ChooseCombinations((quart,)), ChooseCombinations((tierce,))):
        ((_, refused), *_) = sitting.twin().answer(Seat(1), action)
        assert refused.reason is Reason.ILLEGAL_ACTION


# A dealer that fails


@every_game
@bad_decks
@pytest.mark.parametrize("deal", [0, 1])
def test_a_bad_deck_stops_a_match_before_a_card_of_it_is_seen(
    name: str, spoil: Spoil, deal: int, inputs: type[Inputs]
) -> None:
    sitting = Sitting(name, inputs, Dealer(name, inputs, 0, spoil=spoil, at=deal), deals=2)
    with pytest.raises(BadDeck):
        sitting.begin().play_on(0, until=lambda decision: False)
    told = [effect.update for effect in sitting.match.void(0) if isinstance(effect, Tell)]
    assert [type(update) for update in told] == [Finished] * len(sitting.seats)
    assert sitting.match.outcome is not None
    assert sitting.match.outcome.termination is Termination.VOID


@every_game
@bad_decks
def test_a_bad_deck_voids_that_match_alone_in_the_hall(name: str, spoil: Spoil, inputs: type[Inputs]) -> None:
    sitting = Sitting(name, inputs, None)
    core = Core(
        deals=lambda setup, rules: Dealer(name, inputs, 0, spoil=spoil if setup.match_id == "m-1" else None),
        access=Trusting(),
        server="referee/test",
        open_tables=[],
        new_match_id=str,
    )
    sessions = [core.connect(None, 0) for _ in sitting.seats]
    for session, entry in zip(sessions, sitting.setup.entries, strict=True):
        say(core, session, hello=pb.Hello(versions=[1], entry=entry, tables=2))
    for match_id in ("m-1", "m-2"):
        core.create(dataclasses.replace(sitting.setup, match_id=match_id), 0)
        for session in sessions:
            say(core, session, ready=[pb.Ready(match_id=match_id)])
    output = core.take()
    assert [table.setup.match_id for table in output.finished] == ["m-1"]
    outcome = output.finished[0].match.outcome
    assert outcome is not None and outcome.termination is Termination.VOID
    (other,) = (table.match for table in output.opened if table.setup.match_id == "m-2")
    assert other.outcome is None


def say(core: Core, session: Any, **fields: Any) -> None:
    core.receive(session, pb.PlayRequest(**fields).SerializeToString(), 0)
