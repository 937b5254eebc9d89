from dataclasses import replace
from typing import Any

import pytest

from tests.tournaments.on_paper import drawn_up
from tournaments.plan.plan import Entry, Format, NoShowPolicy, Partners, Remote, Team
from tournaments.schedule.refusals import refusals

SKIP = Remote(no_show=NoShowPolicy.SKIP)
FIXED = Partners.FIXED
ONE_TEAM = (Team("ab", ("e000", "e001")),)

REFUSED: list[tuple[str, int, Format, dict[str, Any], list[tuple[str, str]]]] = [
    (
        "spades",
        8,
        Format.KNOCKOUT,
        {},
        [
            (
                "partners",
                "a knockout cannot be won by one of two partners who change: "
                'write partners = "fixed", or take another format',
            )
        ],
    ),
    (
        "euchre",
        3,
        Format.DOUBLE_KNOCKOUT,
        {"remote": SKIP},
        [
            (
                "entries",
                "a match of euchre takes 4 entries, and there are 3: add some, "
                'or write partners = "fixed", so that one entry plays both seats of a side',
            ),
            (
                "partners",
                "a double knockout cannot be won by one of two partners who change: "
                'write partners = "fixed", or take another format',
            ),
            (
                "remote.no_show",
                "a double knockout needs the result of every match, so none can be left out: "
                'write no_show = "forfeit"',
            ),
        ],
    ),
    (
        "spades",
        2,
        Format.KNOCKOUT,
        {"partners": FIXED, "teams": ONE_TEAM},
        [
            (
                "entries",
                "a match of fixed pairs is between 2 of them, and there is 1: add an entry or a team",
            )
        ],
    ),
    (
        "hearts",
        3,
        Format.ROUND_ROBIN,
        {},
        [("entries", "a match of hearts takes 4 entries, and there are 3: add some")],
    ),
    (
        "piquet",
        2,
        Format.SWISS,
        {"rounds": 2},
        [
            (
                "rounds",
                "in a swiss no two meet twice: 2 can play 1 round, not 2; lower it, or take a round robin",
            )
        ],
    ),
    (
        "piquet",
        5,
        Format.SWISS,
        {"rounds": 6, "remote": SKIP},
        [
            (
                "rounds",
                "in a swiss no two meet twice: 5 can play 5 rounds, not 6; lower it, or take a round robin",
            ),
            (
                "remote.no_show",
                'a swiss needs the result of every match, so none can be left out: write no_show = "forfeit"',
            ),
        ],
    ),
    (
        "piquet",
        3,
        Format.GAUNTLET,
        {},
        [("challenger", "a gauntlet is one against all the others: write challenger = the name of the one")],
    ),
    (
        "piquet",
        3,
        Format.GAUNTLET,
        {"challenger": "e0002"},
        [("challenger", "e0002 does not take part; did you mean e002?")],
    ),
    (
        "piquet",
        3,
        Format.GAUNTLET,
        {"challenger": "xyz"},
        [("challenger", "xyz does not take part; name one of them")],
    ),
    (
        "spades",
        4,
        Format.GAUNTLET,
        {"challenger": "e001", "partners": FIXED, "teams": ONE_TEAM},
        [("challenger", "e001 plays in team ab: name the team")],
    ),
    (
        "piquet",
        3,
        Format.ROUND_ROBIN,
        {"challenger": "e001"},
        [("challenger", "a round robin has no challenger: leave it out, or take a gauntlet")],
    ),
    (
        "piquet",
        4,
        Format.SWISS,
        {"best_of": 3, "third_place": True},
        [
            ("best_of", "a swiss has no series: leave it out, or take a knockout"),
            ("third_place", "a swiss has no match for the third place: leave it out"),
        ],
    ),
    (
        "hearts",
        8,
        Format.KNOCKOUT,
        {"best_of": 3, "third_place": True},
        [
            (
                "best_of",
                "is for matches of two, and a match of hearts has 4: leave it out, and write match = "
                "{ deals = NUMBER } for longer matches",
            ),
            ("third_place", "the last table of 4 decides the third place: leave it out"),
        ],
    ),
    (
        "piquet",
        4,
        Format.DOUBLE_KNOCKOUT,
        {"third_place": True},
        [
            (
                "third_place",
                "a double knockout decides the third place without a match of its own: leave it out",
            )
        ],
    ),
]


@pytest.mark.parametrize(("game", "entries", "form", "more", "expected"), REFUSED)
def test_what_cannot_be_done_is_told_with_its_remedy(
    game: str, entries: int, form: Format, more: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert list(refusals(drawn_up(game, entries, form, **more))) == expected


@pytest.mark.parametrize(
    ("game", "entries", "form", "more"),
    [
        ("spades", 2, Format.KNOCKOUT, {"partners": FIXED}),
        ("spades", 3, Format.DOUBLE_KNOCKOUT, {"partners": FIXED, "teams": ONE_TEAM}),
        ("piquet", 2, Format.KNOCKOUT, {"best_of": 2, "third_place": True}),
        ("spades", 4, Format.DOUBLE_KNOCKOUT, {"partners": FIXED, "best_of": 3}),
        ("hearts", 5, Format.DOUBLE_KNOCKOUT, {}),
        ("piquet", 6, Format.SWISS, {"rounds": 5}),
        ("piquet", 7, Format.SWISS, {"rounds": 7}),
        ("euchre", 4, Format.SWISS, {"rounds": 50}),
        ("hearts", 4, Format.GAUNTLET, {"challenger": "e001", "remote": SKIP}),
        ("spades", 4, Format.GAUNTLET, {"challenger": "ab", "partners": FIXED, "teams": ONE_TEAM}),
        ("piquet", 2, Format.ROUND_ROBIN, {"remote": SKIP}),
        ("piquet", 0, Format.LADDER, {"remote": SKIP}),
    ],
)
def test_what_can_be_done_is_not_refused(game: str, entries: int, form: Format, more: dict[str, Any]) -> None:
    assert refusals(drawn_up(game, entries, form, **more)) == ()


@pytest.mark.parametrize(
    ("form", "more"),
    [(Format.SWISS, {"rounds": 5}), (Format.KNOCKOUT, {}), (Format.GAUNTLET, {"challenger": "x"})],
)
def test_who_takes_part_is_judged_when_nobody_can_register_any_more(
    form: Format, more: dict[str, Any]
) -> None:
    plan = drawn_up("piquet", [Entry(name="e000", remote=True)], form, open=True, **more)
    assert refusals(plan) == ()
    assert refusals(replace(plan, open=False))
