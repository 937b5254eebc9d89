"""Tournament files: TOML to a checked `Plan`, or what is wrong with it, each with its place.

All that is wrong with values by themselves is told at once; what is wrong between them, when each is well.
"""

import dataclasses
import math
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from fairdeal.llm.arguments import as_words
from referee.core.limits import Limits
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.faults import FaultPolicy
from tournaments.par import lineup
from tournaments.plan.cluster import RayCluster
from tournaments.plan.models import LLM, OF_PLAY, Budget, Models, ModelUse, Prices
from tournaments.plan.plan import Entry, Format, Hosting, Pace, Plan, RankBy, Remote, Server, Stage, Team
from tournaments.plan.toml_lines import KeyPath, given_twice, key_lines, line_of
from tournaments.ratings import LADDER_TAU, RatingParameters
from tournaments.store import ADDRESS, StoreError, with_store
from tournaments.tournament_file.checks import Found, Wrong, wrong_together, wrong_values
from tournaments.tournament_file.error_text import syntax_error, unreadable, words_of
from tournaments.tournament_file.schema import EntryShape, FileShape, RatingShape, StageShape
from tournaments.tournament_file.season import SeasonError, with_season
from tournaments.tournament_file.validators import Surroundings


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One problem of a file: its place (file, line, key), and in plain words what is wrong."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class ConfigError(ValueError):
    """A tournament file cannot be used; ``problems`` are all its problems, in the order of the file."""

    def __init__(self, problems: Sequence[FileProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def load(path: Path, *, to_run: bool = True, in_season: bool = True) -> Plan:
    """Return the plan that a file describes.

    ``to_run``: what a run of it needs must be there, its programs, certificates and sandbox; to read what was
    played nothing of that is looked at. Without ``in_season`` the folder is not asked which season it is.
    Where its store is in PostgreSQL and the file does not say so, FAIRDEAL_STORE has the address.

    Raises:
        ConfigError: the file cannot be read, is not TOML, or describes no tournament that can be played; or
            the folder's season cannot be read, or not how to reach its store.
    """
    folder = path.parent.absolute()
    plan = parse(_read(path), str(path), path.stem, folder, to_run=to_run, beyond=_no_folder)
    try:
        plan = with_store(plan, os.environ.get(ADDRESS))
        return replace(with_season(plan) if in_season else plan, source=path.absolute())
    except SeasonError as error:
        _refuse(str(error.place), str(error))
    except StoreError as error:
        place, _, text = str(error).partition(": ")
        _refuse(place, text)


def parse(
    text: str,
    place: str,
    stem: str,
    base: Path,
    *,
    to_run: bool = True,
    refused: Callable[[Mapping[str, Any]], Found] = lambda _data: iter(()),
    beyond: Callable[[Plan], Found] = lambda _plan: iter(()),
) -> Plan:
    """Return the plan that a text describes.

    ``place`` is what problems name as their file, ``stem`` the tournament's name where the text gives none,
    ``base`` the folder that its paths are seen from; ``to_run`` is as in `load`. ``refused`` yields what is
    told as wrong of the data whatever its value, which is not looked at; ``beyond``, what cannot be done with
    the plan of a file that is well apart from that.

    Raises:
        ConfigError: it is not TOML, or describes no tournament that can be played.
    """
    try:
        data, lines = _toml(text, place)
        plan, wrong = _checked(data, list(refused(data)), stem, Surroundings(base, to_run))
    except RecursionError:
        _refuse(f"{place}:1", "nested too deeply")
    if plan is not None and not wrong:
        wrong += beyond(plan)
    if plan is None or wrong:
        placed = sorted(((line_of(lines, at), at, what) for at, what in wrong), key=lambda each: each[0])
        raise ConfigError([FileProblem(f"{place}:{line}: {_key(at)}", what) for line, at, what in placed])
    return plan


def _toml(text: str, place: str) -> tuple[dict[str, Any], Mapping[KeyPath, int]]:
    """Return what a text says, and the line of each key."""
    try:
        data = tomllib.loads(text)
    except ValueError as error:  # the syntax, or a number beyond what Python reads
        line, what = syntax_error(text, error)
        if twice := given_twice(text, line):
            path, first = twice
            what = f"is given in line {first} already: keep one"
            if text.split("\n")[first - 1].lstrip().startswith("[["):
                what = f"write [[{path[-1]}]], with two brackets, for each of them"
            _refuse(f"{place}:{line}: {_key(path)}", what)
        _refuse(f"{place}:{line}", f"not TOML: {what}")
    if not data:
        _refuse(
            f"{place}:1", "has no settings: name a game and its entries, as examples/quickstart.toml does"
        )
    return data, key_lines(text)


def _no_folder(plan: Plan) -> Found:
    if plan.folder.is_file():
        yield ("folder",), f"{plan.folder} is a file: name a folder, which is made"


def _checked(
    data: Mapping[str, Any], refused: list[Wrong], stem: str, surroundings: Surroundings
) -> tuple[Plan | None, list[Wrong]]:
    """Return the plan of what a file says, and all that is wrong with it.

    What is wrong between keys is looked for only where each is well by itself; there is no plan before that.
    """
    wrong = list(refused)
    if refused:
        data = _without([at for at, _what in refused], data)
    try:
        shape = FileShape.model_validate(data, context=surroundings)
    except ValidationError as error:
        wrong += [(detail["loc"], words_of(detail)) for detail in error.errors()]
    wrong += wrong_values(data)
    if wrong:
        return None, wrong
    plan = _plan(shape, shape.name or stem, surroundings.folder)
    return plan, list(wrong_together(shape, plan, stem, to_run=surroundings.must_be_there))


def _without(paths: Iterable[KeyPath], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of what a file says without some keys of its tables."""
    rest: dict[str, Any] = deepcopy(dict(data))
    for *around, key in paths:
        table: Any = rest
        for part in around:
            table = table[part]
        del table[key]
    return rest


def _refuse(place: str, text: str) -> NoReturn:
    raise ConfigError([FileProblem(place, text)]) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # editors of Windows write a mark first
    except OSError as error:
        _refuse(str(path), unreadable(path, error))
    except UnicodeDecodeError as error:
        _refuse(str(path), f"is not UTF-8 text (byte {error.start})")


def _key(path: KeyPath) -> str:
    """Return a key path as people write it: ``entries[2].command``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def _plan(shape: FileShape, name: str, base: Path) -> Plan:
    hosting = shape.hosting.over(Hosting())
    stages = tuple(map(_stage, shape.stages))
    form = stages[-1].format if stages else shape.format
    plan = Plan(
        name=name,
        game=shape.game,
        options=GAMES[shape.game].bind(shape.options),
        deals=shape.match.deals if shape.match else None,
        rounds=shape.rounds or 1,
        concurrency=shape.concurrency,
        seed=shape.seed,
        base=base,
        folder=base / (shape.folder or f"{name}.fairdeal"),
        clock=ClockSettings(**shape.clock.model_dump()),
        faults=FaultPolicy(shape.faults.policy == "substitute", shape.faults.max_faults),
        rating=_rating(shape.rating, form),
        rank_by=shape.rating.rank_by or _usual_order(form),
        entries=tuple(_entry(entry, hosting) for entry in shape.entries),
        format=form,
        stages=stages,
        partners=shape.partners,
        teams=tuple(Team(team.name, team.entries) for team in shape.teams),
        challenger=shape.challenger,
        open=shape.registration == "open",
        hosting=hosting,
        remote=Remote(**shape.remote.model_dump()),
        server=Server(**shape.server.model_dump()),
        store=shape.store,
        store_patience=shape.store_patience,
        limits=Limits(**shape.limits),
        durable=shape.durability == "disk",
        event_grid=1000 * shape.event_grid,
        matches_each=shape.matches_each,
        best_of=shape.best_of,
        third_place=shape.third_place,
        tie_breaks=shape.tie_breaks,
        duplicate=bool(shape.match and shape.match.duplicate),
        shared_decks=bool(shape.match and shape.match.shared_decks),
        pace=Pace(**shape.pace.model_dump()) if shape.pace else None,
        par=lineup.named(shape.par.bot, shape.game) if shape.par else None,
        models=_models(shape),
        ray=_ray(shape) if shape.executor == "ray" else None,
    )
    if shape.rounds is None and plan.format is Format.SWISS:
        # as many as a knockout would have
        return replace(plan, rounds=max(1, math.ceil(math.log2(max(1, len(plan.competitors))))))
    return plan


def _stage(shape: StageShape) -> Stage:
    fields = shape.model_dump(exclude={"clock", "rounds", "advance"})
    clock = ClockSettings(**shape.clock.model_dump()) if shape.clock else None
    return Stage(**fields, rounds=shape.rounds or 1, advance=shape.advance or 0, clock=clock)


def _rating(shape: RatingShape, format: Format) -> RatingParameters:
    usual = LADDER_TAU if format is Format.LADDER else 0.0
    tau = usual if shape.tau is None else shape.tau
    return RatingParameters(**shape.model_dump(exclude={"tau", "rank_by"}), tau=tau)


def _usual_order(format: Format) -> RankBy:
    return RankBy.RUNNING if format is Format.LADDER else RankBy.TRUESKILL


def _entry(shape: EntryShape, common: Hosting) -> Entry:
    fields = shape.model_dump(include={field.name for field in dataclasses.fields(Entry)} - {"hosting"})
    if shape.bot == LLM:
        fields["arguments"] = model_arguments(shape)
    return Entry(**fields, hosting=shape.hosting.over(common) if shape.hosting else None)


def model_arguments(shape: EntryShape) -> tuple[str, ...]:
    """Return how a language model is asked, as the arguments of its entry; defaults are left out."""
    given = {name: getattr(shape, name) for name in OF_PLAY if name in shape.model_fields_set}
    usual = {name: field.default for name, field in EntryShape.model_fields.items()}
    return as_words({name: given[name] for name in OF_PLAY if name in given and given[name] != usual[name]})


def _ray(shape: FileShape) -> RayCluster:
    needs = {entry.name: entry.resources.as_needs() for entry in shape.entries if entry.resources}
    return RayCluster(**shape.ray.model_dump(), needs=needs)


def _models(shape: FileShape) -> Models:
    of_all = shape.models
    uses = {
        entry.name: ModelUse(
            model=entry.model,
            base_url=entry.base_url,
            key_from=entry.key_from,
            prices=Prices(**entry.prices.model_dump()) if entry.prices else None,
            budget=Budget(entry.max_tokens, entry.max_cost),
        )
        for entry in shape.entries
        if entry.bot == LLM and entry.model and entry.base_url
    }
    return Models(
        uses=uses,
        budget=Budget(of_all.max_tokens, of_all.max_cost),
        calls=of_all.calls,
        void=of_all.on_provider_failure == "void",
        transcripts=of_all.transcripts,
        are_reported=bool(uses) or "models" in shape.model_fields_set,
    )
