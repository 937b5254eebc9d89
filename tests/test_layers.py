"""Who may import whom: the walls of the house, held against the imports themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {"referee": ROOT, "tournaments": ROOT, "fairdeal": ROOT / "clients/python"}

# modules that only compute: they touch no network, file, clock, or chance
PURE = (
    "referee.access",
    "referee.alarms",
    "referee.cards",
    "referee.clock",
    "referee.dealing",
    "referee.effects",
    "referee.faults",
    "referee.games",
    "referee.hall",
    "referee.limits",
    "referee.lobby",
    "referee.match",
    "referee.observer",
    "referee.place",
    "referee.plain",
    "referee.replay",
    "referee.session",
    "referee.shapes",
    "referee.server.exposure",
    "referee.server.game_clock",
    "referee.server.rules",
    "referee.table",
    "referee.tricks",
    "referee.updates",
    "tournaments.plan",
    "tournaments.printable",
    "tournaments.ratings",
    "tournaments.schedule",
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
# the server's own protobuf stays behind `wire`
PROTOBUF = {"google", "fairdeal"}
KNOW_PROTOBUF = ("referee.wire", "referee.server", "referee.testing")
# what each layer may use of the project; the closest layer counts
ALLOWED = {
    "referee.cards": (),
    "referee.tricks": ("referee.cards",),
    "referee.games": ("referee.cards", "referee.tricks", "referee.games"),
    "referee.dealing": ("referee.cards", "referee.games.options"),
    "fairdeal": ("fairdeal",),
    "fairdeal.bots": ("fairdeal",),
    "fairdeal.adapters.pettingzoo": ("fairdeal", "referee"),  # the games themselves, to train in
}


def modules() -> Iterator[tuple[str, Path]]:
    for package, source in SOURCES.items():
        for path in sorted((source / package).rglob("*.py")):
            if "_pb2" not in path.name:
                parts = path.relative_to(source).with_suffix("").parts
                yield ".".join(parts).removesuffix(".__init__"), path


MODULES = list(modules())


def imports(path: Path) -> set[str]:
    """Return all that a module imports, at its head or later."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
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
    assert {"referee.match", "referee.games.hearts.rules", "fairdeal.bots", "tournaments.cli.app"} <= names


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _path in MODULES])
def test_walls(name: str, path: Path) -> None:
    used = imports(path)
    own = {u for u in used if u.split(".")[0] in SOURCES}
    tops = {u.split(".")[0] for u in used}
    if name != "fairdeal._backoff":  # when to dial again decides nothing
        assert "random" not in tops, "chance comes from the dealing scheme or the bots' generator"
    if within(name, ("referee",)):
        assert not [u for u in own if u.startswith("tournaments")], "the referee knows no tournaments"
        if not within(name, KNOW_PROTOBUF):
            assert not tops & PROTOBUF, "only `wire` knows both domain and protobuf"
    if within(name, PURE):
        assert not tops & IMPURE, "pure logic"
    if layers := [layer for layer in ALLOWED if within(name, (layer,))]:
        closest = max(layers, key=len)
        allowed = ALLOWED[closest]
        assert not [u for u in own if not within(u, allowed)], f"{closest} may use {allowed} only"
