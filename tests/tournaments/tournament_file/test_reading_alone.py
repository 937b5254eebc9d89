"""What was played can be read without what is needed to play."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tournaments.config_files import PAIR, write
from tests.tournaments.conftest import Fairdeal
from tournaments.hosting import sandbox
from tournaments.store import Store
from tournaments.tournament_file.reader import ConfigError, load

CRASH = '[[entries]]\nname = "crash"\ncommand = ["{python}", "crash.py"]\n'
MISSING = '[[entries]]\nname = "mine"\ncommand = "no-such-command --fast"\n'
SANDBOX = '[hosting]\nsandbox = "bubblewrap"\n'
TLS = '[server]\ncertificate = "no.pem"\nkey = "no.key"\nclient_ca = "no.ca"\n'
OPEN_ADDRESS = '[server]\nlisten = "0.0.0.0:7447"\n'
NEEDS = [CRASH, MISSING, SANDBOX, TLS, OPEN_ADDRESS]

READS: list[list[str]] = [["standings"], ["status"], ["report", "--csv"]]


@pytest.fixture
def _without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def begun(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that begins a tournament and takes away what its bots need."""

    def begin(text: str) -> Path:
        file = write(tmp_path, PAIR + text)
        Store.open(load(file, to_run=False)).close()
        return file

    return begin


@pytest.mark.usefixtures("_without_bubblewrap")
@pytest.mark.parametrize("needs", NEEDS)
def test_who_runs_it_needs_all_and_who_reads_it_nothing(tmp_path: Path, needs: str) -> None:
    file = write(tmp_path, PAIR + needs)
    with pytest.raises(ConfigError):
        load(file)
    assert load(file, to_run=False).name == "cup"


def test_both_read_the_same_plan(tmp_path: Path) -> None:
    for name in ("crash.py", "no.pem", "no.key", "no.ca"):
        write(tmp_path, "", name)
    file = write(tmp_path, PAIR + CRASH + TLS)
    assert load(file) == load(file, to_run=False)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rounds = 0", "rounds"),
        ('store = "mysql://localhost/cup"', "store"),
        ('challenger = "one"', "challenger"),
        ("[server]\ncertificate = 5\n", "server.certificate"),
        ('[[entries]]\nname = "x"\ncommand = 5', "entries[2].command"),
    ],
)
def test_what_is_wrong_with_the_file_itself_is_told_to_who_reads_too(
    tmp_path: Path, line: str, told: str
) -> None:
    text = f"{line}\n{PAIR}" if line[0] != "[" else f"{PAIR}{line}"
    with pytest.raises(ConfigError) as refused:
        load(write(tmp_path, text), to_run=False)
    assert told in [problem.place.split(": ")[1] for problem in refused.value.problems]


@pytest.mark.usefixtures("_without_bubblewrap")
@pytest.mark.parametrize("needs", NEEDS)
@pytest.mark.parametrize("words", READS, ids=lambda words: words[0])
def test_a_tournament_is_read_when_what_its_bots_need_is_gone(
    fairdeal: Fairdeal, begun: Callable[[str], Path], needs: str, words: list[str]
) -> None:
    verb, *options = words
    done = fairdeal("tournament", verb, begun(needs), *options)
    assert (done.status, done.err) == (0, "")
    assert done.out


@pytest.mark.usefixtures("_without_bubblewrap")
@pytest.mark.parametrize("needs", NEEDS)
def test_entries_are_listed_when_what_bots_need_is_gone(
    fairdeal: Fairdeal, begun: Callable[[str], Path], needs: str
) -> None:
    done = fairdeal("entry", "list", begun(needs))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("one")


@pytest.mark.parametrize("verb", ["run", "plan"])
@pytest.mark.usefixtures("_without_bubblewrap")
@pytest.mark.parametrize("needs", NEEDS)
def test_a_run_and_a_plan_look_at_everything(
    fairdeal: Fairdeal, begun: Callable[[str], Path], needs: str, verb: str
) -> None:
    done = fairdeal("tournament", verb, begun(needs))
    assert (done.status, done.out) == (2, "")
    assert all(line.startswith(f"{begun(needs)}:") for line in done.err.splitlines())


def test_no_sandbox_is_tried_to_read(
    fairdeal: Fairdeal, begun: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[None] = []
    monkeypatch.setattr(sandbox, "probe", lambda: tried.append(None))
    file = begun(SANDBOX)
    for verb, *options in READS:
        assert fairdeal("tournament", verb, file, *options).status == 0
    assert tried == []
    load(file)
    assert tried == [None]
