"""Scores computed a second time, from the events alone, for many deals of every game."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from referee.cards import CARD_NAMES
from referee.games.actions import MoonChoice
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.options import Option, Options, number
from referee.games.registry import GAMES
from tests.properties.conftest import Inputs, KeyedMatch

VARIANTS: dict[str, tuple[dict[str, object], ...]] = {
    "hearts": (
        {},
        {"jack_of_diamonds": True},
        {"moon": "add"},
        {"moon": "subtract", "any_heart_breaks": True},
    ),
    "two_handed_spades": (
        {"max_deals": 12},
        {"bag_limit": 3, "bag_penalty": 50, "max_deals": 12},
        {"failed_nil_tricks": "bags_only", "nil_points": 60, "max_deals": 12},
        {"failed_nil_tricks": "nothing", "max_deals": 12},
    ),
    "spades": (
        {"floor": -5000},
        {"floor": -5000, "blind_nil_gap": 0, "max_deals": 12},
        {"floor": -5000, "blind_nil_gap": 30, "blind_nil_points": 150, "failed_nil_tricks": "bags_only"},
        {"floor": -5000, "failed_nil_tricks": "nothing", "bag_limit": 4, "bag_penalty": 40},
    ),
    "euchre": (
        {"target": 60},
        {"target": 60, "stick_the_dealer": False},
        {"target": 60, "defenders_may_go_alone": False, "dealer_may_discard_upcard": False},
        {"target": 60, "maker_partner_may_go_alone": False},
    ),
    "piquet": ({}, {"rubicon": 0}, {"rubicon": 1000}, {}),
}


def tricks(deal: Any) -> Iterator[tuple[list[CardPlayed], int]]:
    """Yield each trick of a deal: its cards with who played them, and who took it."""
    cards: list[CardPlayed] = []
    for event in deal.events:
        if isinstance(event, CardPlayed):
            cards.append(event)
        elif isinstance(event, TrickTaken):
            yield cards, event.seat
            cards = []


def taken(deal: Any) -> Counter[int]:
    """Return how many tricks each seat took."""
    return Counter(event.seat for event in deal.of(TrickTaken))


# Hearts


def hearts(deal: Any, options: Any) -> tuple[int, ...]:
    points, jacks = [0] * 4, [0] * 4
    for cards, seat in tricks(deal):
        names = [CARD_NAMES[event.card] for event in cards]
        points[seat] += sum(name[1] == "H" for name in names) + 13 * ("QS" in names)
        jacks[seat] += -10 * ("JD" in names and options["jack_of_diamonds"])
    assert sum(points) == 26
    if moons := deal.named("MoonChosen"):
        (moon,) = moons
        assert points[moon.seat] == 26
        assert options["moon"] in ("choose", moon.choice.name.lower())
        points = [0 if seat == moon.seat else 26 for seat in range(4)]
        if moon.choice == MoonChoice.SUBTRACT:
            points = [-26 if seat == moon.seat else 0 for seat in range(4)]
    else:
        assert max(points) < 26
    assert sum(points) in (26, 78, -26)
    if not options["jack_of_diamonds"]:
        assert sum(deal.scored.totals) % 26 == 0
    return tuple(p + j for p, j in zip(points, jacks, strict=True))


# The spades games


def bags_cost(before: int, new: int, options: Any) -> tuple[int, int]:
    cost, bags = 0, before + new
    while bags >= options["bag_limit"]:
        bags -= options["bag_limit"]
        cost += options["bag_penalty"]
    return cost, bags


def contract(bids: list[BidMade], tricks_of: Counter[int], options: Any) -> tuple[int, int]:
    """Return the points of the bids of one side and their bags, before any penalty."""
    asked = sum(bid.tricks for bid in bids)
    got = sum(tricks_of[bid.seat] for bid in bids if bid.tricks > 0)
    points, bags = (10 * asked + got - asked, got - asked) if got >= asked else (-10 * asked, 0)
    for bid in bids:
        if bid.tricks == 0:
            worth = options["blind_nil_points"] if bid.blind else options["nil_points"]
            failed = tricks_of[bid.seat]
            points += -worth if failed else worth
            points += failed if options["failed_nil_tricks"] == "bags_and_points" else 0
            bags += failed if options["failed_nil_tricks"] != "nothing" else 0
    return points, bags


def spades(deal: Any, options: Any) -> tuple[int, ...]:
    bids, of = deal.of(BidMade), taken(deal)
    count = len({bid.seat for bid in bids})
    assert len(bids) == count and sum(of.values()) == 13
    points = []
    for side in range(2):
        gained, new = contract([bid for bid in bids if bid.seat % 2 == side], of, options)
        assert abs(gained) <= 10 * 26 + 2 * max(options["nil_points"], options.get("blind_nil_points", 0))
        cost, left = bags_cost(deal.bags[side], new, options)
        assert deal.scored.bags[side] == left < options["bag_limit"]
        points.append(gained - cost)
    return tuple(points)


# Euchre


def euchre(deal: Any, options: Any) -> tuple[int, ...]:
    calls = [*deal.named("UpcardCalled"), *deal.named("TrumpCalled")]
    made = [event for event in calls if event.call.name != "PASS"]
    if not made:
        assert not options["stick_the_dealer"] and not taken(deal)
        return (0, 0)
    (maker,) = (event.seat % 2 for event in made)
    alone = {event.seat % 2 for event in deal.named("AloneChosen") if event.choice.name == "ALONE"}
    mine = sum(count for seat, count in taken(deal).items() if seat % 2 == maker)
    assert sum(taken(deal).values()) == 5
    table = {5: 4 if maker in alone else 2, 4: 1, 3: 1, 2: -2, 1: -2, 0: -4 if 1 - maker in alone else -2}
    points = [0, 0]
    points[maker if table[mine] > 0 else 1 - maker] = abs(table[mine])
    return tuple(points)


# Piquet


def piquet_value(combination: Any, cards: int) -> int:
    match type(combination).__name__:
        case "PointCombination":
            return cards
        case "SequenceCombination":
            return {3: 3, 4: 4, 5: 15, 6: 16, 7: 17, 8: 18}[cards]
    return {3: 3, 4: 14}[cards]


def piquet(deal: Any, options: Any) -> tuple[int, ...]:
    (dealt,) = deal.named("Dealt")
    elder, younger = dealt.elder, 1 - dealt.elder
    account, bonus, repiqued, piqued = [0, 0], [0, 0], False, False
    categories = [[(event.seat, 10) for event in deal.named("BlankClaimed") if event.cards]]
    for in_round in (1, 2, 3):
        shown = [event for event in deal.named("CombinationsShown") if event.round == in_round]
        for event in shown:
            by_suit = Counter(c // 13 for c in event.cards)
            by_rank = Counter(c % 13 for c in event.cards)
            sizes = [
                getattr(one, "length", 0) or getattr(one, "count", 0) or by_suit[one.suit]
                for one in event.combinations
            ]
            assert event.points == sum(map(piquet_value, event.combinations, sizes))
            assert in_round != 3 or sorted(by_rank.values()) == sorted(sizes)
        categories.append([(event.seat, event.points) for event in shown])
    for category in categories:
        assert len({seat for seat, _ in category}) <= 1  # one player at most scores in a category
        for seat, points in category:
            account[seat] += points
        for seat in (0, 1):
            if not repiqued and account[seat] >= 30 and account[1 - seat] == 0:
                bonus[seat], repiqued = 60, True
    combinations = sum(account)
    won = [1] + [1 if cards[0].seat == seat else 2 for cards, seat in tricks(deal)]
    for points, seat in zip(won, [elder, *(seat for _, seat in tricks(deal))], strict=True):
        account[seat] += points
        if not repiqued and not piqued and account[elder] >= 30 and account[younger] == 0:
            bonus[elder], piqued = 30, True
    of = taken(deal)
    assert 13 <= sum(account) - combinations <= 25  # one for the lead, and one or two a trick
    for seat in (0, 1):
        bonus[seat] += 40 if of[seat] == 12 else 10 if of[seat] > 6 else 0
    return tuple(a + b for a, b in zip(account, bonus, strict=True))


def settlement(totals: tuple[int, ...], rubicon: int) -> tuple[int, ...]:
    winner = 0 if totals[0] > totals[1] else 1
    lost = totals[1 - winner]
    worth = 100 + totals[winner] + (lost if lost < rubicon else -lost)
    return (0, 0) if totals[0] == totals[1] else (worth, 0) if winner == 0 else (0, worth)


BY_HAND = {
    "hearts": hearts,
    "two_handed_spades": spades,
    "spades": spades,
    "euchre": euchre,
    "piquet": piquet,
}


RARE: dict[str, set[str]] = {
    "hearts": {"SUBTRACT", "ADD"},
    "two_handed_spades": {"nil failed", "bags"},
    "spades": {"nil made", "nil failed", "blind nil made", "blind nil failed", "bags"},
    "euchre": {f"{points} points" for points in (0, 1, 2, 4)},
    "piquet": {"BlankClaimed", "REPIQUE", "PIQUE", "CARDS", "CAPOT", "EQUAL", "NOT_GOOD"},
}
"""What must have happened before a comparison of scores means anything."""


def happened(deal: Any) -> set[str]:
    """Return what a deal had of what is seldom seen."""
    seen = {type(event).__name__ for event in deal.events}
    for event in deal.events:
        values = [getattr(event, name, None) for name in ("choice", "bonus", "answer")]
        seen |= {value.name for value in values if value is not None}
    seen.add(f"{max(deal.scored.points)} points")
    for bid in deal.of(BidMade):
        if bid.tricks == 0:
            seen.add(f"{'blind ' * bid.blind}nil {'failed' if taken(deal)[bid.seat] else 'made'}")
    if any(after < before for before, after in zip(deal.bags, deal.scored.bags, strict=False)):
        seen.add("bags")
    return seen


@pytest.mark.parametrize("name", GAMES)
def test_every_deal_is_worth_what_it_is_by_hand(
    name: str, played: type[KeyedMatch], inputs: type[Inputs]
) -> None:
    seen: set[str] = set()
    for which, variant in enumerate(VARIANTS[name]):
        for key in range(inputs.scaled(8)):
            match = played(GAMES[name], "scores", which, key, **variant)
            for deal in match.deals():
                points = BY_HAND[name](deal, match.options)
                assert deal.scored.points == points
                assert deal.scored.totals == tuple(map(sum, zip(deal.totals, points, strict=True)))
                seen |= happened(deal)
    assert RARE[name] <= seen


@pytest.mark.parametrize("name", GAMES)
def test_a_match_is_over_when_and_only_when_its_totals_say_so(name: str, played: type[KeyedMatch]) -> None:
    for key in range(4):
        match = played(GAMES[name], "end", key, **VARIANTS[name][key])
        scored = [deal.scored for deal in match.deals()]
        result = match.state.result()
        over = [ends(name, match.options, event) for event in scored]
        assert over == [False] * (len(scored) - 1) + [not result.capped]
        assert result.capped == (not over[-1] and len(scored) == match.options.get("max_deals", 8))
        totals = scored[-1].totals
        if name == "piquet":
            assert result.scores == settlement(totals, match.options["rubicon"])
        else:
            assert result.scores == totals
        best = min(totals) if name == "hearts" else max(totals)
        assert [rank == 1 for rank in result.ranks] == [total == best for total in totals]


def ends(name: str, options: Options, scored: DealScored) -> bool:
    totals, target = scored.totals, number(options, "target") if name != "piquet" else 0
    match name:
        case "piquet":
            return scored.deal in (6, 8) and totals[0] != totals[1]
        case "spades":
            return max(totals) >= target or min(totals) <= number(options, "floor")
        case "two_handed_spades":
            return max(totals) >= target and totals[0] != totals[1]
    return max(totals) >= target


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize(
    ("name", "option"),
    [
        (game.name, option)
        for game in GAMES.values()
        for option in game.options
        if option.name in ("target", "floor", "rubicon")
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_bound_counts_when_it_is_just_reached(
    name: str, option: Option, step: int, played: type[KeyedMatch]
) -> None:
    """Play until some total can serve as a bound, then play again with that bound, or with one beyond."""
    assert option.minimum is not None and option.maximum is not None
    least, most = option.minimum, option.maximum
    late = {"hearts": {"target": 1000}, "spades": {"target": 5000, "floor": -5000}, "euchre": {"target": 99}}
    met = 0
    for key in range(8):
        open_ended = late.get(name, {})
        scored = [deal.scored for deal in played(GAMES[name], "just", key, **open_ended).deals()]
        low = option.name != "target"
        some = [min(event.totals) if low else max(event.totals) for event in scored]
        reached = (
            some[-1] if name == "piquet" else next((n for n in some[1:] if least <= n < most), least - 1)
        )
        if least < reached < most:
            met += 1
            bound = {option.name: reached - step if option.name == "floor" else reached + step}
            match = played(GAMES[name], "just", key, **{**open_ended, **bound})
            again = [deal.scored for deal in match.deals()]
            over = [ends(name, match.options, event) for event in again]
            assert over == [False] * (len(again) - 1) + [not match.state.result().capped]
            assert again == scored[: len(again)]
            if name == "piquet":
                assert match.state.result().scores == settlement(again[-1].totals, reached + step)
    assert met


@pytest.mark.parametrize("name", [name for name in GAMES if name != "hearts"])
def test_the_deal_passes_to_the_left(name: str, played: type[KeyedMatch]) -> None:
    seats = GAMES[name].seats
    for key in range(3):
        dealt = [deal.events[0] for deal in played(GAMES[name], "left", key, deals=5).deals()]
        begins = [
            getattr(event, {"two_handed_spades": "first", "piquet": "elder"}.get(name, "dealer"))
            for event in dealt
        ]
        assert begins == [(begins[0] + number) % seats for number in range(5)]


def test_a_tied_partie_of_piquet_goes_on_for_two_deals(played: type[KeyedMatch]) -> None:
    ties = 0
    for key in range(120):
        totals = [deal.scored.totals for deal in played(GAMES["piquet"], "tie", key).deals()]
        tied = totals[5][0] == totals[5][1]
        assert len(totals) == (8 if tied else 6)
        ties += tied
    assert ties
