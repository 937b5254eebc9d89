"""ARCHITECTURE.md and CONTRIBUTING.md, compared with the code that they describe."""

import ast
import asyncio
import re
import sys
import threading
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

import referee
import tournaments
from fairdeal.testing import SCRIPTS, serving
from tests.docs.conftest import Page
from tests.test_layers import ALLOWED, MODULES, ROOMS, SOURCES, imports, within
from tests.workspace import PATIENCE

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ("ARCHITECTURE.md", "CONTRIBUTING.md")
OTHER_MODULES: Final = "(modules)"
STEPS: Final = 12
TURN: Final = ("referee/storage/recorder.py", "Recorder.turn")
TOLD: Final = ("referee/core/session.py", "Session.release")

_BLOCK: Final = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEAD: Final = re.compile(r"\| (\w+)/ +(.*) \|")
_ROOM: Final = re.compile(r"\| (\(?\w+\)?) +\S.* \|")
_RULE: Final = re.compile(r"\+-+\+")
_ARROW: Final = re.compile(r"^([\w.]+) +--> (.+)$", re.MULTILINE)
_SPAN: Final = re.compile(r"`([^`]+)`")
_START: Final = re.compile(r"\n(?=\s*(?:- |\d+\. |\| |\n))")
_NAME: Final = re.compile(r"[A-Za-z_]\w*(\.\w+)?")
_STEP: Final = re.compile(r"^(\d+)\. ", re.MULTILINE)


# What is named


@cache
def names_of(path: str) -> frozenset[str]:
    """Return all that a module defines at its top or in its classes, as `Class.member`."""
    found: set[str] = set()

    def take(body: list[ast.stmt], prefix: str = "") -> None:
        for node in body:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found.add(prefix + name)
                case ast.ClassDef(name=name, body=inner):
                    found.add(prefix + name)
                    take(inner, f"{name}.")
                case ast.Assign(targets=targets):
                    found.update(prefix + each.id for each in targets if isinstance(each, ast.Name))
                case ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(prefix + name)

    take(ast.parse((ROOT / path).read_text()).body)
    return frozenset(found)


def spans(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands in backticks, each with the module that was named last in its item or cell."""
    for part in _START.split(text):
        module = ""
        for span in _SPAN.findall(part):
            if span.endswith(".py"):
                module = span
            yield module, span


def wrong_with(module: str, span: str, targets: frozenset[str]) -> str | None:
    """Return what is wrong with what stands in backticks: a file, a command, a package, or a name."""
    words = span.split()
    if words[0] == "make":
        unknown = [word for word in words[1:] if "=" not in word and word not in targets]
        return f"no target of the Makefile: {unknown[0]}" if unknown else None
    if len(words) > 1:
        lost = [word for word in words if word.startswith("tests/") and not (ROOT / word).exists()]
        return f"there is no {lost[0]}" if lost else None
    if "/" in span or (ROOT / span).exists():
        return None if (ROOT / span).exists() else f"there is no {span}"
    if span.split(".")[0] in SOURCES:
        known = {name for name, _path in MODULES} | set(SOURCES)
        return None if span in known else f"there is no module {span}"
    if not _NAME.fullmatch(span):
        return f"{span!r} is no file, command, module or name"
    if not module:
        return f"no file is named before {span}"
    return None if span in names_of(module) else f"{module} has no {span}"


@pytest.fixture(scope="module")
def targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_what_is_named_exists(page: type[Page], name: str, targets: frozenset[str]) -> None:
    prose = page(name).prose
    found = [wrong_with(module, span, targets) for module, span in spans(prose)]
    assert len(found) > 20
    assert not [wrong for wrong in found if wrong]


@pytest.mark.parametrize(
    ("module", "span", "wrong"),
    [
        ("", "make tea", "no target"),
        ("", "pytest -q tests/gmaes", "there is no"),
        ("", "referee/hall.py", "there is no"),
        ("", "referee.hall", "there is no module"),
        ("", "Core", "no file is named"),
        ("referee/core/core.py", "Core.answer", "has no Core.answer"),
        ("referee/core/core.py", "not a name", None),
        ("referee/core/core.py", "Core._end", None),
        ("", "make test-clients KITS=go", None),
    ],
)
def test_what_does_not_exist_is_found(
    module: str, span: str, wrong: str | None, targets: frozenset[str]
) -> None:
    found = wrong_with(module, span, targets)
    assert wrong in (found or "") if wrong else found is None


# The picture


@pytest.fixture(scope="module")
def picture() -> str:
    (found,) = _BLOCK.findall((ROOT / "ARCHITECTURE.md").read_text())
    assert max(map(len, found.splitlines())) <= 80
    return str(found)


def stacks(picture: str) -> dict[str, list[list[str]]]:
    """Return the rooms of each package, line by line from the top."""
    found: dict[str, list[list[str]]] = {}
    package = ""
    for line in picture.splitlines():
        if head := _HEAD.fullmatch(line):
            package = head[1]
            found[package] = []
        elif room := _ROOM.fullmatch(line):
            found[package][-1].append(room[1])
        elif _RULE.fullmatch(line) and package:
            found[package].append([])
    return {package: [layer for layer in layers if layer] for package, layers in found.items()}


def rooms(package: str) -> set[str]:
    """Return the rooms that there are; what is no package of the SDK stands in the picture as one."""
    folder = SOURCES[package] / package
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return packages | ({OTHER_MODULES} if package == "fairdeal" else modules)


@pytest.mark.parametrize("package", SOURCES)
def test_the_picture_has_every_room_once(picture: str, package: str) -> None:
    drawn = [room for layer in stacks(picture)[package] for room in layer]
    assert sorted(drawn) == sorted(rooms(package))


@pytest.mark.parametrize("package", ROOMS)
def test_the_picture_has_the_order_that_the_walls_have(picture: str, package: str) -> None:
    order = {room: height for height, room in enumerate(ROOMS[package])}
    for upper, lower in pairwise(stacks(picture)[package]):
        assert min(order[room] for room in upper) > max(order[room] for room in lower)


@pytest.fixture(scope="module")
def used() -> dict[str, set[str]]:
    """Return what each module imports."""
    return {name: imports(path) for name, path in MODULES}


@pytest.mark.parametrize("package", SOURCES)
def test_rooms_use_only_what_stands_below_their_line(
    picture: str, used: dict[str, set[str]], package: str
) -> None:
    height = {room: at for at, layer in enumerate(reversed(stacks(picture)[package])) for room in layer}

    def room_of(name: str) -> str:
        room = [*name.split("."), ""][1]
        return room if room in height else OTHER_MODULES

    arrows = {
        (room_of(name), room_of(each))
        for name, all_used in used.items()
        for each in all_used
        # the package itself only shows what is in its rooms
        if within(name, (package,)) and name != package and each.startswith(f"{package}.")
    }
    assert len(arrows) >= len(height) - 1
    upward = {(above, below) for above, below in arrows if height[above] <= height[below]}
    assert not {(above, below) for above, below in upward if above != below}


def test_the_arrows_are_those_of_the_walls(picture: str, used: dict[str, set[str]]) -> None:
    drawn = {source: frozenset(targets.split(", ")) for source, targets in _ARROW.findall(picture)}
    tops = {each.split(".")[0] for name in used if within(name, ("tournaments",)) for each in used[name]}
    assert drawn.pop("tournaments") == (tops & set(SOURCES)) - {"tournaments"}
    outside = {source: frozenset(allowed) - {source.split(".")[0]} for source, allowed in ALLOWED.items()}
    assert drawn == {source: allowed for source, allowed in outside.items() if allowed}


@pytest.mark.parametrize("package", [referee, tournaments])
def test_the_short_map_is_that_of_the_picture(picture: str, package: Any) -> None:
    lines = re.findall(r"^    (\S.*?)  ", package.__doc__, re.MULTILINE)
    drawn = stacks(picture)[package.__name__]
    assert [set(line.split(", ")) for line in lines] == [set(layer) for layer in drawn]


def test_every_folder_of_tests_has_its_place(page: type[Page]) -> None:
    folders = {path.name for path in (ROOT / "tests").glob("[!_.]*") if any(path.glob("[!_.]*"))}
    assert not [name for name in folders if f"tests/{name}" not in page("CONTRIBUTING.md").prose]


# The trip of an answer


def steps() -> list[list[tuple[str, str]]]:
    """Return what each step of an answer names, as module and name."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = text.split("## An answer", 1)[1].split("\n## ", 1)[0].split("\n\nMost answers")[0]
    parts = _STEP.split(section)[2::2]
    return [[(module, span) for module, span in spans(part) if module != span] for part in parts]


def test_an_answer_takes_the_steps_in_their_order() -> None:
    """Look for each step of the page in what a referee calls, from an answer to the end of its match."""
    wanted = steps()
    assert len(wanted) == STEPS
    modules = {str(ROOT / module): module for step in wanted for module, _name in step}
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call" and (module := modules.get(frame.f_code.co_filename)):
            calls.append((module, frame.f_code.co_qualname))

    async def play() -> None:
        async with serving("two_handed_spades", deals=1) as served, asyncio.timeout(PATIENCE):
            bots = [SCRIPTS["good"](served.address, name) for name in "ab"]
            report, *_ = await asyncio.gather(served.play("a", "b"), *(bot.run() for bot in bots))
            served.referee.settle(report)

    threading.setprofile(note)  # records are written in a thread
    sys.setprofile(note)
    try:
        asyncio.run(play())
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    answered = calls.index(("referee/match/match.py", "Match.move"))
    at = max(i for i, call in enumerate(calls[:answered]) if call == wanted[0][0])
    # up to what is told of this answer, no other turn may be taken for its own
    turns = (i for i, call in enumerate(calls) if call == TURN and i > at)
    _own, end = next(turns), next(turns)
    for step in wanted:
        for call in step:
            assert call in calls[at:end], f"{call} is not called after what stands before it"
            at = calls.index(call, at)
            if call == TOLD:
                end = len(calls)
