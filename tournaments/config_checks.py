"""What is wrong with a tournament file beyond the shape of its values: between keys, and with the world."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic_core import PydanticCustomError

from fairdeal.bots import NAMES
from fairdeal.bots.arguments import problem
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.limits import LIMITS, BadLimit, Limits
from referee.server.exposure import is_local
from tournaments import sandbox
from tournaments.config_shapes import NAME, in_whole_bounds, no_such, shown
from tournaments.plan import Format, Partners, Plan
from tournaments.schedule.refusals import refusals
from tournaments.store import StoreError
from tournaments.store.database import check_url
from tournaments.toml_places import KeyPath

Found = Iterator[tuple[KeyPath, str]]
"""What is wrong, and at which key."""

_WITHOUT_ROUNDS: Final = {Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT, Format.LADDER}
_OF_HOSTED: Final = ("bot", "command", "remote")


def beyond_shape(data: Mapping[str, Any], stem: str) -> Found:
    """Yield what is wrong between keys; a wrong shape is passed over, since it is told already."""
    if "name" not in data and not NAME.fullmatch(stem):
        yield ("name",), f"the file's name, {shown(stem)}, cannot be the tournament's: write name = ..."
    game = GAMES.get(data["game"]) if isinstance(data.get("game"), str) else None
    options = data.get("options")
    if game is not None and isinstance(options, dict):
        yield from _options(game, options)
    limits = data.get("limits")
    if isinstance(limits, dict):
        yield from _limits(limits)
    if "rounds" in data and data.get("format") in _WITHOUT_ROUNDS:
        yield ("rounds",), f"a {data['format']} has no number of rounds: leave it out"
    if data.get("format") == Format.SWISS and data.get("registration") == "open" and "rounds" not in data:
        yield ("rounds",), "is missing: who registers is not known yet, so say how many rounds there will be"
    if game is not None and not game.has_partners:
        for key in ("partners", "teams"):
            if key in data:
                yield (key,), f"{game.name} is no game of partners: leave it out"
    entries = data.get("entries")
    if isinstance(entries, list):
        yield from _entries(entries)


def beyond_plan(plan: Plan) -> Found:
    """Yield what cannot be done with a plan whose values are well by themselves."""
    yield from _teams(plan)
    for key, text in refusals(plan):
        yield tuple(key.split(".")), text
    yield from _server(plan)
    if plan.store is not None:
        try:
            check_url(plan.store)
        except StoreError as error:
            yield ("store",), str(error)
    for index, entry in enumerate(plan.entries):
        hosting = entry.hosting or plan.hosting
        if hosting.sandbox != "bubblewrap" or entry.remote:
            continue
        if why := sandbox.probe():
            place: KeyPath = ("entries", index) if entry.hosting else ("hosting", "sandbox")
            yield place, why
            return  # once is enough
        if entry.command and (why := sandbox.refusal(entry.command, plan.base, (plan.folder,))):
            yield ("entries", index, "command"), why


def _teams(plan: Plan) -> Found:
    if plan.teams and plan.partners is not Partners.FIXED:
        yield ("teams",), 'teams play together for a whole tournament: write partners = "fixed", or no teams'
    entries = {entry.name for entry in plan.entries}
    first: dict[str, int] = {}
    names: set[str] = set()
    for index, team in enumerate(plan.teams):
        if team.name in entries or team.name in names:
            yield ("teams", index, "name"), f"{shown(team.name)} is taken: give each team a name of its own"
        names.add(team.name)
        for name in team.entries:
            if name not in entries:
                yield ("teams", index, "entries"), f"{shown(name)}: {no_such('entry', name, entries)}"
            elif first.setdefault(name, index) != index:
                other = plan.teams[first[name]].name
                yield ("teams", index, "entries"), f"{name} is in team {other} already: one team each"


def _server(plan: Plan) -> Found:
    server = plan.server
    if bool(server.certificate) != bool(server.key) or (server.client_ca and not server.certificate):
        yield ("server",), "TLS takes certificate and key together: fairdeal certs makes both"
        return
    if not (server.certificate or server.insecure or is_local(server.listen)):
        text = "other machines could reach it: add certificate and key (fairdeal certs makes them)"
        yield ("server", "listen"), f"{text}, or insecure = true if that is meant"


def _options(game: Game[Any], given: Mapping[str, object]) -> Found:
    known = {option.name: option for option in game.options}
    for name, value in given.items():
        if name not in known:
            yield ("options", name), no_such("option", name, known)
        elif known[name].problem(value):
            yield ("options", name), f"must be {known[name].bounds}, is {shown(value)}"


def _limits(given: Mapping[str, object]) -> Found:
    good: dict[str, int] = {}
    for name, value in given.items():
        if name not in LIMITS:
            yield ("limits", name), no_such("limit", name, LIMITS)
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


def _entries(entries: Sequence[object]) -> Found:
    first: dict[object, int] = {}
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name = entry.get("name")
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield (
                ("entries", index, "name"),
                f"{shown(name)} is the name of entries[{first[name]}] too: give each entry a name of its own",
            )
        given = [key for key in _OF_HOSTED if entry.get(key, False) is not False]
        if len(given) > 1:
            yield ("entries", index), f"has {' and '.join(given)}: keep one"
        elif not given:
            text = "is no bot: give bot = a house bot, or command = ..., or remote = true when it dials in"
            yield ("entries", index), text
        if "hosting" in entry and "remote" in given:
            yield ("entries", index, "hosting"), "is for bots that are started here: leave it out"
        if "arguments" in entry and given and "bot" not in given:
            yield (
                ("entries", index, "arguments"),
                "belongs to a house bot: write the arguments of a command into the command",
            )
        elif wrong := _wrong_arguments(entry.get("bot"), entry.get("arguments")):
            yield ("entries", index, "arguments"), wrong


def _wrong_arguments(bot: object, arguments: object) -> str | None:
    """Say what a house bot would refuse; arguments that are no words are refused by their shape."""
    if bot not in NAMES or not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        return None
    if {"-h", "--help"} & set(arguments):
        return "must not ask for help: the bot would print it and end"
    return problem(str(bot), arguments)
