"""Who may import whom: held against the imports themselves."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {"referee": ROOT, "tournaments": ROOT, "fairdeal": ROOT / "clients/python"}

# modules that only compute: they touch no network, file, clock, or chance
PURE = (
    "fairdeal.mcp._seat",
    "referee.cards",
    "referee.codec",
    "referee.core",
    "referee.dealing.binding",
    "referee.dealing.decks",
    "referee.dealing.scheme",
    "referee.games",
    "referee.match",
    "referee.server.blame",
    "referee.server.exposure",
    "referee.server.game_clock",
    "referee.server.permissions",
    "referee.values",
    "referee.verify",
    "tournaments.compare.sequential",
    "tournaments.compare.sets",
    "tournaments.compare.tally",
    "tournaments.plan",
    "tournaments.ratings",
    "tournaments.schedule",
    "tournaments.text",
    "tournaments.usage.account",
    "tournaments.usage.spending",
)
IMPURE = {
    "asyncio",
    "datetime",
    "grpc",
    "os",
    "random",
    "secrets",
    "socket",
    "sqlalchemy",
    "subprocess",
    "time",
}
# the server's own protobuf stays behind `codec.proto`
PROTOBUF = {"google", "fairdeal"}
KNOW_PROTOBUF = ("referee.codec.proto", "referee.server")
# the rooms of each package from the ground up: each may use those before it, and the first knows none
ROOMS = {
    "referee": (
        "values",
        "cards",
        "files",
        "games",
        "match",
        "codec",
        "dealing",
        "core",
        "storage",
        "transcript",
        "verify",
        "viewer",
        "server",
    ),
    "tournaments": (
        "arrays",
        "folder_lock",
        "ratings",
        "text",
        "worker_pool",
        "plan",
        "hosting",
        "schedule",
        "store",
        "usage",
        "standings",
        "par",
        "report",
        "tournament_file",
        "running",
        "site",
        "executors",
        "service",
        "web",
        "serving",
        "bench",
        "check",
        "compare",
        "backup",
        "cli",
    ),
}
# what may name a game outside of its folder
NAME_GAMES = (
    "fairdeal.adapters.openspiel",  # for these the rules of another project are compared
    "fairdeal.adapters.pettingzoo",  # the default game
    "fairdeal.adapters.text",  # so here
    "fairdeal.model",  # what each game tells a seat of the hidden cards
    "referee.games.registry",
    "tournaments.bench.alone",  # the games of another project, beside which ours are measured
)
# names that each game has of its own
OF_EACH_GAME = {"Dealt", "Phase"}
# what some may use of the project; the closest layer counts
ALLOWED = {
    "referee": ("referee", "fairdeal.v1"),
    "referee.dealing.scheme": ("referee.cards", "referee.games.options"),
    "fairdeal": ("fairdeal",),
    "fairdeal.bots": ("fairdeal",),
    # plays out deals on the rules' own states, which is several times as fast
    "fairdeal.bots.searcher_1": ("fairdeal", "referee"),
    "fairdeal.testing": ("fairdeal", "referee"),
    # the rules, to search in
    "fairdeal.model": ("fairdeal", "referee"),
    # the games themselves, to train in
    "fairdeal.adapters._matches": ("fairdeal", "referee"),
    "fairdeal.adapters.pettingzoo": ("fairdeal", "referee"),
    "fairdeal.adapters.text": ("fairdeal", "referee"),
}
# what others than the runtime may take of a referee's core: only what changes nothing
LOOKED_AT = {"access", "limits", "observer", "matches", "open_games", "sessions"}
LOOKED_AT |= {
    "matches.owners",
    "matches.plays",
    "matches.setups",
    "sessions.free_tables",
    "sessions.games_of",
    "sessions.is_here",
    "sessions.present",
    "sessions.welcomed",
}


def modules() -> Iterator[tuple[str, Path]]:
    for package, source in SOURCES.items():
        for path in sorted((source / package).rglob("*.py")):
            if "_pb2" not in path.name:
                parts = path.relative_to(source).with_suffix("").parts
                yield ".".join(parts).removesuffix(".__init__"), path


MODULES = list(modules())


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(path: Path) -> set[str]:
    """Return all that a module imports, at its head or later."""
    found: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_the_modules_are_found() -> None:
    names = {name for name, _path in MODULES}
    assert {
        "referee.match.match",
        "referee.games.hearts.rules",
        "fairdeal.bots",
        "tournaments.cli.app",
    } <= names


def test_a_game_is_known_in_its_folder_only() -> None:
    games = {path.name for path in (ROOT / "referee/games").iterdir() if (path / "rules.py").exists()}
    assert len(games) >= 5
    knowing = {
        name
        for name, path in MODULES
        if not within(name, (*NAME_GAMES, *(f"referee.games.{game}" for game in games)))
        for node in ast.walk(parsed(path))
        if (isinstance(node, ast.Constant) and node.value in games)
        or (
            (isinstance(node, ast.ImportFrom) and within(str(node.module), ("referee.games",)))
            and set(str(node.module).split(".")) & games
        )
    }
    assert knowing == set()


def test_no_two_classes_share_a_name() -> None:
    """What bots are told has one name for both sides, the SDK's and the referee's."""
    found: dict[tuple[bool, str], list[str]] = {}
    for module, path in MODULES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and node.name not in OF_EACH_GAME:
                found.setdefault((within(module, ("fairdeal",)), node.name), []).append(module)
    assert {name: where for (_is_sdk, name), where in found.items() if len(where) > 1} == {}


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _path in MODULES])
def test_walls(name: str, path: Path) -> None:
    used = imports(path)
    own = {u for u in used if u.split(".")[0] in SOURCES}
    tops = {u.split(".")[0] for u in used}
    # when to dial again, and what is played to be measured, decides nothing
    if name not in ("fairdeal._backoff", "tournaments.bench.alone", "tournaments.bench.cheap"):
        assert "random" not in tops, "chance comes from the dealing scheme or the bots' generator"
    if within(name, ("referee",)):
        assert not [u for u in own if u.startswith("tournaments")], "the referee knows no tournaments"
        if not within(name, KNOW_PROTOBUF):
            assert not tops & PROTOBUF, "only `codec.proto` knows both domain and protobuf"
    package, _, rest = name.partition(".")
    if rest and package in ROOMS:
        room = rest.split(".")[0]
        assert room in ROOMS[package], "a room that is in no order"
        above = tuple(f"{package}.{each}" for each in ROOMS[package][ROOMS[package].index(room) + 1 :])
        assert not [u for u in own if within(u, above)], "no room knows those above it"
    if within(name, PURE):
        assert not tops & IMPURE, "pure logic"
    if layers := [layer for layer in ALLOWED if within(name, (layer,))]:
        closest = max(layers, key=len)
        allowed = ALLOWED[closest]
        assert not [u for u in own if not within(u, allowed)], f"{closest} may use {allowed} only"


DRIVERS = ("referee.core", "referee.storage.recorder", "referee.server.runtime")


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _path in MODULES])
def test_only_who_drives_a_core_changes_it(name: str, path: Path) -> None:
    if within(name, DRIVERS):
        return
    chains = {ast.unparse(node) for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}
    taken = {chain.rpartition(".core.")[2] for chain in chains if ".core." in chain}
    assert not [each for each in taken if each.startswith(("matches", "sessions")) and each not in LOOKED_AT]
    assert {each.split(".")[0] for each in taken} <= LOOKED_AT
