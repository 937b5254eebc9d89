"""`fairdeal record show`."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import typer

from referee.games.registry import GAMES, facts
from referee.games.transcript import NotWritable
from referee.storage import record, record_files
from referee.storage.record import Record, RecordError
from referee.transcript import are_of_deal, lines
from referee.verify import past, seen_by
from referee.viewer import frames, page
from tournaments.cli.failure import Failure, write_file
from tournaments.cli.record_summary import Summary
from tournaments.cli.wording import some_of
from tournaments.plan.plan import Plan
from tournaments.store import FILE, Store
from tournaments.tournament_file import reader


def show_records(
    places: Sequence[Path], *, seat: str | None, deal: int | None, summary: bool, as_json: bool
) -> None:
    """Print records: as text with empty lines between, as JSON, or one line each with a table of the entries.

    ``seat`` is the one whose knowledge is shown, as for `seat_of`, None for everything; ``deal``
    counts from 1, None for all.

    Raises:
        RecordError: a file is not a complete record, has no such deal, or does not verify, which for a
            seat's view it must; a folder holds none.
        ConfigError: a tournament's file cannot be used.
        Failure: the options do not go together, or there is no such seat.
    """
    if summary and (seat is not None or deal is not None):
        raise Failure("fairdeal record show: --summary is of whole matches: leave --seat and --deal out", 2)
    total = Summary()
    shown: list[dict[str, Any]] = []
    counted: dict[object, Path] = {}  # by attempt: it may lie in a folder both by its hash and without
    for number, file in enumerate(_each_once(each for place in places for each in files_at(place))):
        try:
            whole = read(file, seat)
            first = counted.setdefault(_attempt_of(file), file)
            if first == file:
                total.add(whole)
            elif summary:
                typer.echo(f"{file}: not counted: {first} is a record of the same attempt", err=True)
                continue
            if as_json:
                shown.append(_data(file, whole, deal, with_lines=not summary))
            elif summary:
                typer.echo(total.line(whole))
            else:
                if number:
                    typer.echo("")
                for line in lines(whole, deal=deal):
                    typer.echo(line)
        except RecordError as error:
            raise _at(file, error) from None
    if as_json:
        typer.echo(json.dumps({"records": shown, "entries": total.data()}, indent=2))
    elif summary:
        typer.echo("\n".join(total.table()))


def show_notation(place: Path) -> None:
    """Print a record in the notation that other programs have for its game.

    Raises:
        RecordError: the file is not a complete record.
        Failure: there are several, its game has no such notation, or that cannot say what happened.
    """
    file, *others = files_at(place)
    if others:
        raise _not_written(place, f"holds {1 + len(others)} records: name one", 2)
    whole = record.read(file)
    game = whole.header.get("game")
    found = facts(game, "notation") if game in GAMES else None
    if found is None:
        raise _not_written(file, f"for {game} there is no such notation", 2)
    if "seat" in whole.header:
        raise _not_written(file, "is what one seat knew: get the whole record", 2)
    try:
        told = found.notation(whole.header, whole.lines)
    except NotWritable as error:
        raise _not_written(file, str(error)) from None
    except (LookupError, TypeError, ValueError):
        raise RecordError(f"{file}: the record is damaged; get a whole copy of the file") from None
    typer.echo(json.dumps(told, indent=2))


def write_page(place: Path, output: Path | None) -> None:
    """Write the page that replays a record, by default into this directory.

    Raises:
        RecordError: the file is not a complete record, or does not verify, which the views of all seats need.
        Failure: there are several, or the page cannot be written.
    """
    file, *others = files_at(place)
    if others:
        raise Failure(f"fairdeal record show: --html: {place}: holds {1 + len(others)} records: name one", 2)
    if "seat" in record.read(file).header:
        raise Failure(f"fairdeal record show: --html: {file}: is what one seat knew: get the whole record", 2)
    try:
        data = frames(past(file.read_bytes(), name=file.name))
    except RecordError as error:
        raise _at(file, error) from None
    output = output or Path(f"{data['match_id']}.{data['attempt']}.html")
    if str(output) == "-":
        typer.echo(page(data), nl=False)
        return
    write_file("fairdeal record show", output, page(data))
    typer.echo(f"wrote {output}: open it in a browser", err=True)


def _not_written(place: Path, why: str, status: int = 1) -> Failure:
    return Failure(f"fairdeal record show: --egn: {place}: {why}", status)


def _each_once(files: Iterable[Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    for file in files:
        if (resolved := file.resolve()) not in seen:
            seen.add(resolved)
            yield file


def _attempt_of(file: Path) -> object:
    file = file.resolve()
    return (record_files.folder_of(file), *(record_files.named(file) or [file.name]))


def of_match(places: Sequence[Path], match: str) -> list[Path]:
    """Return the records at some places of the match whose id is this, or begins so.

    Raises:
        RecordError, ConfigError: as `files_at` does.
        Failure: there is none, or there are several matches.
    """
    named = [
        (of[0], file)
        for file in _each_once(each for place in places for each in files_at(place))
        if (of := record_files.named(file)) and of[0].startswith(match)
    ]
    exact = [file for name, file in named if name == match]
    names = sorted({name for name, _file in named})
    if not names:
        raise Failure(f"fairdeal record show: --match {match}: no match there has an id that begins so", 2)
    if len(names) > 1 and not exact:
        raise Failure(f"fairdeal record show: --match {match}: several begin so: {some_of(names)}", 2)
    return exact or [file for _name, file in named]


def files_at(place: Path) -> list[Path]:
    """Return the records at a place: a file, a folder, a tournament's folder, its store, or its file.

    Raises:
        RecordError: a folder holds none.
        ConfigError: a tournament's file cannot be used.
    """
    if place.suffix == ".toml" and place.is_file():
        plan = reader.load(place, to_run=False)
        if found := _of_store(plan):
            return found
        place = plan.folder
    elif place.name == FILE and place.is_file():
        place = place.parent
    if not place.is_dir():
        return [record_files.found(place)]
    if found := record_files.all_in(place):
        return found
    inside = sorted(str(each) for each in place.glob("*/") if record_files.all_in(each))
    instead = f": name a folder that holds some: {some_of(inside)}" if inside else ""
    raise RecordError(f"{place}: holds no records (*.jsonl.gz){instead}")


def _of_store(plan: Plan) -> list[Path]:
    """Return the records that a store names; those of a server's tournament lie beside those of others."""
    if plan.store is None and not (plan.folder / FILE).is_file():
        return []
    with Store.read(plan) as store:
        names = dict.fromkeys(each.result.record for each in store.attempts() if each.result)
    files = (record_files.found(plan.folder / name) for name in names if name)
    return [file.resolve() for file in files if file.is_file()]


def read(file: Path, seat: str | None) -> Record:
    """Return a record, or what one seat knew of it.

    Raises:
        RecordError: it is not complete; or, for a seat, it does not verify.
        Failure: there is no such seat.
    """
    whole = record.read(file)
    if seat is None:
        return whole
    number = seat_of("record show", whole, seat)
    return seen_by(past(file.read_bytes(), name=file.name), number)


def seat_of(command: str, whole: Record, given: str) -> int:
    """Return the seat of a record that is given by its number, or by the name of an entry with no other seat.

    Raises:
        RecordError: the record does not say who sat where.
        Failure: there is no such seat, or the entry has several.
    """
    entries = whole.header.get("entries")
    if not isinstance(entries, list):
        raise RecordError(
            "the record is damaged: it does not say who sat where; get a whole copy of the file"
        )
    found = [number for number in range(len(entries)) if given == str(number)] or [
        number for number, name in enumerate(entries) if given == name
    ]
    if len(found) == 1:
        return found[0]
    what = f"{given} has several seats" if found else f"there is no seat {given}"
    seats = ", ".join(f"{number} {name}" for number, name in enumerate(entries))
    raise Failure(f"fairdeal {command}: {what}; the seats are {seats}", 2)


def _data(file: Path, whole: Record, deal: int | None, *, with_lines: bool) -> dict[str, Any]:
    outcome = next((line for line in reversed(whole.lines) if line["type"] == "outcome"), None)
    data: dict[str, Any] = {"file": str(file), "header": whole.header, "outcome": outcome}
    if with_lines:
        data["lines"] = list(compress(whole.lines, are_of_deal(whole, deal)))
    return data


def _at(file: Path, error: RecordError) -> RecordError:
    return error if str(error).startswith(f"{file}: ") else RecordError(f"{file}: {error}")
