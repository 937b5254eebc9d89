"""The tables of the groups of a tournament in stages, as columns, as text and as data; stages in words."""

from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from itertools import count, islice
from typing import Any, Final

from rich.console import Console

from tournaments.plan.plan import Plan, Stage, TieBreak
from tournaments.report.clocks import clock_in_words
from tournaments.report.text_tables import WIDTH, Column, print_table
from tournaments.schedule.results import Ranks
from tournaments.schedule.stages import Group, PlayedStage, outlines, played

_UNBOUNDED: Final = 10_000  # columns
_HEADINGS: Final[Mapping[TieBreak, str]] = {
    TieBreak.BUCHHOLZ: "buchholz",
    TieBreak.DIRECT: "direct",
    TieBreak.SONNEBORN_BERGER: "SB",
}
_PARTS: Final[Mapping[TieBreak, int]] = {  # of a point, that a tie-break is counted in
    TieBreak.BUCHHOLZ: 2,
    TieBreak.DIRECT: 2,
    TieBreak.SONNEBORN_BERGER: 4,
}


def stages_of(plan: Plan, results: Mapping[str, Ranks]) -> tuple[PlayedStage, ...]:
    """Return the stages whose competitors are known, in order; none where there are no stages."""
    return tuple(played(plan, results)) if plan.stages else ()


def group_name(stage: Stage, number: int) -> str:
    """Return the name of a group of a stage; numbers from 0."""
    return f"{stage.name} {_letter(number)}" if stage.groups > 1 else stage.name


def in_words(stage: Stage) -> str:
    """Return what a stage is: its name, its format, and how many go on."""
    said = [stage.format.replace("_", " ")]
    if not stage.format.is_knockout:
        said[0] += f", {_counted(stage.rounds, 'round')}"
        whom = f"of each of {stage.groups} groups" if stage.groups > 1 else "of all"
        said.append(f"the best {stage.advance} {whom} go on")
    if stage.best_of > 1:
        said.append(f"best of {stage.best_of}")
    if stage.third_place:
        said.append("with a match for the third place")
    if stage.tie_breaks:
        said.append(f"ties broken by {', '.join(stage.tie_breaks)}")
    return f"{stage.name}: {', '.join(said)}"


def outline(plan: Plan) -> Iterator[str]:
    """Yield what the stages are, with their clocks if they differ, and the groups of the first one."""
    have_clocks = any(stage.clock for stage in plan.stages)
    for number, (stage, plans) in enumerate(outlines(plan), 1):
        yield f"stage {number}, {in_words(stage)}"
        if have_clocks:
            yield f"  clock: {clock_in_words(stage.clock or plan.clock)}"
        if number == 1 and stage.groups > 1:
            for at, group in enumerate(plans):
                yield f"  {group_name(stage, at)}: {', '.join(each.name for each in group.competitors)}"


def tables(stages: Sequence[PlayedStage]) -> Iterator[tuple[str, Sequence[Column]]]:
    """Yield the table of each group with its title, as columns."""
    for each in stages:
        for number, group in enumerate(each.groups):
            yield group_name(each.stage, number), tuple(_columns(each, group))


def as_text(title: str, stages: Sequence[PlayedStage], width: int = WIDTH) -> list[str]:
    """Return the tables of all groups as lines, each after an empty one and its title."""
    text = StringIO()
    console = Console(file=text, width=_UNBOUNDED, color_system=None, force_terminal=False)
    for name, columns in tables(stages):
        console.out(f"\n{title}: {name}", highlight=False)
        print_table(columns, console, width)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def as_data(stages: Sequence[PlayedStage]) -> list[dict[str, Any]]:
    """Return the tables of all groups as JSON data."""
    return [
        {
            "name": each.stage.name,
            "format": each.stage.format,
            "is_over": each.is_over,
            "groups": [[_line(each, group, name) for name in group.order] for group in each.groups],
        }
        for each in stages
    ]


def _line(each: PlayedStage, group: Group, name: str) -> dict[str, Any]:
    return {
        "entry": name,
        "matches": group.scores.matches[name],
        "points": group.scores.points[name] / 2,
        **{str(tie_break): value for tie_break, value in _values(group, name)},
        "goes_on": name in group.order[: each.stage.advance] if each.is_over else None,
    }


def _columns(each: PlayedStage, group: Group) -> Iterator[Column]:
    order = group.order
    yield Column("", [str(place) for place in islice(count(1), len(order))])
    yield Column("entry", order, is_left=True)
    yield Column("matches", [str(group.scores.matches[name]) for name in order])
    yield Column("points", [f"{group.scores.points[name] / 2:g}" for name in order])
    for number, tie_break in enumerate(group.plan.tie_breaks):
        cells = [f"{_values(group, name)[number][1]:g}" for name in order]
        yield Column(_HEADINGS[tie_break], cells)
    if each.is_over:
        marks = ["goes on" if place < each.stage.advance else "" for place in range(len(order))]
        yield Column("", marks, is_left=True)


def _values(group: Group, name: str) -> list[tuple[TieBreak, float]]:
    """Return the tie-breaks of a competitor, in points."""
    _points, *values = group.keys[name]
    breaks = group.plan.tie_breaks
    return [(each, (-value or 0) / _PARTS[each]) for each, value in zip(breaks, values, strict=True)]


def _letter(number: int) -> str:
    return chr(ord("A") + number)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"
