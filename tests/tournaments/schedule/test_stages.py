"""Groups, then a playoff."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

import pytest

from referee.match.clock import PROFILES
from tests.tournaments.on_paper import by_chance, by_chance_without_draws, by_name, drawn_up, play_out, stays
from tournaments import schedule
from tournaments.plan.plan import Entry, Format, Partners, Plan, Stage, Team, TieBreak
from tournaments.running.attempts import setup_of
from tournaments.schedule.length import length
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.refusals import refusals
from tournaments.schedule.results import IssuedRound, Results
from tournaments.schedule.seeding import seeded
from tournaments.schedule.stages import places, played, playoff, staged
from tournaments.store import Issued

GROUPS = Stage(name="groups", format=Format.ROUND_ROBIN, groups=2, advance=2)
SWISS = Stage(name="swiss", format=Format.SWISS, rounds=3, groups=1, advance=4)
PLAYOFF = Stage(name="playoff", format=Format.KNOCKOUT)


def plan_of(entries: int, *stages: Stage, game: str = "piquet", **more: object) -> Plan:
    return drawn_up(game, entries, stages[-1].format, stages=stages, **more)


def groups_of(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> list[tuple[str, ...]]:
    first, *_ = played(plan, results)
    return [group.order for group in first.groups]


def rounds_of(matches: list[Pairing]) -> dict[int, list[set[str]]]:
    found: dict[int, list[set[str]]] = {}
    for pairing in matches:
        found.setdefault(pairing.round, []).append(set(pairing.entries))
    return found


# Groups


@pytest.mark.parametrize(
    ("entries", "count", "expected"),
    [
        (8, 2, ["e000 e003 e004 e007", "e001 e002 e005 e006"]),
        (7, 3, ["e000 e005 e006", "e001 e004", "e002 e003"]),
        (4, 1, ["e000 e001 e002 e003"]),
    ],
)
def test_entries_are_dealt_to_the_groups_forth_and_back(
    entries: int, count: int, expected: list[str]
) -> None:
    plan = plan_of(entries, Stage(name="g", format=Format.ROUND_ROBIN, groups=count, advance=1), PLAYOFF)
    assert [" ".join(order) for order in groups_of(plan, {})] == expected


def test_the_strongest_are_dealt_first() -> None:
    entries = [Entry(name=f"e{n}", bot="random", strength=float(n)) for n in range(6)]
    plan = drawn_up("piquet", entries, Format.KNOCKOUT, stages=(GROUPS, PLAYOFF))
    assert groups_of(plan, {}) == [("e5", "e2", "e1"), ("e4", "e3", "e0")]


def test_a_group_plays_among_itself_and_the_next_stage_waits_for_all() -> None:
    plan = plan_of(8, GROUPS, PLAYOFF)
    first = list(staged(plan, {}))
    assert len(first) == 12
    groups = [set(order) for order in groups_of(plan, {})]
    assert all(sum(set(p.entries) <= group for group in groups) == 1 for p in first)
    results = {p.match_id: by_chance(plan, p) for p in first[:-1]}
    assert len(list(staged(plan, results))) == 12
    results[first[-1].match_id] = (1, 2)
    assert len(list(staged(plan, results))) == 12 + 2


# Going on


def test_the_best_of_each_group_go_on_seeded_by_their_places() -> None:
    plan = plan_of(8, GROUPS, PLAYOFF)
    matches, results = play_out(staged, plan, by_name)
    assert rounds_of(matches)[2] == [{"e000", "e002"}, {"e001", "e003"}]
    assert rounds_of(matches)[3] == [{"e000", "e001"}]
    assert places(plan, results) == {
        f"e00{number}": place for number, place in enumerate([1, 2, 3, 3, 5, 5, 7, 7])
    }


def test_the_group_whose_winner_did_more_has_the_first_seed() -> None:
    plan = plan_of(8, GROUPS, PLAYOFF)

    def ranks(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
        return (1, 1) if "e000" in pairing.entries else by_name(plan, pairing)

    _, results = play_out(staged, plan, ranks)
    last = playoff(plan, results)
    assert last is not None
    assert seeded(last)[0] == "e001"


@pytest.mark.parametrize("key", range(3))
@pytest.mark.parametrize(
    ("entries", "count", "advance"), [(6, 2, 2), (12, 3, 2), (16, 4, 2), (12, 2, 4), (20, 5, 2)]
)
def test_no_two_of_a_group_meet_in_the_first_round_of_the_playoff(
    entries: int, count: int, advance: int, key: int
) -> None:
    stage = Stage(name="g", format=Format.ROUND_ROBIN, groups=count, advance=advance)
    plan = plan_of(entries, stage, PLAYOFF, seed=str(key))
    matches, results = play_out(staged, plan, by_chance)
    groups = [set(order) for order in groups_of(plan, results)]
    assert all(not met <= group for met in rounds_of(matches)[2] for group in groups)


def test_equal_points_are_separated_by_the_direct_match_and_at_last_by_the_seeding() -> None:
    plan = plan_of(3, Stage(name="g", format=Format.ROUND_ROBIN, advance=2), PLAYOFF)
    circle = {"e000": "e001", "e001": "e002", "e002": "e000"}

    def beats(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
        one, other = pairing.entries
        return (1, 2) if circle[one] == other else (2, 1)

    matches, results = play_out(staged, plan, beats)
    assert groups_of(plan, results) == [("e000", "e001", "e002")]
    swapped = {p.match_id: results[p.match_id] for p in matches if p.round == 1}
    two = next(p for p in matches if set(p.entries) == {"e000", "e002"})
    swapped[two.match_id] = (1, 1)  # e000 and e001 have 3 and 2 halves, e002 1
    assert groups_of(plan, swapped) == [("e000", "e001", "e002")]
    level = swapped | {next(p.match_id for p in matches if set(p.entries) == {"e000", "e001"}): (1, 1)}
    assert groups_of(plan, level) == [("e001", "e000", "e002")]


@pytest.mark.parametrize(
    ("tie_breaks", "order"),
    [
        ((), ("e003", "e000", "e001", "e002")),  # e003 has beaten e000, and e001 has beaten e002
        ((TieBreak.BUCHHOLZ,), ("e000", "e003", "e001", "e002")),
        ((TieBreak.SONNEBORN_BERGER,), ("e003", "e000", "e002", "e001")),
    ],
)
def test_a_stage_has_its_own_tie_breaks(tie_breaks: tuple[TieBreak, ...], order: tuple[str, ...]) -> None:
    plan = plan_of(4, Stage(name="g", format=Format.ROUND_ROBIN, advance=2, tie_breaks=tie_breaks), PLAYOFF)
    beats = {"e003 e000", "e001 e002", "e000 e002", "e003 e001", "e000 e001", "e002 e003"}
    ranks = {p.match_id: (1, 2) if " ".join(p.entries) in beats else (2, 1) for p in staged(plan, {})}
    assert groups_of(plan, ranks) == [order]


@pytest.mark.parametrize("game", ["piquet", "hearts"])
def test_a_swiss_goes_before_a_playoff(game: str) -> None:
    plan = plan_of(10, SWISS, PLAYOFF, game=game)
    matches, results = play_out(staged, plan, by_chance_without_draws)
    assert [p.round for p in matches] == sorted(p.round for p in matches)
    best = set(groups_of(plan, results)[0][:4])
    assert {name for p in matches if p.round > 3 for name in p.entries} == best
    assert max(p.round for p in matches) == {"piquet": 5, "hearts": 4}[game]
    assert len(matches) == length(plan)


def test_three_stages() -> None:
    second = Stage(name="second", format=Format.ROUND_ROBIN, groups=2, advance=1, rounds=2)
    plan = plan_of(12, Stage(name="first", format=Format.ROUND_ROBIN, groups=3, advance=2), second, PLAYOFF)
    matches, results = play_out(staged, plan, by_name)
    counts = Counter(pairing.round for pairing in matches)
    assert counts == {1: 3 * 6, 2: 2 * 3, 3: 2 * 3, 4: 1}
    assert len(matches) == length(plan)
    placed = list(places(plan, results).values())
    assert placed == [1, 2, 3, 3, 5, 5, 7, 7, 7, 10, 10, 10]


def test_pairs_and_teams_stay_together() -> None:
    entries = [Entry(name=name, bot="random") for name in "abcdefghij"]
    teams = (Team("ab", ("a", "b")), Team("ij", ("i", "j")))
    plan = drawn_up(
        "spades", entries, Format.KNOCKOUT, stages=(GROUPS, PLAYOFF), partners=Partners.FIXED, teams=teams
    )
    matches, results = play_out(staged, plan, by_chance)
    assert set(places(plan, results)) == {"ab", "c", "d", "e", "f", "g", "h", "ij"}
    assert all(("a" in p.entries) == ("b" in p.entries) for p in matches)
    assert len(matches) >= length(plan) == 12 + 3


# Ids and clocks


def test_two_who_meet_again_have_another_match() -> None:
    plan = plan_of(4, Stage(name="g", format=Format.ROUND_ROBIN, advance=2, rounds=2), PLAYOFF)
    matches, _ = play_out(staged, plan, by_name)
    met = Counter(frozenset(p.entries) for p in matches)
    assert met[frozenset({"e000", "e001"})] == 3
    assert len({p.match_id for p in matches}) == len(matches)
    assert all(p.match_id.startswith(f"piquet-{p.round}-") for p in matches)


def test_a_tournament_without_stages_has_the_ids_that_it_had() -> None:
    plan = drawn_up("piquet", 4, Format.ROUND_ROBIN)
    own = plan_of(4, Stage(name="g", format=Format.ROUND_ROBIN, advance=2), PLAYOFF)
    assert set(schedule.next(plan, set(), {})) == set(schedule.next(own, set(), {}))


def test_each_stage_has_its_clock() -> None:
    fast, slow = PROFILES["fast"], PROFILES["standard"]
    groups = Stage(name="g", format=Format.ROUND_ROBIN, advance=2, rounds=2)
    plan = plan_of(4, groups, Stage(name="p", format=Format.KNOCKOUT, clock=slow))
    assert [plan.clock_of(number) for number in (1, 2, 3, 9)] == [fast, fast, slow, slow]
    matches = [
        Issued(match_id="m", round=number, entries=("e1", "e2"), serial=1, versions=(None, None))
        for number in (1, 9)
    ]
    assert [setup_of(plan, match).clock for match in matches] == [fast, slow]
    assert [stage.name for number in (2, 3) if (stage := plan.stage_of(number))] == ["g", "p"]
    assert drawn_up("piquet", 4, Format.SWISS).stage_of(1) is None


# Results as they come


@pytest.mark.parametrize("stage", [GROUPS, SWISS])
@pytest.mark.parametrize("form", [Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
def test_results_in_any_order_give_the_same_matches(stage: Stage, form: Format) -> None:
    plan = plan_of(7, stage, Stage(name="p", format=form, best_of=3))
    for key in range(2):
        stays(staged, plan, key)


def test_a_swiss_stage_keeps_to_the_rounds_as_they_were_issued() -> None:
    plan = plan_of(12, Stage(name="s", format=Format.SWISS, rounds=2, groups=2, advance=2), PLAYOFF)
    first = [p for p in staged(plan, {}) if p.round == 1]
    ranks = {p.match_id: by_chance(plan, p) for p in first}
    later = tuple(p for p in staged(plan, ranks) if p.round == 2)
    issued = [IssuedRound(tuple(first)), IssuedRound(later)]
    other = {match_id: (each[1], each[0]) for match_id, each in ranks.items()}  # they would draw another one
    assert {p for p in staged(plan, other) if p.round == 2} != set(later)
    assert {p for p in staged(plan, Results(other, issued)) if p.round == 2} == set(later)


def test_a_match_that_is_left_out_is_over() -> None:
    plan = plan_of(6, GROUPS, PLAYOFF)
    first, *others = staged(plan, {})
    ranks = {p.match_id: by_name(plan, p) for p in others}
    issued = [IssuedRound((first, *others))]
    assert len(list(staged(plan, Results(ranks, issued)))) == 6
    assert len(list(staged(plan, Results(ranks, issued, [first.match_id])))) == 8


def test_places_while_the_groups_play() -> None:
    plan = plan_of(6, GROUPS, PLAYOFF)
    assert list(places(plan, {}).values()) == [1, 1, 3, 3, 5, 5]
    assert playoff(plan, {}) is None


def test_without_entries_nothing_is_played() -> None:
    plan = plan_of(0, GROUPS, PLAYOFF, open=True)
    assert list(staged(plan, {})) == []
    assert places(plan, {}) == {}


# Refusals


@pytest.mark.parametrize(
    ("stages", "key", "text"),
    [
        ((PLAYOFF,), "stages", "are at least two: "),
        ((PLAYOFF, PLAYOFF), "stages.0.format", "only the last stage is a knockout: write "),
        (
            (GROUPS, Stage(name="s", format=Format.SWISS)),
            "stages.1.format",
            "the last stage decides who wins: write ",
        ),
        ((Stage(name="g", format=Format.ROUND_ROBIN), PLAYOFF), "stages.0.advance", "is missing: how many "),
        (
            (Stage(name="g", format=Format.ROUND_ROBIN, advance=1), PLAYOFF),
            "stages.0.advance",
            "sends on 1, and a match of the next stage takes 2: raise it, or have more groups",
        ),
        (
            (Stage(name="g", format=Format.ROUND_ROBIN, groups=4, advance=1), PLAYOFF),
            "stages.0.groups",
            "of 4 groups the smallest has 1, and a match takes 2: lower it, or add entries",
        ),
        (
            (Stage(name="g", format=Format.ROUND_ROBIN, groups=2, advance=4), PLAYOFF),
            "stages.0.groups",
            "of 2 groups the smallest has 3, and 4 are to go on: lower it, or add entries",
        ),
        (
            (Stage(name="g", format=Format.SWISS, rounds=4, groups=2, advance=2), PLAYOFF),
            "stages.0.rounds",
            "in a swiss no two meet twice: 3 can play 3 rounds, not 4; ",
        ),
        (
            (Stage(name="g", format=Format.ROUND_ROBIN, advance=2, best_of=3), PLAYOFF),
            "stages.0.best_of",
            "a round robin has no series: ",
        ),
        (
            (GROUPS, Stage(name="p", format=Format.KNOCKOUT, advance=2)),
            "stages.1.advance",
            "is for stages that ",
        ),
        (
            (GROUPS, Stage(name="p", format=Format.KNOCKOUT, groups=2)),
            "stages.1.groups",
            "is for stages that ",
        ),
        (
            (GROUPS, Stage(name="p", format=Format.DOUBLE_KNOCKOUT, third_place=True)),
            "stages.1.third_place",
            "a double knockout decides the third place without ",
        ),
    ],
)
def test_stages_that_cannot_be_played_are_refused(stages: tuple[Stage, ...], key: str, text: str) -> None:
    ((found, why),) = refusals(plan_of(7, *stages))
    assert found == key
    assert why.startswith(text)


def test_stages_that_can_be_played_are_not_refused() -> None:
    assert refusals(plan_of(8, GROUPS, PLAYOFF)) == ()
    assert refusals(plan_of(8, GROUPS, PLAYOFF, game="hearts")) == ()
    assert refusals(plan_of(0, GROUPS, PLAYOFF, open=True)) == ()
    third = Stage(name="p", format=Format.KNOCKOUT, best_of=3, third_place=True)
    by_points = Stage(name="g", format=Format.ROUND_ROBIN, advance=2, tie_breaks=(TieBreak.SONNEBORN_BERGER,))
    assert refusals(plan_of(4, by_points, third)) == ()


def test_every_two_of_a_group_of_four_singles_meet() -> None:
    plan = plan_of(10, GROUPS, PLAYOFF, game="hearts")
    met = Counter(frozenset(two) for p in staged(plan, {}) for two in combinations(p.entries, 2))
    assert set(met.values()) == {3}
