"""`fairdeal tournament plan`."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Final

import typer

from tournaments import schedule
from tournaments.cli import pace
from tournaments.cli.wording import warning_of_seed
from tournaments.plan.plan import Format, Plan
from tournaments.report import brackets, stage_tables
from tournaments.report.brackets import bracket_of
from tournaments.running.roster import playing
from tournaments.schedule.balance import Balance, Meetings, Span, balance
from tournaments.schedule.duplicates import set_of
from tournaments.schedule.length import length
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.seeding import seeded
from tournaments.schedule.sides import sides_of
from tournaments.schedule.swiss import resting
from tournaments.store import NothingStored, Store
from tournaments.tournament_file import reader

_RECKONED: Final = 20_000  # at most this many matches, in whole rounds, count for the figures
_LADDER: Final = (
    "A ladder has no schedule: it never closes, and pairs entries when a table is free. It seats first the"
    " entry with the least certain rating or the longest wait, with others of similar rating that it has not"
    " met recently."
)


def _with_registered(plan: Plan) -> Plan:
    """Return a plan with the entries that have registered so far."""
    if not plan.open:
        return plan
    try:
        with Store.read(plan) as store:
            return replace(plan, entries=playing(plan, store.roster()))
    except NothingStored:
        return plan


def show_plan(file: Path, as_json: bool, limit: int) -> None:
    """Print the schedule of a tournament and how balanced it is; nothing is played or written.

    At most ``limit`` matches are printed, 0: all. The figures are those of all matches.

    Raises:
        ConfigError, StoreError: the file, or the tournament's store, cannot be used.
    """
    plan = _with_registered(reader.load(file))
    if text := warning_of_seed(plan):
        typer.echo(f"warning: {text}", err=True)
    fixed = plan.format.is_fixed
    reckoned = _reckoned(plan) if fixed else plan
    known = [] if plan.format is Format.LADDER else schedule.next(plan, set(), {})
    shown = list(islice(known, limit or None))
    count = length(plan) or 0 if fixed else len(shown) + sum(1 for _ in known)
    figures = balance(plan, schedule.next(reckoned, set(), {})) if fixed else None
    bracket = bracket_of(plan, {})
    if as_json:
        matches = [
            {"number": number, "round": pairing.round, "id": pairing.match_id, "seats": pairing.entries}
            for number, pairing in enumerate(shown, 1)
        ]
        head: dict[str, object] = {
            "name": plan.name,
            "game": plan.game,
            "format": plan.format,
            "matches": length(plan),
            "matches_per_set": plan.turns,
        }
        head["matches_each"] = plan.matches_each
        head["stages"] = [asdict(stage) for stage in plan.stages]
        head |= {"best_of": plan.best_of, "third_place": plan.third_place}
        head["par"] = str(plan.par) if plan.par else None
        told = {"balance": figures and asdict(figures), "balance_rounds": figures and reckoned.rounds}
        tables = {"bracket": brackets.as_data(bracket)} if bracket else {}
        typer.echo(json.dumps({**head, "known": count, "schedule": matches, **tables, **told}, indent=2))
        return
    typer.echo(f"{plan.name} ({plan.game}): {_words(plan)}")
    for line in _table(shown):
        typer.echo(line)
    if len(shown) < count:
        typer.echo(f"and {count - len(shown)} more: --limit 0 prints all")
    if plan.stages:
        typer.echo("\n".join(["", *stage_tables.outline(plan)]))
    if bracket:
        typer.echo("\n".join(["", *brackets.as_text(plan, bracket)]))
    typer.echo()
    if reckoned.rounds < plan.rounds:
        typer.echo(f"{count} matches; of the first {_counted(reckoned.rounds, 'round')}:")
    for line in _outlook(plan, count) if figures is None else _figures(plan, figures):
        typer.echo(line)
    if (ray := plan.ray) is not None:
        typer.echo(
            f"played by a cluster of Ray ({ray.address}): a worker gets up to"
            f" {_counted(ray.batch, 'match', 'matches')} at a time and plays {plan.concurrency} at once"
        )
    for line in _models(plan, count if fixed else 0):
        typer.echo(line)
    if plan.par is not None:
        typer.echo(f"par, to take the luck of the deal out of points: {plan.par}")


def _models(plan: Plan, matches: int) -> Iterator[str]:
    """Yield what to expect of language models, of all matches where they are fixed and not too many."""
    if plan.models.uses:
        from tournaments.usage import expected  # on demand: it plays matches

        are_known = 0 < matches <= _RECKONED
        yield from expected.lines(plan, schedule.next(plan, set(), {}) if are_known else None)


def _reckoned(plan: Plan) -> Plan:
    """Return the plan with so few rounds that its figures take only seconds to compute."""
    if plan.matches_each is not None:
        return plan
    rounds = _RECKONED * plan.rounds // max(length(plan) or 0, 1)
    return replace(plan, rounds=max(1, min(plan.rounds, rounds)))


def _words(plan: Plan) -> str:
    kind = "fixed pairs" if plan.has_fixed_pairs else "entries"
    format = f"{len(plan.stages)} stages" if plan.stages else plan.format.replace("_", " ")
    words = f"{format}, {len(plan.competitors)} {kind}"
    if plan.matches_each is not None:
        words += f", {_matches(plan, plan.matches_each)} each"
    elif plan.format.is_fixed or plan.format is Format.SWISS:
        words += f", {_counted(plan.rounds, 'round')}"
    words += f", ties broken by {', '.join(plan.tie_breaks)}" if plan.tie_breaks else ""
    words += f", best of {plan.best_of}" if plan.best_of > 1 else ""
    words += ", with a match for the third place" if plan.third_place else ""
    words += f", in duplicate sets of {plan.turns} matches" if plan.duplicate else ""
    return words + (", the same decks for all sets of a round" if plan.shared_decks else "")


def _table(pairings: list[Pairing]) -> Iterator[str]:
    """Yield a line for each match, under one for all."""
    if not pairings:
        return
    seats = [f"seat {seat}" for seat in range(len(pairings[0].entries))]
    rows = [("match", "round", "id", *seats)]
    rows += [(str(n), str(p.round), p.match_id, *p.entries) for n, p in enumerate(pairings, 1)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, round_number, *texts in rows:
        cells = [number.rjust(widths[0]), round_number.rjust(widths[1]), *map(str.ljust, texts, widths[2:])]
        yield "  ".join(cells).rstrip()


def _figures(plan: Plan, figures: Balance) -> Iterator[str]:
    """Yield the balance of a schedule that is fixed from the start, in plain words."""
    if not figures.matches:
        yield _too_few(plan)
        return
    who = "everybody" if figures.challenger is None else "each of the others"
    # everybody meets the same in all turns of a set
    each, turns = _part(figures.each, plan.turns), plan.turns
    if plan.duplicate:
        sets, matches = (
            _matches(plan, figures.matches // turns),
            _counted(figures.matches, "match", "matches"),
        )
        yield f"{sets} of {turns} matches, {matches} in all; {who} plays {_range(each)} sets"
    else:
        yield f"{_matches(plan, figures.matches)}; {who} plays {_range(each)}"
    if plan.matches_each is not None and each.least < plan.matches_each:
        count = len(plan.competitors)
        yield (
            f"{count * plan.matches_each % plan.at_table} of {count} play one {_word(plan)} less:"
            f" {count} times {plan.matches_each} cannot be divided by the {plan.at_table} at a table"
        )
    if figures.challenger is None:
        yield from _meetings("any two", figures.meetings, plan)
    else:
        yield from _meetings(f"{plan.challenger} and any other", figures.challenger, plan)
        if figures.meetings.at_table.most:
            yield from _meetings("any two of the others", figures.meetings, plan)
    place = "side" if plan.has_fixed_pairs else "seat"
    if figures.seat_gap:
        yield f"the numbers of matches per {place} of an entry differ by at most {figures.seat_gap}"
    else:
        yield f"every entry has each {place} equally often"


def _meetings(who: str, meetings: Meetings, plan: Plan) -> Iterator[str]:
    """Yield how often two meet: in matches, or in duplicate sets."""
    turns, mean = plan.turns, meetings.mean / plan.turns
    place = "in sets" if plan.duplicate else "at a table"
    yield f"{who} meet {place} {_times(_part(meetings.at_table, turns), mean)}"
    if meetings.partners is not None and meetings.opponents is not None:
        yield f"{who} are partners {_times(_part(meetings.partners, turns), mean / 3)}"
        yield f"{who} are opponents {_times(_part(meetings.opponents, turns), mean * 2 / 3)}"


def _outlook(plan: Plan, known: int) -> Iterator[str]:
    """Yield what follows the matches that are known now, in plain words."""
    if plan.format is Format.LADDER:
        yield _LADDER
        if plan.pace is not None:
            yield f"pace: {pace.words(plan.pace)}"
        return
    if plan.stages and known:
        yield f"{known} matches are known; the results decide who plays in the next stage"
        again = "and up to two replays of what does not decide who goes on"
        yield f"at least {length(plan)} matches in all, {again}"
        return
    if not known:
        yield _too_few(plan)
        return
    rounds, matches = plan.rounds, length(plan)
    follows = "each later one is paired by points when the one before it is over"
    if plan.format is not Format.SWISS:
        rounds = _rounds_of_knockout(plan)
        follows = "who plays in the others follows from the results"
    yield f"{_counted(rounds, 'round')}; the first is known: {follows}" if rounds > 1 else "1 round"
    of_turns = f" of {plan.turns} matches" if plan.duplicate else ""
    least = "at least " if plan.best_of > 1 else ""
    yield f"{least}{_matches(plan, (matches or 0) // plan.turns)}{of_turns} in all" + _besides(plan)
    for entry in plan.entries:
        if entry.joins > 1:
            yield f"{entry.name} joins in round {entry.joins}"
        if entry.byes:
            said = f"round{'s' * (len(entry.byes) > 1)} {', '.join(map(str, entry.byes))}"
            yield f"{entry.name} has a bye at its own request in {said}, which counts as a draw"


def _too_few(plan: Plan) -> str:
    return f"no match can be played: {len(plan.competitors)} are too few for a table"


def _besides(plan: Plan) -> str:
    if plan.format is Format.SWISS:
        numbers = range(1, plan.rounds + 1)
        byes = {(len(plan.competitors) - len(resting(plan, each))) % plan.at_table for each in numbers}
        if len(byes) > 1:
            return f"; {min(byes)} to {max(byes)} byes in a round beside those that were asked for"
        return f"; {_counted(max(byes), 'bye')} in each round" if byes != {0} else ""
    undecided = f"{_word(plan)} that does not decide who goes on"
    kind = "series that ends level" if plan.best_of > 1 else undecided
    again = f", and up to two replays of each {kind}"
    final = plan.format is Format.DOUBLE_KNOCKOUT and plan.at_table == 2
    return again + ("; and a second final if the entry that lost before wins the first" if final else "")


def _rounds_of_knockout(plan: Plan) -> int:
    """Return the number of rounds if the better seed wins every match."""
    seeds = {name: place for place, name in enumerate(seeded(plan))}
    results: dict[str, tuple[int, ...]] = {}
    known: set[str] = set()
    rounds = 0
    while pairings := list(schedule.next(plan, known, results)):
        known.update(pairing.match_id for pairing in pairings)
        for pairing in pairings:
            places = [min(seeds[name] for name in side) for side in sides_of(plan, pairing.entries)]
            ranks = tuple(1 + sorted(places).index(place) for place in places)
            results.setdefault(set_of(pairing.match_id), ranks)
            rounds = max(rounds, pairing.round)
    return rounds


def _word(plan: Plan) -> str:
    """Return what counts as a match."""
    return "set" if plan.duplicate else "match"


def _matches(plan: Plan, number: int) -> str:
    return _counted(number, "set") if plan.duplicate else _counted(number, "match", "matches")


def _part(span: Span, parts: int) -> Span:
    return Span(span.least // parts, span.most // parts)


def _counted(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"


def _range(span: Span) -> str:
    return f"{span.least}" if span.least == span.most else f"{span.least} to {span.most}"


def _times(span: Span, mean: float) -> str:
    if span.least == span.most:
        return {1: "once", 2: "twice"}.get(span.most, f"{span.most} times")
    return f"{_range(span)} times, {mean:.2f} on average: as even as was found"
