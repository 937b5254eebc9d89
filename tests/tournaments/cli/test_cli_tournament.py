import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tournaments.cli.tournament
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.kept import restored
from tournaments.running.errors import RunFailed
from tournaments.store import Store
from tournaments.tournament_file.reader import load

PAIR = """game = "two_handed_spades"
match = { deals = 1 }
[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "two"
bot = "random"
"""
BAD = """game = "two_handed_spads"
rounds = 0
[options]
target = 1
[clock]
moves = 3
[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "one"
command = "no-such-command --fast"
[[entries]]
name = "three"
"""


@pytest.fixture(params=["run", "plan"])
def refused(request: pytest.FixtureRequest, fairdeal: Fairdeal, tmp_path: Path) -> Callable[[str], list[str]]:
    """Return a function that gives what is said of a bad file, line by line, without the file's name."""

    def refuse(text: str) -> list[str]:
        path = tmp_path / "cup.toml"
        path.write_text(text)
        done = fairdeal("tournament", request.param, path)
        assert (done.status, done.out) == (2, "")
        assert list(tmp_path.iterdir()) == [path]  # nothing was begun
        lines = done.err.splitlines()
        assert all(line.startswith(f"{path}:") for line in lines)
        return [line.removeprefix(f"{path}:") for line in lines]

    return refuse


def test_all_mistakes_are_named_at_once_with_their_places(refused: Callable[[str], list[str]]) -> None:
    assert [line.split(": ")[:2] for line in refused(BAD)] == [
        ["1", "game"],
        ["2", "rounds"],
        ["6", "clock.moves"],
        ["11", "entries[1].name"],
        ["12", "entries[1].command"],
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAIR.replace("spades", "spads"), '1: game: "two_handed_spads": no such game; did you mean'),
        (f"{PAIR}[options]\ntargt = 100\n", "10: options.targt: no such option; did you mean target?"),
        (f"{PAIR}[options]\ntarget = 5\n", "10: options.target: must be 50 to 5000, is 5"),
        (f"rounds = 0\n{PAIR}", "1: rounds: must be a whole number from 1 to"),
        (PAIR.replace('"two"', '"one"'), '7: entries[1].name: "one" is the name of entries[0] too'),
        (
            PAIR.replace('bot = "random"', 'command = "no-such-command"'),
            "8: entries[1].command: the command 'no-such-command' is not on the PATH",
        ),
        (
            PAIR.replace('bot = "random"', 'command = "greedy"'),
            '8: entries[1].command: greedy is a house bot and no command: write bot = "greedy"',
        ),
        (
            PAIR.replace('bot = "random"', 'command = ["greddy", "--blunder", "0.1"]'),
            "8: entries[1].command: the command 'greddy' is not on the PATH: if you mean the house bot"
            ' greedy, write bot = "greedy" and arguments = ["--blunder", "0.1"]',
        ),
        (
            PAIR.replace('bot = "random"', 'command = "./nothing"'),
            "8: entries[1].command: the command './nothing' is not there",
        ),
        (PAIR.replace('bot = "random"', 'bot = "clever"'), "8: entries[1].bot:"),
        ("game = hearts\n", "1: not TOML: "),
    ],
)
def test_a_mistake_is_named_with_its_place(refused: Callable[[str], list[str]], text: str, told: str) -> None:
    (line,) = refused(text)
    assert line.startswith(told)


@pytest.mark.parametrize("command", ["run", "status", "standings"])
@pytest.mark.parametrize(
    ("name", "told"),
    [("nothing.toml", "there is no such file"), (".", "is a folder: give"), ("text", "is not UTF-8")],
)
def test_a_file_that_cannot_be_read(
    fairdeal: Fairdeal, tmp_path: Path, command: str, name: str, told: str
) -> None:
    (tmp_path / "text").write_bytes(b"\xff\xfe")
    done = fairdeal("tournament", command, name)
    assert done.status == 2
    assert done.line.startswith(f"{name}: ")
    assert told in done.line


@pytest.mark.parametrize("command", ["status", "standings"])
def test_nothing_is_played_yet(fairdeal: Fairdeal, tmp_path: Path, command: str) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    done = fairdeal("tournament", command, "cup.toml")
    assert done.status == 1
    folder = tmp_path / "cup.fairdeal"
    assert done.line == f"fairdeal: {folder}: no match has been played here: run the tournament first"
    assert not folder.exists()


def test_a_file_in_place_of_the_folder(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    (tmp_path / "cup.fairdeal").touch()
    done = fairdeal("tournament", "run", "cup.toml")
    assert done.status == 2
    assert done.line.startswith(f"cup.toml:1: folder: {tmp_path / 'cup.fairdeal'} is a file: ")


def test_a_folder_that_cannot_be_made(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(f'folder = "/proc/nothing"\n{PAIR}')
    done = fairdeal("tournament", "run", "cup.toml")
    assert done.status == 1
    assert done.line.startswith("fairdeal: /proc/nothing: cannot be written to (")


@pytest.mark.process
@pytest.mark.parametrize("name", ["records", "secrets", "journal"])
def test_a_file_in_place_of_a_folder_inside(fairdeal: Fairdeal, tmp_path: Path, name: str) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    (tmp_path / "cup.fairdeal").mkdir()
    (tmp_path / "cup.fairdeal" / name).touch()
    done = fairdeal("tournament", "run", "cup.toml")
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: {tmp_path / 'cup.fairdeal' / name}")
    assert "internal error" not in done.line


def test_a_store_that_is_none(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    (tmp_path / "cup.fairdeal").mkdir()
    (tmp_path / "cup.fairdeal" / "store.sqlite").write_text("no database, and longer than a header has to be")
    for command in ("run", "status", "standings"):
        done = fairdeal("tournament", command, "cup.toml")
        assert done.status == 1
        assert done.line.startswith(f"fairdeal: {tmp_path / 'cup.fairdeal' / 'store.sqlite'}: cannot be used")


@pytest.fixture
def unheard() -> Iterator[None]:
    """Let a signal that the program does not hear fail the test, and not end it."""

    def fail(number: int, _frame: object) -> None:
        raise AssertionError(f"nobody hears {signal.Signals(number).name}")

    before = {number: signal.signal(number, fail) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


async def turns(what: str) -> None:
    """Give the loop its turns, in which what was asked for has to happen."""
    for _ in range(100):
        await asyncio.sleep(0)
    raise AssertionError(f"in vain waited for: {what}")


@pytest.mark.usefixtures("unheard")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
@pytest.mark.parametrize("signals", [1, 2])
def test_the_command_to_go_on_with_can_be_pasted(
    fairdeal: Fairdeal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    signals: int,
    number: signal.Signals,
) -> None:
    (tmp_path / "my cup.toml").write_text(f'name = "cup"\n{PAIR}')

    async def broken_off(*_args: object, stopping: asyncio.Event, **_more: object) -> None:
        os.kill(os.getpid(), number)
        await stopping.wait()
        if signals == 2:
            os.kill(os.getpid(), signal.SIGINT)
            await turns("the end")

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", broken_off)
    done = fairdeal("tournament", "run", "my cup.toml")
    assert done.status == 1
    assert done.line == "stopped; nothing is lost, go on with: fairdeal tournament run 'my cup.toml'"


@pytest.mark.usefixtures("unheard")
def test_no_more_than_the_second_signal_counts(
    fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    tidy = []

    async def tidies_up(*_args: object, **_more: object) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGTERM)
        try:
            await turns("the end")
        finally:
            handled = asyncio.Event()
            os.kill(os.getpid(), signal.SIGTERM)
            asyncio.get_running_loop().call_later(0.01, handled.set)
            await handled.wait()
            tidy.append(True)

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", tidies_up)
    assert fairdeal("tournament", "run", "cup.toml").line.startswith("stopped; nothing is lost")
    assert tidy == [True]


@pytest.mark.usefixtures("unheard")
def test_a_failure_while_it_stops_is_told(
    fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)

    async def fails(*_args: object, stopping: asyncio.Event, **_more: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await stopping.wait()
        raise RunFailed("no more")

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", fails)
    assert fairdeal("tournament", "run", "cup.toml").line == "fairdeal: no more"


def test_a_fault_of_our_own_is_one_line_too(
    fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)

    async def broken(*_args: object, **_more: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", broken)
    done = fairdeal("tournament", "run", "cup.toml")
    assert done.status == 1
    assert done.line == (
        "fairdeal: internal error (KeyError: 'oops'): please report it, with the traceback that"
        " FAIRDEAL_DEBUG=1 shows"
    )
    monkeypatch.setenv("FAIRDEAL_DEBUG", "1")
    with pytest.raises(KeyError):
        fairdeal("tournament", "run", "cup.toml")


def test_the_toml_of_the_readme_is_good(tmp_path: Path) -> None:
    checkout = Path(__file__).parents[3]
    blocks = (checkout / "README.md").read_text().split("```toml\n")[1:]
    assert blocks
    for block in blocks:
        text = block.split("```")[0]
        for number in range(4):  # as many entries as a table takes
            text += f'[[entries]]\nname = "more-{number}"\nbot = "random"\n'
        (tmp_path / "cup.toml").write_text(text)
        (tmp_path / "my_first_bot.py").touch()
        assert load(tmp_path / "cup.toml").rounds


def test_a_folder_holds_one_tournament(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'name = "cup"\nfolder = "here"\n{PAIR}')
    Store.open(load(file)).close()
    file.write_text(f'name = "other"\nfolder = "here"\n{PAIR}')
    done = fairdeal("entry", "list", file)
    assert done.status == 1
    assert "holds another tournament (name is other, was cup): undo the change, or give" in done.line


def test_the_history_of_the_ratings_is_told_where_it_is_wanted(fairdeal: Fairdeal, tmp_path: Path) -> None:
    standings = "tournament", "standings", restored("piquet-finished", tmp_path)
    brief, full = (fairdeal(*standings, "--json", *more).json for more in ((), ("--history",)))
    for line in full["standings"]:
        assert [point["matches"] for point in line.pop("history")] == [0, 1]
    assert full == brief
    for more, why in (
        ((), "it needs --json"),
        (("--json", "--server", "h:1"), "a server does not"),
    ):
        done = fairdeal(*standings, "--history", *more)
        assert (done.status, done.line.startswith(f"fairdeal: --history: {why}")) == (2, True)
