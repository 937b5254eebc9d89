"""What is wrong with a tournament file beyond the shape of its values: between keys, and with the world."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import PydanticCustomError

from fairdeal.bots import NAMES
from fairdeal.bots.arguments import problem
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.limits import LIMITS, BadLimit, Limits
from referee.server.exposure import is_local
from tournaments import sandbox
from tournaments.config_shapes import NAME, check_entry_name, in_whole_bounds, no_such, shown
from tournaments.plan import Format, Partners, Plan
from tournaments.schedule.refusals import refusals
from tournaments.store import StoreError
from tournaments.store.database import check_url
from tournaments.toml_places import KeyPath

Found = Iterator[tuple[KeyPath, str]]
"""What is wrong, and at which key."""

_WITHOUT_ROUNDS: Final = (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT, Format.LADDER)
_OF_HOSTED: Final = ("bot", "command", "remote")

# what a refusal looks at besides who takes part, by the key at which it is told
_LOOKED_AT: Final[Mapping[str, tuple[KeyPath, ...]]] = {
    "entries": (("game",), ("format",), ("registration",), ("partners",)),
    "partners": (("game",), ("format",), ("partners",)),
    "rounds": (("game",), ("format",), ("registration",), ("partners",), ("rounds",)),
    "challenger": (("game",), ("format",), ("registration",), ("partners",), ("challenger",)),
    "remote.no_show": (("format",), ("remote", "no_show")),
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """The keys whose values are not known, since what is written there is wrong.

    What is said beside them must hold whatever they turn out to be.
    """

    paths: frozenset[KeyPath]

    def about(self, *path: str | int) -> bool:
        """Tell whether a value is not known, or one around it."""
        return any(path[:length] in self.paths for length in range(1, len(path) + 1))

    def about_each(self, key: str, last: str) -> bool:
        """Tell whether a value is not known in one of several tables, or which tables there are."""
        return (key,) in self.paths or any(
            path[0] == key and (len(path) == 2 or path[2:] == (last,)) for path in self.paths
        )

    @property
    def about_names(self) -> bool:
        """Tell whether it is not known what all entries are called."""
        return self.about_each("entries", "name")

    @property
    def about_teams(self) -> bool:
        """Tell whether it is not known what all teams are called, or who is in them."""
        return self.about_each("teams", "name") or self.about_each("teams", "entries")


def same_names(data: Mapping[str, Any]) -> Found:
    """Yield the names that are there twice, of entries and of teams."""
    for key, each in (("entries", "entry"), ("teams", "team")):
        tables = data.get(key)
        first: dict[str, int] = {}
        for index, table in enumerate(tables if isinstance(tables, list) else ()):
            name = table.get("name") if isinstance(table, dict) else None
            if isinstance(name, str) and first.setdefault(name, index) != index:
                text = f"is the name of {key}[{first[name]}] too: give each {each} a name of its own"
                yield (key, index, "name"), f"{shown(name)} {text}"


def beyond_shape(data: Mapping[str, Any], stem: str, doubt: Doubt) -> Found:
    """Yield what is wrong between keys; a wrong shape is passed over, since it is told already."""
    if "name" not in data and not doubt.about("name") and not NAME.fullmatch(stem):
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
    is_open_swiss = data.get("format") == Format.SWISS and data.get("registration") == "open"
    if is_open_swiss and "rounds" not in data and not doubt.about("rounds"):
        yield ("rounds",), "is missing: who registers is not known yet, so say how many rounds there will be"
    if game is not None and not game.has_partners:
        for key in ("partners", "teams"):
            if key in data:
                yield (key,), f"{game.name} is no game of partners: leave it out"
    entries = data.get("entries")
    if isinstance(entries, list):
        yield from _entries(entries, doubt)


def beyond_plan(plan: Plan, doubt: Doubt, *, to_run: bool) -> Found:
    """Yield what cannot be done with a plan whose values are well by themselves.

    Of values in ``doubt`` anything sound stands in the plan. ``to_run``: also what only a run of it needs.
    """
    yield from _teams(plan, doubt)
    yield from _refusals(plan, doubt)
    if plan.store is not None:
        try:
            check_url(plan.store)
        except StoreError as error:
            yield ("store",), str(error)
    if to_run:
        yield from _server(plan, doubt)
        yield from _sandbox(plan, doubt)


def _refusals(plan: Plan, doubt: Doubt) -> Found:
    names = doubt.about_names or (plan.has_fixed_pairs and doubt.about_teams)
    number = doubt.about("entries") or (plan.has_fixed_pairs and names)  # of those who take part
    challenger = names and plan.format is Format.GAUNTLET and plan.challenger is not None
    who = {"challenger": challenger, "entries": number, "rounds": number}
    for key, text in refusals(plan):
        if not (who.get(key, False) or any(doubt.about(*path) for path in _LOOKED_AT[key])):
            yield tuple(key.split(".")), text


def _sandbox(plan: Plan, doubt: Doubt) -> Found:
    is_tried = False
    for index, entry in enumerate(plan.entries):
        hosting = entry.hosting or plan.hosting
        own: KeyPath = ("entries", index)
        is_hosted = (entry.bot or entry.command) and not (entry.remote or doubt.about(*own, "remote"))
        if hosting.sandbox != "bubblewrap" or not is_hosted or doubt.about(*own, "hosting", "sandbox"):
            continue
        if not is_tried and (why := sandbox.probe()):
            yield own if entry.hosting else ("hosting", "sandbox"), why
            return
        is_tried = True  # once is enough
        if entry.command and (why := sandbox.refusal(entry.command, plan.base, (plan.folder,))):
            yield (*own, "command"), why


def _teams(plan: Plan, doubt: Doubt) -> Found:
    if plan.teams and plan.partners is not Partners.FIXED and not doubt.about("partners"):
        yield ("teams",), 'teams play together for a whole tournament: write partners = "fixed", or no teams'
    entries = {
        entry.name for index, entry in enumerate(plan.entries) if not doubt.about("entries", index, "name")
    }
    first: dict[str, int] = {}
    for index, team in enumerate(plan.teams):
        if team.name in entries:
            yield ("teams", index, "name"), f"{shown(team.name)} is taken: give each team a name of its own"
        if doubt.about("teams", index, "entries"):
            continue
        for name in team.entries:
            if name not in entries:
                # an entry whose name is in doubt may be the one, unless no entry can be called so
                if not doubt.about_names or check_entry_name(name):
                    yield ("teams", index, "entries"), f"{shown(name)}: {no_such('entry', name, entries)}"
            elif first.setdefault(name, index) != index:
                other = first[name]
                is_known = not doubt.about("teams", other, "name")
                team_of = f"team {plan.teams[other].name}" if is_known else f"teams[{other}]"
                yield ("teams", index, "entries"), f"{name} is in {team_of} already: one team each"


def _server(plan: Plan, doubt: Doubt) -> Found:
    server = plan.server
    # what is given and wrong is given all the same
    certificate, key, client_ca, insecure = (
        bool(getattr(server, name)) or doubt.about("server", name)
        for name in ("certificate", "key", "client_ca", "insecure")
    )
    if certificate != key or (client_ca and not certificate):
        yield ("server",), "TLS takes certificate and key together: fairdeal certs makes both"
        return
    if not (certificate or insecure or is_local(server.listen)):
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


def _entries(entries: Sequence[object], doubt: Doubt) -> Found:
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        given = [key for key in _OF_HOSTED if entry.get(key, False) is not False]
        if len(given) > 1:
            yield ("entries", index), f"has {' and '.join(given)}: keep one"
        elif not given and not any(doubt.about("entries", index, key) for key in _OF_HOSTED):
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
