import asyncio
from pathlib import Path

import pytest

from referee.core.access import Role
from referee.core.limits import LIMITS
from referee.games.registry import GAMES
from referee.server.tokens import TokenFile
from referee.storage.worker_folders import worker_folder
from tests.tournaments.conftest import Fairdeal
from tournaments.serving import many_tournaments
from tournaments.serving.many_tournaments import ManyTournaments

OPEN = "other machines could reach it"
TLS = ["--tls-cert", "server.pem", "--tls-key", "server.key"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--listen", "0.0.0.0:0"], OPEN),
        (["--listen", "[::]:0"], OPEN),
        (["--listen", "192.168.1.1:0"], OPEN),
        (["--listen", "localhost.example.org:0"], OPEN),
        (["--listen", ":0"], OPEN),
        (["--http", "0.0.0.0:0"], f"--http 0.0.0.0:0: {OPEN}: add TLS"),
        (["--http", "127.0.0.1:0", "--tournaments", "--play"], "--play: people play at tables of their own"),
        (
            ["--http", "127.0.0.1:0", "--http-url", "play.example.org"],
            "--http-url play.example.org: write wh",
        ),
        (["--http-url", "https://play.example.org"], "--http-url: it is about pages: add --http, such as"),
        (
            ["--workers", "2", "--http", "127.0.0.1:0"],
            "pages show the matches of one process: leave out --http",
        ),
        (
            ["--workers", "2", "--tournaments"],
            "played by one process, or by a cluster of Ray: leave out --tourn",
        ),
        (["--workers", "2", "--listen", "127.0.0.1:65534"], "each worker listens on a port of its own"),
        (["--workers", "2", "--metrics-port", "65534"], "one after the other: choose a lower port"),
        (["--play"], "--play: it is about pages: add --http, such as 127.0.0.1:8080"),
        (["--game", "chess"], f"'chess': no such game; there are {', '.join(GAMES)}"),
        (
            ["--tournaments", "--allow-commands"],
            "--allow-commands: without tokens, every caller is an organiser, and could run commands on"
            " this machine: fairdeal token add NAME --role organiser --folder /proc/nothing",
        ),
        (["--listen", "0.0.0.0:0"], "give each bot a token (fairdeal token add)"),
        (["--listen", "0.0.0.0:0", *TLS], "could reach it: give each bot a token (fairdeal token add), or"),
        (["--tls-cert", "server.pem"], "TLS takes --tls-cert and --tls-key together"),
        (["--tls-key", "server.key"], "TLS takes --tls-cert and --tls-key together"),
        (["--tls-client-ca", "ca.pem"], "TLS takes --tls-cert and --tls-key together; fairdeal certs makes"),
        (["--limit", "sessions"], "--limit sessions: write NAME=VALUE with a whole number"),
        (["--limit", "sessions="], "--limit sessions=: write NAME=VALUE with a whole number"),
        (["--limit", "sessions=many"], "--limit sessions=many: write NAME=VALUE"),
        (["--limit", "sessions=1.5"], "--limit sessions=1.5: write NAME=VALUE"),
        (["--limit", f"sessions={'9' * 5000}"], "write NAME=VALUE with a whole number"),
        (["--limit", "bots=3"], f"--limit bots=3: there is no such limit; there are {', '.join(LIMITS)}"),
        (["--limit", "sessions=0"], "--limit: sessions must be a whole number from 1 to "),
        (["--limit", "sessions=-1"], "sessions must be a whole number from 1 to 1,048,576, is -1"),
        (["--durability", "none"], "--durability none: there are process, disk"),
        (["--log-format", "xml"], "--log-format xml: there are text, json"),
        (["--log-level", "all"], "--log-level all: there are debug, info, warning, error"),
        (["--clock", "slow"], "--clock slow: there are standard, fast, patient, debug"),
        (["--option", "target=50"], "--option target=50: write GAME.NAME=VALUE"),
        (["--option", "hearts.target"], "--option hearts.target: write GAME.NAME=VALUE"),
        (["--option", "chess.target=50"], "write GAME.NAME=VALUE with a game that is served"),
        (["--option", "hearts.targt=50"], "--option hearts.targt=50: targt: no such option"),
        (["--option", "hearts.target=5"], "target = 5: must be a whole number from 10 to 1000"),
        (["--option", "hearts.target=--5"], "target = '--5': must be a whole number from 10 to 1000"),
        (["--option", "hearts.target=²"], "target = '²': must be a whole number from 10 to 1000"),
        (["--option", f"hearts.target={'9' * 5000}"], "must be a whole number from 10 to 1000"),
        (["--option", "hearts.target=many"], "target = 'many': must be a whole number from 10 to 1000"),
        (["--option", "hearts.moon=both"], "moon = 'both': must be"),
        (["--option", "hearts.jack_of_diamonds=yes"], "jack_of_diamonds = 'yes': must be true or false"),
        (["--game", "hearts", "--option", "two_handed_spades.target=50"], "a game that is served (hearts)"),
    ],
)
def test_bad_arguments_are_refused_before_anything_starts(
    fairdeal: Fairdeal, words: list[str], told: str
) -> None:
    # were the arguments taken, it would be the folder that is refused
    done = fairdeal("serve", *words, "--folder", "/proc/nothing")
    assert done.status == 2
    assert done.line.startswith("fairdeal: ")
    assert told in done.line


def test_with_tokens_commands_may_be_allowed(fairdeal: Fairdeal, tmp_path: Path) -> None:
    TokenFile(tmp_path / "hall" / "tokens.json").add("boss", Role.ORGANISER)
    words = ("--tournaments", "--allow-commands", "--listen", "nonsense", "--folder", "hall")
    assert fairdeal("serve", *words).line.startswith("fairdeal: cannot listen on 'nonsense'")


@pytest.mark.parametrize(
    ("words", "has_tokens", "everybody"),
    [
        (["--listen", "127.0.0.1:0"], False, True),
        (["--listen", "127.0.0.1:0"], True, False),
        (["--listen", "0.0.0.0:0", "--insecure"], False, False),
    ],
)
def test_who_is_an_organiser_of_tournaments(
    fairdeal: Fairdeal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    has_tokens: bool,
    everybody: bool,
) -> None:
    served: list[ManyTournaments] = []

    async def keep(hosting: ManyTournaments, _stopping: asyncio.Event) -> None:
        served.append(hosting)

    monkeypatch.setattr(many_tournaments, "serve_tournaments", keep)
    if has_tokens:
        TokenFile(tmp_path / "tokens.json").add("boss", Role.ORGANISER)
    assert fairdeal("serve", "--tournaments", *words, "--folder", tmp_path).status == 0
    assert [hosting.tokens is None for hosting in served] == [everybody]


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:99999", "127.0.0.1:http", "localhost:", "unix:"])
def test_what_is_no_address(fairdeal: Fairdeal, address: str) -> None:
    done = fairdeal("serve", "--listen", address)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: cannot listen on {address!r}: write HOST:PORT")


@pytest.mark.parametrize(
    ("folder", "told"),
    [("/proc/nothing", "cannot be written to ("), ("file", "cannot be written to (File exists)")],
)
def test_a_folder_that_cannot_be_used(fairdeal: Fairdeal, tmp_path: Path, folder: str, told: str) -> None:
    (tmp_path / "file").touch()
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", folder)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: {folder}: {told}")


@pytest.mark.parametrize("name", ["records", "secrets", "journal"])
def test_a_file_in_place_of_a_folder_inside(fairdeal: Fairdeal, tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", tmp_path)
    assert done.status == 1
    assert done.line == f"fairdeal: {tmp_path / name}: File exists; fix that and start again"


@pytest.mark.parametrize(
    "words",
    [
        ["--drain", "-1"],
        ["--drain", "soon"],
        ["--deals", "0"],
        ["--metrics-port", "-1"],
        ["--metrics-port", "65536"],
        ["--listen"],
        ["hearts"],
    ],
    ids=" ".join,
)
def test_what_the_command_line_itself_refuses(fairdeal: Fairdeal, words: list[str]) -> None:
    done = fairdeal("serve", *words)
    assert (done.status, done.out) == (2, "")
    assert words[0] in done.err
    assert "Traceback" not in done.err


def test_certificates_that_are_not_there(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("serve", "--listen", "127.0.0.1:0", *TLS)
    assert done.status == 1
    assert done.line.startswith("fairdeal: server.key: No such file or directory; ")
    assert "fairdeal certs" in done.line


def test_a_socket_takes_no_tls(fairdeal: Fairdeal, tmp_path: Path) -> None:
    assert fairdeal("certs").status == 0
    tls = ("--tls-cert", "certs/server.pem", "--tls-key", "certs/server.key")
    done = fairdeal("serve", "--listen", "unix:s", *tls)
    assert (done.status, done.line.startswith("fairdeal: cannot listen on unix:s: ")) == (1, True)


@pytest.mark.parametrize("text", ["", "{", '{"tokens": 3}'])
def test_a_broken_file_of_tokens_lets_nobody_in(fairdeal: Fairdeal, tmp_path: Path, text: str) -> None:
    (tmp_path / "hall").mkdir()
    (tmp_path / "hall" / "tokens.json").write_text(text)
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", "hall")
    assert done.status == 1
    assert done.line.startswith("fairdeal: hall/tokens.json: ")


def test_a_damaged_journal_says_what_to_do(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "000001.jsonl").write_text('{"key":["m",1],"type":"header"}\nnothing\n')
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", tmp_path)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: {tmp_path}/journal/000001.jsonl: line 2 is damaged")
    assert "remove " in done.line


def test_a_journal_of_no_match_says_what_to_do(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "000001.jsonl").write_text('{"key":["m",1],"type":"header"}\n')
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", tmp_path)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: {tmp_path}/journal: match m cannot go on: the header is damaged")


@pytest.mark.parametrize(("workers", "enough"), [(1, 2), (1, 3), (2, 3)])
def test_matches_that_a_worker_has_left_are_not_forgotten(
    fairdeal: Fairdeal, tmp_path: Path, workers: int, enough: int
) -> None:
    journal = worker_folder(tmp_path, enough) / "journal"
    journal.mkdir(parents=True)
    (journal / "000001.jsonl").write_text('{"type":"snapshot"}\n{"key":["m",1],"type":"header"}\n')
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", tmp_path, "--workers", workers)
    assert done.status == 2
    assert done.line == (
        f"fairdeal: --workers {workers}: worker {enough} has left matches in {tmp_path} that are not over:"
        f" serve them first, with --workers {enough}"
    )
