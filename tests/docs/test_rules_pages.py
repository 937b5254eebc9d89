"""The pages of docs/rules against the code: what they say of a game is what is played."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cards import Rank, Seat, Suit, cards
from referee.games.actions import MoonChoice
from referee.games.bags import settle
from referee.games.base import Game, ranks_of
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.euchre.scoring import deal_points as euchre_points
from referee.games.events import BidMade
from referee.games.hearts.scoring import moon_points, trick_points
from referee.games.options import Option
from referee.games.piquet.events import PiquetRound
from referee.games.piquet.ledger import Ledger
from referee.games.piquet.scoring import combination_points, settlement
from referee.games.registry import GAMES
from referee.games.spades.scoring import side_points
from referee.games.tricks import Trick
from referee.games.two_handed_spades.scoring import deal_points as two_handed_points
from tests.docs.conftest import Page

ROOT: Final = Path(__file__).parents[2]
RULES: Final = ROOT / "docs" / "rules"
SECTIONS: Final = (
    "The deal",
    "Decisions",
    "Scores",
    "The end",
    "Who sees what",
    "Options",
    "Not as often played",
    "Open points",
    "In the record",
)

Row = Mapping[str, str]

every_game = pytest.mark.parametrize("name", GAMES)


def rules_page(page: Any, name: str) -> Any:
    return page(f"docs/rules/{name}.md")


def test_there_is_a_page_for_every_game_and_the_index_names_each() -> None:
    pages = {path.stem for path in RULES.glob("*.md")} - {"README"}
    assert pages == set(GAMES)


def test_the_index_holds_a_line_for_every_game(page: type[Page]) -> None:
    index = page("docs/rules/README.md").table("game", "what it is")
    assert [row["game"] for row in index.dicts()] == [
        f"[{name}]({name}.md)" for name in sorted(GAMES, key=str.lower)
    ]


@every_game
def test_every_page_is_laid_out_alike(page: type[Page], name: str) -> None:
    headings = rules_page(page, name).headings
    assert headings[0] == GAMES[name].title
    assert tuple(heading for heading in headings if heading in SECTIONS) == SECTIONS


# Facts


def sides(game: Game[Any]) -> str:
    return ", ".join(" and ".join(map(str, side)) for side in game.sides)


@every_game
def test_the_facts_are_those_of_the_code(page: type[Page], name: str) -> None:
    game = GAMES[name]
    facts = dict(rules_page(page, name).table("fact", "here").rows)
    assert facts == {
        "seats": str(game.seats),
        "sides": sides(game),
        "the better score": "lowest" if game.low_wins else "highest",
        "cards": str(len(game.cards)),
        "rules version": str(game.rules_version),
    }


def option_row(option: Option) -> tuple[str, str, str, str]:
    default = str(option.default).lower() if option.kind == "flag" else str(option.default)
    allowed = " or ".join(f"`{word}`" for word in option.choices) or option.bounds
    return f"`{option.name}`", default, allowed, option.help


@every_game
def test_the_options_are_those_of_the_schema(page: type[Page], name: str) -> None:
    table = rules_page(page, name).table("option", "default", "allowed", "what it does")
    assert list(table.rows) == [option_row(option) for option in GAMES[name].options]


@every_game
def test_the_default_actions_are_those_of_the_code(page: type[Page], name: str) -> None:
    shown = rules_page(page, name)
    game = GAMES[name]
    assert list(shown.table("phase", "answer", "default action").rows) == [
        (f"`{phase}`", f"`{game.answers[phase]}`", default) for phase, default in game.phases.items()
    ]
    described = [heading.strip("`") for heading in shown.headings if heading.startswith("`")]
    assert described == list(GAMES[name].phases)


@every_game
def test_every_field_of_the_view_stands_with_who_sees_it(page: type[Page], name: str) -> None:
    game = GAMES[name]
    state = game.new(game.bind({}), deals=None, first=Seat(0))
    state.deal(game.cards)
    fields = {field.name for field in dataclasses.fields(game.view(state, Seat(0)))}
    seen = rules_page(page, name).table("what", "who sees it", "in the view")
    assert {word for row in seen.dicts() for word in re.findall(r"`(\w+)`", row["in the view"])} == fields


@every_game
def test_the_source_is_that_of_the_code(page: type[Page], name: str) -> None:
    (address,) = re.findall(r"\((https?://.+)\)$", GAMES[name].source)
    assert f"<{address}>" in rules_page(page, name).text


# Open points


def labels(page: Any, name: str) -> list[str]:
    return [row["label"] for row in rules_page(page, name).table("label", "question", "ruling").dicts()]


@every_game
def test_open_points_are_numbered_without_gaps(page: type[Page], name: str) -> None:
    found = labels(page, name)
    assert found == [f"A{number}" for number in range(1, len(found) + 1)]


@every_game
def test_every_ruling_has_a_test_that_is_named_after_it(page: type[Page], name: str) -> None:
    folder = ROOT / "tests" / "games"
    files = [*folder.glob(f"test_{name}_*.py"), *(folder / name).glob("test_*.py")]
    tests = [test for path in files for test in re.findall(r"def (test_\w+)", path.read_text())]
    named = {label for test in tests for label in re.findall(r"(?<=_)A\d+(?=_)", test)}
    assert named == set(labels(page, name))


# Worked scores


def numbers(cell: str) -> tuple[int, ...]:
    return tuple(map(int, cell.split()))


def spaced(some: Any) -> str:
    return " ".join(map(str, some))


def added(one: str, other: str) -> str:
    return spaced(a + b for a, b in zip(numbers(one), numbers(other), strict=True))


def hearts_cards(row: Row) -> Row:
    jack = row["jack_of_diamonds"] == "true"
    return {"points": str(trick_points(cards(row["cards taken"]), jack_of_diamonds=jack))}


def hearts_moon(row: Row) -> Row:
    choice = MoonChoice[row["choice"].upper()]
    points = spaced(moon_points(numbers(row["taken by seat"]), Seat(int(row["shooter"])), choice))
    return {"points by seat": points, "totals after": added(row["totals before"], points)}


def two_handed_deal(row: Row) -> Row:
    gained, over = two_handed_points(
        int(row["bid"]),
        int(row["taken"]),
        nil_points=100,
        failed_nil_tricks=row["failed_nil_tricks"],
    )
    cost, bags = settle(int(row["bags before"]) + over, limit=10, penalty=100)
    return {"points": str(gained + cost), "bags after": str(bags)}


def spades_deal(row: Row) -> Row:
    said = [(Seat(seat), bid) for seat, bid in zip((0, 2), row["bids"].split(), strict=True)]
    bids = [BidMade(seat, 0 if bid in "NB" else int(bid), bid == "B") for seat, bid in said]
    mine, partners = numbers(row["taken"])
    gained, over = side_points(
        bids,
        (mine, 0, partners, 0),
        nil_points=100,
        blind_nil_points=200,
        failed_nil_tricks=row["failed_nil_tricks"],
    )
    cost, bags = settle(int(row["bags before"]) + over, limit=10, penalty=100)
    return {"points": str(gained + cost), "bags after": str(bags)}


def euchre_deal(row: Row) -> Row:
    taken = int(row["tricks of the makers"])
    alone = [row[f"a {who} alone"] == "yes" for who in ("maker", "defender")]
    makers, defenders = euchre_points(0, (taken, 5 - taken), alone)
    return {"makers": str(makers), "defenders": str(defenders)}


def piquet_combination(row: Row) -> Row:
    of: Mapping[str, Combination] = {
        "point": PointCombination(Suit.SPADES),
        "sequence": SequenceCombination(Suit.SPADES, Rank.ACE, int(row["cards"])),
        "set": SetCombination(Rank.ACE, int(row["cards"])),
    }
    return {"points": str(combination_points(of[row["combination"]], int(row["cards"])))}


def piquet_deal(row: Row) -> Row:
    """Book a deal for elder, seat 0, and younger, seat 1."""
    seats = {"E": Seat(0), "Y": Seat(1)}
    ledger = Ledger(seats["E"])
    if row["blank"]:
        ledger.blank(seats[row["blank"]])
    for of, heading in zip(PiquetRound, ("point", "sequences", "sets"), strict=True):
        if row[heading]:
            who, points = row[heading].split()
            ledger.combinations(seats[who], of, int(points))
    ledger.lead()
    leader = seats["E"]
    winners = [seats[who] for who in row["tricks taken by"]]
    for winner in winners:
        ledger.trick(Trick(leader, (), winner))
        leader = winner
    ledger.end([winners.count(seat) for seat in seats.values()])
    bonuses = ", ".join(f"{'EY'[scored.seat]} {scored.bonus.name.lower()}" for scored in ledger.bonuses)
    return {"bonuses": bonuses, "elder": str(ledger.points[0]), "younger": str(ledger.points[1])}


def piquet_partie(row: Row) -> Row:
    return {"scores": spaced(settlement(numbers(row["totals"]), rubicon=100))}


def ranks(game: str, scores: str) -> Callable[[Row], Row]:
    """Return what works out the ranks of a game's final scores."""
    return lambda row: {
        "ranks": spaced(ranks_of(numbers(row[scores]), low_wins=GAMES[game].low_wins)),
    }


WORKED: Final[Mapping[tuple[str, str], Callable[[Row], Row]]] = {
    ("hearts", "cards"): hearts_cards,
    ("hearts", "moon"): hearts_moon,
    ("hearts", "ranks"): ranks("hearts", "totals"),
    ("spades", "deal"): spades_deal,
    ("spades", "ranks"): ranks("spades", "scores"),
    ("euchre", "deal"): euchre_deal,
    ("euchre", "ranks"): ranks("euchre", "scores"),
    ("piquet", "combinations"): piquet_combination,
    ("piquet", "deal"): piquet_deal,
    ("piquet", "partie"): piquet_partie,
    ("two_handed_spades", "deal"): two_handed_deal,
    ("two_handed_spades", "ranks"): ranks("two_handed_spades", "scores"),
}


@every_game
def test_every_table_of_worked_scores_is_worked_out(page: type[Page], name: str) -> None:
    shown = [table.marker for table in rules_page(page, name).tables if table.marker]
    assert shown == [f"worked: {table}" for game, table in WORKED if game == name]


@pytest.mark.parametrize(("name", "table"), WORKED)
def test_worked_scores(page: type[Page], name: str, table: str) -> None:
    (shown,) = [found for found in rules_page(page, name).tables if found.marker == f"worked: {table}"]
    assert shown.rows
    for row in shown.dicts():
        assert row == {**row, **WORKED[name, table](row)}
