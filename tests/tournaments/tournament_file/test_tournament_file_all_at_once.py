"""All mistakes of shape of a tournament file are reported at once, and then all between its keys."""

from pathlib import Path

import pytest

from tests.tournaments.config_files import PAIR, entries, problems, write
from tournaments.tournament_file.schema import FileShape

SWISS = 'game = "piquet"\nformat = "swiss"\n'
GAUNTLET = 'game = "piquet"\nformat = "gauntlet"\n'
PAIRS = 'game = "spades"\npartners = "fixed"\n'
OPEN_ADDRESS = '[server]\nlisten = "0.0.0.0:7447"\n'


def keys(folder: Path, text: str) -> list[str]:
    return [problem.split(": ")[1] for problem in problems(write(folder, text))]


@pytest.fixture
def _without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


BESIDES = """game = "spades"
format = "gauntlet"
partners = "fixed"
challenger = "zoe"
store = "mysql://localhost/cup"
[server]
listen = "0.0.0.0:7447"
[hosting]
sandbox = "bubblewrap"
[[teams]]
name = "a"
entries = ["b", "nobody"]
[[entries]]
name = "a"
bot = "greedy"
[[entries]]
name = "b"
bot = "greedy"
[[entries]]
name = "c"
bot = "greedy"
"""
TOLD = [
    "challenger",
    "store",
    "server.listen",
    "hosting.sandbox",
    "teams[0].name",
    "teams[0].entries",
]


@pytest.mark.usefixtures("_without_bubblewrap")
def test_all_that_is_wrong_between_keys_is_told_at_once(tmp_path: Path) -> None:
    assert keys(tmp_path, BESIDES) == TOLD


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rounds = 0\n", ["rounds"]),
        ('seed = ""\n', ["seed"]),
        ('name = "The Cup"\n', ["name"]),
        ("match = {}\n", ["match.deals"]),
        ("match = { deals = 0 }\n", ["match.deals"]),
        ("zzz = 1\n", ["zzz"]),
        ("options = { target = 1, tarket = 2 }\n", ["options.target", "options.tarket"]),
        ("limits = { idle_seconds = 0 }\n", ["limits.idle_seconds"]),
        ("clock = { move = 0 }\nconcurrency = 0\n", ["clock.move", "concurrency"]),
        (
            "rounds = 0\noptions = { target = 1 }\nlimits = { sesions = 1 }\n",
            ["rounds", "options.target", "limits.sesions"],
        ),
    ],
)
def test_what_is_wrong_with_values_by_themselves_is_told_first(
    tmp_path: Path, line: str, told: list[str]
) -> None:
    assert keys(tmp_path, line + BESIDES) == told


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "c"\n', 'name = "c d"\n', "entries[2].name"),
        ('name = "c"\n', "", "entries[2].name"),
        ('name = "c"\n', 'name = "b"\n', "entries[2].name"),
        ('"nobody"]', '"b"]', "teams[0].entries"),
        ('"spades"', '"spade"', "game"),
        ('"gauntlet"', '"gaunt"', "format"),
        ('"fixed"', '"fix"', "partners"),
    ],
)
def test_nothing_is_told_of_what_depends_on_a_wrong_value(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert keys(tmp_path, BESIDES.replace(old, new, 1)) == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # what the mending of one may mend as well
        (f'format = "lader"\ngame = "hearts"\n{entries(3)}', ["format"]),
        (f"format = []\nrounds = 1\ngame = 'hearts'\n{entries(4)}", ["format"]),
        (f'formt = "ladder"\ngame = "hearts"\n{entries(3)}', ["formt"]),
        (f'registration = "opn"\ngame = "hearts"\n{entries(3)}', ["registration"]),
        (f'registraton = "open"\ngame = "hearts"\n{entries(3)}', ["registraton"]),
        (f'game = "heart"\n{entries(3)}', ["game"]),
        (f'gme = "hearts"\n{entries(3)}', ["game", "gme"]),
        (f'game = "hearts"\n{entries(4).replace("[[entries]]", "[[entry]]")}', ["entry"]),
        ('game = "hearts"\nentries = 3\n', ["entries"]),
        (f'{SWISS}rouds = 2\nregistration = "open"\n', ["rouds"]),
        (f"{SWISS}rounds = 0\n{entries(3)}", ["rounds"]),
        (f"{GAUNTLET}chalenger = 'e1'\n{entries(3)}", ["chalenger"]),
        (f"{GAUNTLET}challenger = 'x'\n{entries(2)}[[entries]]\nbot = 'random'\n", ["entries[2].name"]),
        (
            f"{GAUNTLET}challenger = 'e2'\n{entries(2)}[[entries]]\nname = 'e1'\nbot = 'random'\n",
            ["entries[2].name"],
        ),
        (
            f"{PAIRS}format = 'gauntlet'\nchallenger = 's'\n{entries(4)}"
            "[[teams]]\nname = 'n'\nentries = ['e0', 'e1']\n[[teams]]\nname = 'n'\nentries = ['e2', 'e3']\n",
            ["teams[1].name"],
        ),
        (f"{PAIRS}{entries(2)}[[teams]]\nname = 'n'\nentries = ['e0']\n", ["teams[0].entries"]),
        (
            f"{PAIRS}format = 'swiss'\nrounds = 9\n{entries(4)}[[teams]]\nname = 'n'\nentries = ['e0']\n",
            ["teams[0].entries"],
        ),
        (
            f"{PAIRS}{entries(1)}[[entries]]\nname = 'e 1'\nbot = 'random'\n"
            "[[teams]]\nname = 'n'\nentries = ['e0', 'e1']\n",
            ["entries[1].name"],
        ),
        (f"{PAIR}[[entries]]\nname = 'x'\ncomand = 'true'\n", ["entries[2].comand"]),
        (f"{PAIR}[[entries]]\nname = 'x'\nremot = true\n", ["entries[2].remot"]),
        (f"nme = 'cup'\n{PAIR}", ["nme"]),
        (
            f"{PAIR}[server]\nlisten = '0.0.0.0:1'\ncertificate = 'no.pem'\nkey = 'no.key'\n",
            ["server.certificate", "server.key"],
        ),
        (f"{PAIR}[server]\nlisten = '0.0.0.0:1'\ninsecure = 'yes'\n", ["server.insecure"]),
        (f"{PAIR}[server]\nlisten = '0.0.0.0:1'\ninsecur = true\n", ["server.insecur"]),
        (f"{PAIR}[server]\nlisten = 5\n", ["server.listen"]),
        # what it would not, but is between keys
        (f'game = "hearts"\nrounds = 0\n{entries(3)}', ["rounds"]),
        (
            f"{PAIRS}{entries(2)}[[entries]]\nname = 'e 2'\nbot = 'random'\n{OPEN_ADDRESS}",
            ["entries[2].name"],
        ),
        (f"{PAIR}[server]\nlisten = '0.0.0.0:1'\ncertificate = 'no.pem'\n", ["server.certificate"]),
        (
            f"{PAIRS}{entries(3)}[[teams]]\nname = 'n n'\nentries = ['e0', 'e1']\n"
            "[[teams]]\nname = 'e2'\nentries = ['e1', 'zz']\n",
            ["teams[0].name"],
        ),
        (f"entries = [3]\nteams = [4]\ngame = 'hearts'\n{OPEN_ADDRESS}", ["entries[0]", "teams[0]"]),
    ],
)
def test_what_the_mending_of_another_may_mend_is_not_told(tmp_path: Path, text: str, told: list[str]) -> None:
    assert keys(tmp_path, text) == told


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ('remote = "yes"', ["entries[0].remote"]),
        ("remot = true", ["entries[0].remot"]),
        ('bot = "greedy"\nremote = "yes"', ["entries[0].remote"]),
        ('bot = "greedy"\nremote = true', ["entries[0]"]),
        ('bot = "greedy"', ["hosting.sandbox"]),
        ('bot = "greedy"\nhosting = { restarts = 1 }', ["entries[0]"]),
        ('version = "1"', ["entries[0]"]),
        ('bot = "gready"', ["entries[0].bot"]),
        ('command = "no-such"', ["entries[0].command"]),
        ('bot = "greedy"\nhosting = { sandbx = "none" }', ["entries[0].hosting.sandbx"]),
        ('bot = "greedy"\nhosting = 3', ["entries[0].hosting"]),
        ('bot = "greedy"\nhosting = { restarts = -1 }', ["entries[0].hosting.restarts"]),
    ],
)
@pytest.mark.usefixtures("_without_bubblewrap")
def test_a_sandbox_is_tried_only_where_a_bot_would_be_in_it(
    tmp_path: Path, entry: str, told: list[str]
) -> None:
    text = f'{PAIR[:27]}[hosting]\nsandbox = "bubblewrap"\n[[entries]]\nname = "x"\n{entry}\n'
    away = '[[entries]]\nname = "y"\nremote = true\n'
    assert keys(tmp_path, text + away) == told


def test_a_name_that_is_given_under_another_key_is_not_missing(tmp_path: Path) -> None:
    (told,) = problems(write(tmp_path, f"nme = 'cup'\n{PAIR}", "My Cup.toml"))
    assert told.startswith("1: nme: no such key; did you mean name?")


def test_an_entry_is_in_one_team_alone(tmp_path: Path) -> None:
    text = f"{PAIRS}{entries(2)}[[teams]]\nname = 'm'\nentries = ['e0', 'e1']\n"
    text += "[[teams]]\nname = 'n'\nentries = ['e1', 'e 2']\n"
    assert problems(write(tmp_path, text))[-2:] == [
        "14: teams[1].entries: e1 is in team m already: one team each",
        '14: teams[1].entries: "e 2": no such entry; there are e0, e1',
    ]


def test_whatever_is_nested_too_deeply_is_refused_in_a_line(tmp_path: Path) -> None:
    for depth in range(300, 520):  # about what the stack holds
        (told,) = {*problems(write(tmp_path, f"{PAIR}[options]\ntarget = {'[' * depth}{']' * depth}\n"))}
        assert told.startswith(("1: nested too deeply", "9: options.target: must be"))


WHOLE = {
    "name": '"cup"',
    "game": '"spades"',
    "format": '"knockout"',
    "partners": '"fixed"',
    "challenger": '"n"',
    "registration": '"open"',
    "event_grid": "50",
    "rounds": "2",
    "matches_each": "20",
    "best_of": "3",
    "third_place": "true",
    "tie_breaks": '["direct"]',
    "match": "{ deals = 1 }",
    "concurrency": "3",
    "seed": "3",
    "folder": '"f"',
    "options": "{ target = 300 }",
    "clock": "{ move = 1 }",
    "faults": "{ max_faults = 3 }",
    "rating": "{ mu = 25 }",
    "limits": "{ sessions = 4 }",
    "durability": '"disk"',
    "store": '"postgresql://u@h/d"',
    "store_patience": "60",
    "pace": "{ matches_per_day = 5 }",
    "par": '{ bot = "greedy" }',
    "models": "{ calls = 4 }",
    "hosting": '{ sandbox = "none" }',
    "executor": '"ray"',
    "ray": "{ batch = 8 }",
    "remote": '{ no_show = "skip" }',
    "server": '{ listen = "localhost:1" }',
    "stages": '[{ name = "a", format = "swiss" }, { name = "b", format = "knockout" }]',
    "teams": '[{ name = "n", entries = ["a", "b"] }]',
    "entries": '[{ name = "a", bot = "random" }, { name = "b", remote = true, hosting = {} }]',
}


@pytest.mark.parametrize(
    "value",
    [
        *("[]", "{}", "[[]]", "[{}]", '""', "0", "-1", "true", "nan", "1.5", "07:32:00", '"spades"'),
        *(
            '["a", "b"]',
            '{ name = "a" }',
            '[{ name = "a" }]',
            '[{ name = "a", bot = "greedy", entries = [] }]',
        ),
    ],
)
def test_any_value_of_any_key_is_refused_in_plain_words(tmp_path: Path, value: str) -> None:
    assert WHOLE.keys() == FileShape.model_fields.keys()
    for key in WHOLE:
        text = "\n".join(f"{name} = {written}" for name, written in {**WHOLE, key: value}.items())
        assert problems(write(tmp_path, text))  # of which none is the fault of the program
