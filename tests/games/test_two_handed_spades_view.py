"""Two-handed spades: what seats and the public are told, and that nothing else reaches them."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import ALL_CARDS, RANKS, Card, Seat, card, cards
from referee.games.actions import Bid, Draft, DraftChoice, PlayCard
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.tricks import Trick
from referee.games.two_handed_spades import GAME
from referee.games.two_handed_spades.rules import Dealt, Drafted, Phase
from referee.games.two_handed_spades.view import CardDrafted, DraftStarted, TwoHandedSpadesView
from tests.games.conftest import GameTable, SpadesTable

KEEP, REFUSE = DraftChoice.KEEP, DraftChoice.REFUSE
TOP = cards("KS 4D 7H AC 2C QS 9D 9C AH 3S 5C JD")
STOCK = (*TOP, *(c for c in ALL_CARDS if c not in TOP))
EVERYBODY = (None, Seat(0), Seat(1))


# Projections


@pytest.mark.parametrize("seat", EVERYBODY)
def test_1_7_of_the_deal_all_are_told_who_goes_first(seat: Seat | None) -> None:
    assert GAME.project(Dealt(2, Seat(1), STOCK), seat) == DraftStarted(2, Seat(1))


@pytest.mark.parametrize("choice", [KEEP, REFUSE])
@pytest.mark.parametrize(
    ("seat", "told"), [(Seat(0), (card("KS"), card("4D"))), (Seat(1), (None, None)), (None, (None, None))]
)
def test_A2_the_choice_is_public_and_the_faces_are_the_drafters_own(
    choice: DraftChoice, seat: Seat | None, told: tuple[Card | None, Card | None]
) -> None:
    event = Drafted(Seat(0), choice, card("KS"), card("4D"))
    assert GAME.project(event, seat) == CardDrafted(Seat(0), choice, *told)


@pytest.mark.parametrize("seat", EVERYBODY)
@pytest.mark.parametrize(
    "event",
    [
        BidMade(Seat(1), 0),
        CardPlayed(Seat(1), Card(5)),
        TrickTaken(Seat(0)),
        DealScored(1, (43, -60), (43, -60), (3, 0)),
    ],
)
def test_1_7_bids_play_and_scores_are_told_to_all(event: Any, seat: Seat | None) -> None:
    assert GAME.project(event, seat) == event


# Views


def test_the_view_of_a_draft(spades: type[SpadesTable]) -> None:
    match = spades()
    match.deal(STOCK)
    match.act(0, Draft(KEEP))
    match.act(1, Draft(REFUSE))
    assert match.view(0) == TwoHandedSpadesView(
        phase=Phase.DRAFT,
        deal=1,
        first=Seat(0),
        seat=Seat(0),
        offered=card("2C"),
        choices=(KEEP, REFUSE),
        kept=cards("KS"),
        discarded=cards("4D"),
        hand=cards("KS"),
        bids=(),
        tricks=(),
        trick=None,
        taken=(0, 0),
        scores=(0, 0),
        bags=(0, 0),
        spades_broken=False,
    )
    public = match.view(None)
    assert (public.offered, public.kept, public.discarded, public.hand) == (None, (), (), ())
    assert public.choices == (KEEP, REFUSE)


def test_1_7_only_the_seat_in_turn_looks_at_the_top_card(spades: type[SpadesTable]) -> None:
    match = spades()
    match.deal(STOCK)
    assert [match.view(seat).offered for seat in EVERYBODY] == [None, card("KS"), None]
    match.act(0, Draft(KEEP))
    assert [match.view(seat).offered for seat in EVERYBODY] == [None, None, card("7H")]


def test_A15_the_second_card_is_seen_only_after_the_decision(spades: type[SpadesTable]) -> None:
    told = []
    for second in ("QS", "JD"):
        stock = list(STOCK)
        here, there = stock.index(card("QS")), stock.index(card(second))
        stock[here], stock[there] = stock[there], stock[here]
        match = spades()
        match.deal(stock)
        match.act(0, Draft(KEEP))
        match.act(1, Draft(KEEP))
        assert match.view(0).offered == card("2C")
        told.append((match.view(0), match.told(0), match.legal(0)))
        match.act(0, Draft(KEEP))
        assert match.view(0).discarded == cards(f"4D {second}")
    assert told[0] == told[1]


def test_A3_the_owner_sees_his_discards_for_the_whole_deal_and_the_opponent_never(
    spades: type[SpadesTable],
) -> None:
    match = spades()
    match.deal(STOCK)
    while match.state.phase == Phase.DRAFT:
        match.step()
    own = [match.view(seat).discarded for seat in (0, 1)]
    match.play_out()
    assert [match.view(seat).discarded for seat in (0, 1)] == own
    for seat in (0, 1):
        told = {c for e in match.told(1 - seat) if isinstance(e, CardDrafted) for c in (e.kept, e.discarded)}
        assert not told & set(own[seat])


def test_the_view_of_a_play(spades: type[SpadesTable]) -> None:
    match = spades(first=1).hold("AH 2D", "KH 3D").bid(3, 4)
    kept = match.view(0).kept
    match.play("KH AH 2D")
    view = match.view(0)
    assert view == TwoHandedSpadesView(
        phase=Phase.PLAY,
        deal=1,
        first=Seat(1),
        seat=Seat(0),
        offered=None,
        choices=(KEEP,) * 26,
        kept=kept,
        discarded=view.discarded,
        hand=tuple(sorted(set(kept) - set(cards("AH 2D")))),
        bids=(BidMade(Seat(1), 4), BidMade(Seat(0), 3)),
        tricks=(Trick(Seat(1), cards("KH AH"), Seat(0)),),
        trick=Trick(Seat(0), cards("2D")),
        taken=(1, 0),
        scores=(0, 0),
        bags=(0, 0),
        spades_broken=False,
    )
    assert len(view.discarded) == 13


# Default actions


def test_default_actions(spades: type[SpadesTable]) -> None:
    match = spades()
    match.deal(STOCK)
    assert GAME.default(match.view(0), match.legal(0)) == Draft(KEEP)
    while match.state.phase == Phase.DRAFT:
        match.step()
    assert GAME.default(match.view(0), match.legal(0)) == Bid(1)
    match.bid(1, 1)
    lead = GAME.default(match.view(0), match.legal(0))
    assert isinstance(lead, PlayCard)
    assert lead == match.legal(0).actions[0]


# What a view is, and what it is not


def test_a_view_is_what_the_seat_was_told(table: type[GameTable]) -> None:
    match = table(GAME, deals=4, first=1)
    while match.state.result() is None:
        match.step("told")
        if match.state.needs_deck:
            continue
        for seat in (0, 1):
            first, kept, discarded, choices, bids = Seat(0), [], [], [], []
            hand: set[Card] = set()
            tricks: list[Trick] = []
            trick: list[CardPlayed] = []
            scores, bags = (0, 0), (0, 0)
            for event in match.told(seat):
                match event:
                    case DraftStarted():
                        first, kept, discarded, choices, bids = event.first, [], [], [], []
                        hand, tricks = set(), []
                    case CardDrafted():
                        choices.append(event.choice)
                        if event.seat == seat:
                            kept.append(event.kept)
                            discarded.append(event.discarded)
                            hand.add(event.kept)
                    case BidMade():
                        bids.append(event)
                    case CardPlayed():
                        trick.append(event)
                        hand -= {event.card}
                    case TrickTaken():
                        played = tuple(play.card for play in trick)
                        tricks.append(Trick(trick[0].seat, played, event.seat))
                        trick = []
                    case DealScored():
                        scores, bags = event.totals, event.bags
            view = match.view(seat)
            assert view.first == first
            assert (view.kept, view.discarded, view.choices) == (
                tuple(kept),
                tuple(discarded),
                tuple(choices),
            )
            assert (view.hand, view.bids, view.tricks) == (tuple(sorted(hand)), tuple(bids), tuple(tricks))
            assert view.taken == tuple(sum(done.winner == s for done in tricks) for s in (0, 1))
            current = Trick(trick[0].seat, tuple(play.card for play in trick)) if trick else None
            assert view.trick == current
            assert (view.scores, view.bags) == (scores, bags)


def test_cards_are_conserved(table: type[GameTable]) -> None:
    match = table(GAME, deals=3)
    while match.state.result() is None:
        match.step("conserved")
        views = [match.view(0), match.view(1)]
        drafted = [c for view in views for c in view.kept + view.discarded]
        assert len(drafted) == len(set(drafted)) == 2 * len(views[0].choices)
        for view in views:
            done = (*view.tricks, view.trick) if view.trick else view.tricks
            played = [
                c for trick in done for i, c in enumerate(trick.cards) if (trick.leader + i) % 2 == view.seat
            ]
            assert sorted([*view.hand, *played]) == sorted(view.kept)


def unseen(match: Any, seat: Seat | None) -> list[Card]:
    """Return the cards of the deal in play that a seat has not seen, from the truth."""
    seen: set[Card] = set()
    stock: tuple[Card, ...] = ()
    turns = 0
    for event in match.events:
        match event:
            case Dealt():
                stock, turns, seen = event.stock, 0, set()
            case Drafted(drafter, _, kept, discarded):
                turns += 1
                if drafter == seat:
                    seen |= {kept, discarded}
            case CardPlayed(_, c):
                seen.add(c)
    if turns < 26 and seat in match.state.to_act():
        seen.add(stock[2 * turns])
    return sorted(set(ALL_CARDS) - seen)


def test_cards_that_a_seat_has_not_seen_make_no_difference_to_it(
    table: type[GameTable], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    compared = dict.fromkeys(Phase, 0)
    for key in range(60):
        match = table(GAME).walk(1 + (27 if key % 6 == 0 else 7 * key % 110), "unseen", key)
        for seat in EVERYBODY:
            hidden = unseen(match, seat)
            for swap in range(4):
                other = match.swapped(seat, *shuffled(hidden, key, seat, swap)[:2])
                if other is None or other.events == match.events:
                    continue
                assert other.told(seat) == match.told(seat)
                assert other.view(seat) == match.view(seat)
                if seat is not None:
                    assert other.legal(seat) == match.legal(seat)
                compared[match.state.phase] += 1
    assert min(compared.values()) > 40, compared


def test_a_seat_cannot_tell_the_hand_of_the_other_from_its_discards(spades: type[SpadesTable]) -> None:
    views = []
    for pair in ("AD 2D", "2D AD"):
        stock = [c for c in ALL_CARDS if c not in cards(pair)]
        stock[2:2] = cards(pair)  # seat 1 keeps the first and discards the second
        match = spades()
        match.deal(stock)
        while match.state.phase == Phase.DRAFT:
            match.act(match.turn, Draft(KEEP))
        views.append((match.view(0), match.told(0), match.view(None), match.told(None)))
        assert match.view(1).kept[0] == cards(pair)[0]
    assert views[0] == views[1]


def test_a_new_deal_begins_with_nothing_taken_and_nothing_broken(spades: type[SpadesTable]) -> None:
    hearts, all_spades = (" ".join(rank + suit for rank in RANKS) for suit in "HS")
    match = spades().hold(hearts, all_spades).bid(1, 1)
    match.default_out()
    assert match.view(None).spades_broken
    match.deal(STOCK)
    view = match.view(None)
    assert (view.taken, view.tricks, view.trick, view.spades_broken) == ((0, 0), (), None, False)
    assert (view.bids, view.choices) == ((), ())
