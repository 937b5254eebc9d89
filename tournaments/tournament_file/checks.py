"""What is wrong with a tournament file beyond the shape of its values: between keys, and with the world."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic_core import PydanticCustomError

from fairdeal.bots.arguments import problem
from referee.core.limits import LIMITS, BadLimit, Limits
from referee.games.base import Game
from referee.games.errors import no_such
from referee.games.registry import GAMES
from referee.server.exposure import is_local
from tournaments.hosting import sandbox
from tournaments.plan.models import LLM
from tournaments.plan.plan import Format, Partners, Plan, RankBy, Server, TieBreak
from tournaments.plan.toml_lines import KeyPath
from tournaments.schedule.refusals import refusals
from tournaments.standings.ranking import RANKED_BY_SCHEDULE
from tournaments.store import StoreError
from tournaments.store.postgres import check_url
from tournaments.tournament_file import cluster, models
from tournaments.tournament_file.schema import NAME, EntryShape, FileShape
from tournaments.tournament_file.validators import in_whole_bounds, shown

Wrong = tuple[KeyPath, str]
"""What is wrong, and at which key."""

Found = Iterator[Wrong]

_WITHOUT_ROUNDS: Final = (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT, Format.LADDER)
_OF_STAGES: Final = frozenset(
    {"best_of", "challenger", "format", "matches_each", "rounds", "third_place", "tie_breaks"}
)
_OF_HOSTED: Final = ("bot", "command", "remote")


def wrong_values(data: Mapping[str, Any]) -> Found:
    """Yield what is wrong with values by themselves that the models of `schema` do not know of.

    ``data`` may be wrong in its shape, too; such parts are passed over.
    """
    for key, each in (("entries", "entry"), ("teams", "team")):
        tables = data.get(key)
        first: dict[str, int] = {}
        for index, table in enumerate(tables if isinstance(tables, list) else ()):
            name = table.get("name") if isinstance(table, dict) else None
            if isinstance(name, str) and first.setdefault(name, index) != index:
                text = f"is the name of {key}[{first[name]}] too: give each {each} a name of its own"
                yield (key, index, "name"), f"{shown(name)} {text}"
    game = GAMES.get(data["game"]) if isinstance(data.get("game"), str) else None
    options = data.get("options")
    if game is not None and isinstance(options, dict):
        yield from _options(game, options)
    limits = data.get("limits")
    if isinstance(limits, dict):
        yield from _limits(limits)


def wrong_together(shape: FileShape, plan: Plan, stem: str, *, to_run: bool) -> Found:
    """Yield what keys have wrong together, though each is right by itself, and what this machine lacks.

    ``plan`` is what the file says, ``stem`` its name. ``to_run``: also what only a run of it needs.
    """
    game = GAMES[shape.game]
    if shape.name is None and not NAME.fullmatch(stem):
        yield ("name",), f"the file's name, {shown(stem)}, cannot be the tournament's: write name = ..."
    if shape.stages:
        yield from _stages(shape)
    else:
        yield from _length(shape)
    if shape.rounds is None and plan.format is Format.SWISS and plan.open:
        yield ("rounds",), "is missing: who registers is not known yet, so say how many rounds there will be"
    if shape.rating.rank_by is not None and plan.format in RANKED_BY_SCHEDULE:
        order = "points" if plan.format is Format.SWISS else "place"
        yield ("rating", "rank_by"), f"a {plan.format} is ranked by {order}: leave it out"
    elif shape.rating.rank_by is RankBy.POINTS and plan.format is Format.LADDER:
        text = 'points need equally many matches for all: write "running" or "trueskill"'
        yield ("rating", "rank_by"), f"on a ladder {text}"
    yield from _tie_breaks(shape, plan.format)
    if not game.has_partners:
        for key in sorted({"partners", "teams"} & shape.model_fields_set):
            yield (key,), f"{game.name} is not a game of partners: leave it out"
    if shape.pace is not None and shape.format is not Format.LADDER:
        yield ("pace",), f"is for ladders, and this is a {shape.format}: leave it out"
    elif shape.pace is not None and not any(shape.pace.model_dump().values()):
        yield ("pace",), "limits nothing: write matches_per_day = 100, for example, or leave it out"
    if shape.par is not None and plan.par is None:
        yield ("par", "bot"), f"{shape.par.bot} gives no par for {game.name}: leave [par] out"
    if shape.par is not None and plan.duplicate:
        yield ("par",), "and duplicate sets both take the luck of the deal out: keep one"
    yield from _entries(shape.entries)
    yield from models.wrong(shape, to_run=to_run)
    yield from cluster.wrong(shape, plan, to_run=to_run)
    yield from _late(shape, plan)
    yield from _teams(plan)
    for key, text in refusals(plan):
        yield _path(key), text
    if plan.store is not None:
        try:
            check_url(plan.store)
        except StoreError as error:
            yield ("store",), str(error)
    if to_run:
        yield from _server(plan.server)
        yield from _sandbox(plan)


def _length(shape: FileShape) -> Found:
    """Yield what is wrong with how long it is."""
    if shape.rounds is not None and shape.format in _WITHOUT_ROUNDS:
        yield ("rounds",), f"a {shape.format} has no number of rounds: leave it out"
    if shape.matches_each is not None and shape.format is not Format.ROUND_ROBIN:
        yield ("matches_each",), f"only a round robin has it, and this is a {shape.format}: leave it out"
    elif shape.matches_each is not None and shape.rounds is not None:
        yield ("matches_each",), "and rounds both say how long the round robin is: keep one"


def _path(key: str) -> KeyPath:
    return tuple(int(part) if part.isdigit() else part for part in key.split("."))


def _stages(shape: FileShape) -> Found:
    """Yield what is wrong between the keys of stages, and with keys of the file that these have."""
    for key in sorted(_OF_STAGES & shape.model_fields_set):
        yield (key,), "is said by each of the [[stages]]: leave it out"
    first: dict[str, int] = {}
    for index, stage in enumerate(shape.stages):
        if first.setdefault(stage.name, index) != index:
            text = f"{shown(stage.name)} is the name of stages[{first[stage.name]}] too: give each its own"
            yield ("stages", index, "name"), text
        if stage.format.is_knockout:
            for key in sorted({"rounds", "tie_breaks"} & stage.model_fields_set):
                yield ("stages", index, key), f"a {stage.format} has none: leave it out"
        elif stage.format is Format.SWISS and stage.rounds is None:
            yield ("stages", index, "rounds"), "is missing: how many rounds has the swiss?"
        if TieBreak.FIT in stage.tie_breaks:
            text = "who goes on is decided by the matches of the group alone: leave fit out"
            yield ("stages", index, "tie_breaks"), text


def _tie_breaks(shape: FileShape, form: Format) -> Found:
    if not shape.tie_breaks or form is Format.SWISS or shape.stages:
        return
    if form is not Format.ROUND_ROBIN:
        yield ("tie_breaks",), f"separate equal points, and a {form} has none: leave it out"
    elif shape.rating.rank_by is not RankBy.POINTS:
        text = 'separate equal points, and this is not ranked by them: write rank_by = "points" in [rating]'
        yield ("tie_breaks",), text


def _late(shape: FileShape, plan: Plan) -> Found:
    """Yield what is wrong with when entries play."""
    for index, entry in enumerate(shape.entries):
        for key in sorted({"byes", "joins"} & entry.model_fields_set):
            last = max(entry.byes, default=1) if key == "byes" else entry.joins
            if plan.format is not Format.SWISS:
                text = f"is for a swiss, and this is a {plan.format}: leave it out"
                yield ("entries", index, key), text
            elif last > plan.rounds:
                yield ("entries", index, key), f"names round {last}, and there are {plan.rounds}"


def _sandbox(plan: Plan) -> Found:
    is_tried = False
    for index, entry in enumerate(plan.entries):
        hosting = entry.hosting or plan.hosting
        if hosting.sandbox != "bubblewrap" or not (entry.bot or entry.command) or entry.remote:
            continue
        if not is_tried and (why := sandbox.probe()):
            yield ("entries", index) if entry.hosting else ("hosting", "sandbox"), why
            return
        is_tried = True  # once is enough
        if entry.command and (why := sandbox.refusal(entry.command, plan.base, (plan.folder,))):
            yield ("entries", index, "command"), why


def _teams(plan: Plan) -> Found:
    if plan.teams and plan.partners is not Partners.FIXED:
        yield ("teams",), 'teams play together for a whole tournament: write partners = "fixed", or no teams'
    entries = {entry.name for entry in plan.entries}
    first: dict[str, int] = {}
    for index, team in enumerate(plan.teams):
        if team.name in entries:
            yield ("teams", index, "name"), f"{shown(team.name)} is taken: give each team a name of its own"
        for name in team.entries:
            if name not in entries:
                text = f"{shown(name)}: {no_such('entry', name, sorted(entries))}"
                yield ("teams", index, "entries"), text
            elif first.setdefault(name, index) != index:
                text = f"{name} is in team {plan.teams[first[name]].name} already: one team each"
                yield ("teams", index, "entries"), text


def _server(server: Server) -> Found:
    if bool(server.certificate) != bool(server.key) or (server.client_ca and not server.certificate):
        yield ("server",), "TLS takes certificate and key together: fairdeal certs makes both"
    elif not (server.certificate or server.insecure or is_local(server.listen)):
        text = "other machines could reach it: add certificate and key (fairdeal certs makes them)"
        yield ("server", "listen"), f"{text}, or insecure = true if that is intended"


def _options(game: Game[Any], given: Mapping[str, object]) -> Found:
    known = {option.name: option for option in game.options}
    for name, value in given.items():
        if name not in known:
            yield ("options", name), no_such("option", name, sorted(known))
        elif known[name].problem(value):
            yield ("options", name), f"must be {known[name].bounds}, is {shown(value)}"


def _limits(given: Mapping[str, object]) -> Found:
    good: dict[str, int] = {}
    for name, value in given.items():
        if name not in LIMITS:
            yield ("limits", name), no_such("limit", name, sorted(LIMITS))
            continue
        bounds = LIMITS[name].metadata
        try:
            good[name] = in_whole_bounds(value, bounds["low"], bounds["high"])
        except PydanticCustomError as error:
            yield ("limits", name), str(error)
    try:
        Limits(**good)
    except BadLimit as error:  # of two that do not go together
        yield ("limits", next(reversed(good))), str(error)


def _entries(entries: Sequence[EntryShape]) -> Found:
    for index, entry in enumerate(entries):
        given = [key for key in _OF_HOSTED if getattr(entry, key) not in (None, False)]
        if len(given) > 1:
            yield ("entries", index), f"has {' and '.join(given)}: keep one"
        elif not given:
            text = "has no bot: give bot = a house bot, or command = ..., or remote = true when it dials in"
            yield ("entries", index), text
        if entry.hosting and entry.remote:
            yield ("entries", index, "hosting"), "is for bots that are started here: leave it out"
        if entry.bot is None:
            if "arguments" in entry.model_fields_set and given:
                text = "belongs to a house bot: write the arguments of a command into the command"
                yield ("entries", index, "arguments"), text
        elif entry.bot != LLM and (wrong := problem(entry.bot, entry.arguments)):
            yield ("entries", index, "arguments"), wrong
