"""What a submitted file may not contain."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.fake_tournament import Disk, created
from tournaments.service.manager import Manager
from tournaments.tournament_file import submitted
from tournaments.tournament_file.reader import ConfigError

HEAD: Final = 'game = "two_handed_spades"\n'
ENTRY: Final = '[[entries]]\nname = "greedy"\nbot = "greedy"\n'
OTHER: Final = '[[entries]]\nname = "far"\nremote = true\n'
OWN: Final = "is decided by the server: leave it out"
ONLY: Final = "may only say how the bot plays here (--blunder): leave out the others"


def problems(manager: Manager, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        created(manager, text, "cup")
    return list(map(str, caught.value.problems))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{HEAD}hosting = {{ memory_mb = 4096 }}\n{ENTRY}{OTHER}", f"cup:2: hosting: {OWN}"),
        (f"{HEAD}{ENTRY}{OTHER}[hosting]\nrestarts = 1\n", f"cup:8: hosting: {OWN}"),
        (f"{HEAD}{ENTRY}hosting = {{ restarts = 9 }}\n{OTHER}", f"cup:5: entries[0].hosting: {OWN}"),
    ],
)
def test_how_bots_are_hosted_is_said_only_where_commands_may_be(
    manager: Manager, open_manager: Callable[..., Manager], disk: Disk, text: str, told: str
) -> None:
    assert problems(manager, text) == [told]
    assert disk.opened == []
    created(open_manager(allow_commands=True), text, "cup")


@pytest.mark.parametrize(
    "words",
    [
        ["--connect", "elsewhere:1"],
        ["--connect=elsewhere:1"],
        ["--conn", "elsewhere:1"],
        ["--entry", "far"],
        ["--instance", "x"],
        ["--seed", "1"],
        ["--matches", "1"],
        ["--tables", "1"],
        ["--game", "hearts"],
        ["--reconnect-timeout", "0"],
        ["--token", "x"],
        ["--blunder", "0.1", "--seed=1"],
        ["--blunder=0.1", "--entry", "far"],
        ["--blun", "0.1"],
        ["-h"],
    ],
    ids=" ".join,
)
def test_arguments_say_how_a_bot_plays_and_nothing_else(
    manager: Manager, disk: Disk, words: list[str]
) -> None:
    assert problems(manager, f"{HEAD}{ENTRY}arguments = {words}\n{OTHER}") == [
        f"cup:5: entries[0].arguments: {ONLY}"
    ]
    assert disk.opened == []


@pytest.mark.parametrize("words", [["--blunder", "0.1"], ["--blunder=0.1"], []], ids=" ".join)
def test_arguments_of_play(manager: Manager, words: list[str]) -> None:
    made = created(manager, f"{HEAD}{ENTRY}arguments = {words}\n{OTHER}", "cup")
    assert list(made.plan.entries[0].arguments) == words


@pytest.mark.parametrize("words", ['"--connect"', "[1]", '["x"]'])
def test_what_are_no_arguments_is_told_by_the_shape(manager: Manager, words: str) -> None:
    (told,) = problems(manager, f"{HEAD}{ENTRY}arguments = {words}\n{OTHER}")
    assert told.startswith("cup:5: entries[0].arguments: ")
    assert ONLY not in told


def test_arguments_are_free_where_commands_are(open_manager: Callable[..., Manager]) -> None:
    text = f'{HEAD}{ENTRY}arguments = ["--game", "hearts"]\n{OTHER}'
    assert created(open_manager(allow_commands=True), text, "cup").plan.entries[0].arguments


SETS: Final = "match = { deals = 1, duplicate = true }\n"
OTHER_HOUSE: Final = '[[entries]]\nname = "random"\nbot = "random"\n'


def test_house_bots_may_play_duplicate_sets(manager: Manager) -> None:
    assert created(manager, f"{HEAD}{SETS}{ENTRY}{OTHER_HOUSE}", "cup").plan.turns == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f"{HEAD}{SETS}{ENTRY}{OTHER}",
            "cup:2: match.duplicate: would have far, which is remote, meet deals twice: host it here,",
        ),
        (
            f'{HEAD}{SETS}registration = "open"\n{ENTRY}{OTHER_HOUSE}',
            "cup:2: match.duplicate: would have those who register meet deals twice: close the registration,",
        ),
        (
            f"{HEAD}{SETS.replace(' }', ', shared_decks = true }')}{ENTRY}{OTHER_HOUSE}",
            "cup:2: match.shared_decks: is for fairdeal tournament run, and not for a server: leave it out",
        ),
    ],
)
def test_sets_that_a_server_does_not_play(manager: Manager, disk: Disk, text: str, told: str) -> None:
    (found,) = problems(manager, text)
    assert found.startswith(told)
    assert disk.opened == []


@pytest.mark.parametrize("allow_commands", [False, True])
def test_a_file_has_so_many_entries_at_most(
    open_manager: Callable[..., Manager], allow_commands: bool
) -> None:
    manager = open_manager(allow_commands=allow_commands)

    def text(number: int) -> str:
        return 'game = "spades"\n' + "".join(OTHER.replace("far", f"e{each}") for each in range(number))

    assert problems(manager, text(257)) == [
        "cup:2: entries: are 257, and this server takes at most 256 in a file"
    ]
    assert len(created(manager, text(256), "cup").plan.entries) == 256


@pytest.mark.parametrize(
    ("head", "place"), [("rounds = 3\n", "cup:2: rounds"), ('partners = "mixed"\n', "cup:3: entries")]
)
def test_a_tournament_has_so_many_matches_at_most(
    manager: Manager, monkeypatch: pytest.MonkeyPatch, head: str, place: str
) -> None:
    names = ("a", "b", "c", "d")
    text = f'game = "spades"\n{head}' + "".join(OTHER.replace("far", name) for name in names)
    count = created(manager, text, "as-many").plan.rounds * 3
    monkeypatch.setattr(submitted, "MOST_MATCHES", count)
    created(manager, text, "enough")
    monkeypatch.setattr(submitted, "MOST_MATCHES", count - 1)
    told = f"make {count} matches, and this server plays at most {count - 1} of a tournament"
    assert problems(manager, text) == [f"{place}: {told}"]


def test_a_schedule_without_end_is_refused_at_once(manager: Manager) -> None:
    text = f"{HEAD}rounds = 10000\n" + "".join(OTHER.replace("far", f"e{each}") for each in range(200))
    told = "make 199000000 matches, and this server plays at most 1000000 of a tournament"
    assert problems(manager, text) == [f"cup:2: rounds: {told}"]


COMMAND: Final = '[[entries]]\nname = "mine"\ncommand = "no-such-command"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'{HEAD}seed = 1\nformat = "knockout"\nrounds = 3\n{ENTRY}{OTHER}', ["seed"]),
        (f"{HEAD}seed = 1\nrouns = 0\n{ENTRY}{OTHER}", ["seed", "rouns"]),
        (
            f'{HEAD}store = "mysql://x/y"\nfolder = 3\nmatch = 1\n{ENTRY}',
            ["store", "folder", "match"],
        ),
        (f'{HEAD}{ENTRY}{COMMAND}challenger = "x"\n', ["entries[1].command", "entries[1].challenger"]),
        (f"{HEAD}rounds = 0\n{ENTRY}{COMMAND}", ["rounds", "entries[1].command"]),
        (
            f'{HEAD}{ENTRY}arguments = ["--connect"]\nbott = 1\n{OTHER}',
            ["entries[0].arguments", "entries[0].bott"],
        ),
        (
            f'{HEAD}{ENTRY}hosting = {{ sandbox = "bubblewrap" }}\n{ENTRY}',
            ["entries[0].hosting", "entries[1].name"],
        ),
        (f'{HEAD}hosting = 3\nserver = {{ certificate = "/etc/no" }}\n{ENTRY}{OTHER}', ["hosting", "server"]),
        (
            f"{HEAD}seed = 1\nrounds = 10000\n" + "".join(OTHER.replace("far", f"e{n}") for n in range(200)),
            ["seed"],
        ),
        (
            f"{HEAD}rounds = 0\n" + "".join(OTHER.replace("far", f"e{n}") for n in range(257)),
            ["rounds", "entries"],
        ),
        (
            f"{HEAD}format = 'gauntlet'\nchallenger = 'e1'\n"
            + "".join(OTHER.replace("far", f"e{n}") for n in range(257)),
            ["entries"],
        ),
        (f"{HEAD}{OTHER * 257}", ["entries"]),
        (f"{HEAD}{COMMAND * 257}", ["entries"]),
    ],
)
def test_what_is_refused_is_told_beside_mistakes_of_shape(
    manager: Manager, disk: Disk, text: str, told: list[str]
) -> None:
    assert [problem.split(": ")[1] for problem in problems(manager, text)] == told
    assert disk.opened == []


def test_what_is_refused_is_not_looked_at(manager: Manager, tmp_path: Path) -> None:
    """Whether there is such a program or file here is nobody's matter."""
    (tmp_path / "there.pem").touch()
    texts = [
        f"{HEAD}[server]\ncertificate = '{file}'\n{ENTRY}[[entries]]\nname = 'mine'\ncommand = '{program}'\n"
        for file, program in ((tmp_path / "there.pem", "sh"), (tmp_path / "none.pem", "no-such-command"))
    ]
    first, second = (problems(manager, text) for text in texts)
    assert first == second
    assert [problem.split(": ")[1] for problem in first] == ["server", "entries[1].command"]
