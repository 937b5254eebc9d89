"""`fairdeal record verify`: records, folders, tournaments; what is wrong is named with its place."""

import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.storage import record_digest, record_files
from referee.verify import Known, Line, Status, Verdict, verify
from tests.referee.verify.bots_that_keep import played as kept_and_played
from tests.referee.verify.edited import NAME
from tests.tournaments.cli.test_cli_record import write
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.kept import FOLDER, restored
from tests.workspace import Running, Workspace, until
from tournaments.cli import verify as verify_command
from tournaments.cli.verifying import FEW, FileToVerify, all_verified
from tournaments.store import FILE

WITHOUT = "without a store, seats, times and settings are only checked against the record itself"
VERIFIED = "verified: the right results count, by attempts and rulings; the store holds no running ratings"


def changed(path: Path, old: bytes, new: bytes) -> None:
    text = gzip.decompress(path.read_bytes())
    assert old in text
    path.write_bytes(gzip.compress(text.replace(old, new, 1), mtime=0))


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """Return the folder of a tournament that is over."""
    restored("hearts-finished", tmp_path)
    return tmp_path / FOLDER


def record_in(cup: Path) -> Path:
    (path,) = record_files.in_folder(cup / "records")
    return path


def digest_of(cup: Path) -> str:
    """Return the digest over the records of a tournament, from its files."""
    path = record_in(cup)
    match_id, attempt, _suffix = path.name.split(".", 2)
    return record_digest.digest_of([(match_id, int(attempt), hashlib.sha256(path.read_bytes()).hexdigest())])


def test_records(fairdeal: Fairdeal, tmp_path: Path) -> None:
    paths = [write(tmp_path, game) for game in ("hearts", "piquet")]
    done = fairdeal("record", "verify", *paths)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{paths[0]}: verified: hearts, completed",
        f"{paths[1]}: verified: piquet, completed",
        "2 records: 2 verified",
        f"{WITHOUT} (docs/records.md, What no hash binds)",
    ]
    assert fairdeal("record", "verify", tmp_path) == done


@pytest.mark.parametrize("place", [FOLDER, f"{FOLDER}/records", f"{FOLDER}/{FILE}", "cup.toml", "the record"])
def test_a_tournament_is_compared_with_its_store(fairdeal: Fairdeal, cup: Path, place: str) -> None:
    named = record_in(cup) if place == "the record" else Path(place)
    done = fairdeal("record", "verify", named)
    assert (done.status, done.err) == (0, "")
    kept = [f"{FOLDER}: {VERIFIED}", f"digest: {digest_of(cup)}"]
    told = [line.removeprefix(f"{cup.parent}/") for line in done.out.splitlines()[1:]]
    assert told == ["1 record: 1 verified", *(kept if place != "the record" else [])]
    changed(record_in(cup), b'"software":"fairdeal/0.1.0"', b'"software":"fairdeal/0.1.1"')
    done = fairdeal("record", "verify", named)
    assert done.status == 1
    assert "wrong: sha256: the file is not the one whose SHA-256 is stored" in done.out
    unknown = "not compared: what counts and running ratings: not all of its records verify"
    told = [line.removeprefix(f"{cup.parent}/") for line in done.out.splitlines()[1:]]
    assert told == ["1 record: 1 wrong", *([f"{FOLDER}: {unknown}"] if place != "the record" else [])]


def test_a_server_has_the_stores_of_its_tournaments(fairdeal: Fairdeal, cup: Path, tmp_path: Path) -> None:
    server = tmp_path / "server"
    home = server / "tournaments" / "cup" / FOLDER
    home.parent.mkdir(parents=True)
    (cup / "records").replace(server / "records")
    cup.replace(home)
    with closing(sqlite3.connect(home / FILE)) as store:
        store.execute("UPDATE attempts SET record = '../../../' || record")
        store.commit()
    other = write(server / "records", "piquet")  # of an open table
    done = fairdeal("record", "verify", server)
    assert (done.status, done.err) == (0, "")
    told = done.out.splitlines()
    assert told[1:4] == [
        f"{other}: verified: piquet, completed",
        "2 records: 2 verified",
        f"{home}: {VERIFIED}",
    ]
    assert told[5].startswith(WITHOUT)  # of one of them
    changed(
        *(server / "records").glob("hearts-*"), b'"software":"fairdeal/0.1.0"', b'"software":"fairdeal/0.1.1"'
    )
    done = fairdeal("record", "verify", server)
    assert "is not the one whose SHA-256 is stored" in done.out
    assert f"{server}/records/" in done.out
    assert ".." not in done.out
    shutil.rmtree(server / "records")
    done = fairdeal("record", "verify", server)
    assert "the record is missing, although the store has its result" in done.out


def test_a_record_that_several_arguments_name_counts_once(fairdeal: Fairdeal, cup: Path) -> None:
    path = record_in(cup)
    link = cup / "link.jsonl.gz"
    link.symlink_to(path)
    done = fairdeal("record", "verify", path.parent, path, link, cup, cup / "records", os.path.relpath(path))
    assert (done.status, done.out.splitlines()[1]) == (0, "1 record: 1 verified")
    assert len(done.out.splitlines()) == 4  # of the store, once


def test_what_is_wrong_is_named_with_its_place(fairdeal: Fairdeal, tmp_path: Path) -> None:
    path = write(tmp_path, "euchre")
    changed(path, b'"ranks":[', b'"ranks":[3,')
    number = gzip.decompress(path.read_bytes()).count(b"\n") - 1
    done = fairdeal("record", "verify", path)
    assert done.status == 1
    told = done.out.splitlines()[0]
    assert told.startswith(f"{path}: wrong: line {number}: ranks[0]: ")
    assert "found 3)" in told


def test_json(fairdeal: Fairdeal, cup: Path, tmp_path: Path) -> None:
    alone = write(tmp_path, "piquet")
    changed(alone, b'"format":"fairdeal-record/1"', b'"format":"fairdeal-record/2"')
    done = fairdeal("record", "verify", cup, alone, "--json")
    assert done.status == 1
    told = json.loads(done.out)
    good, other = told.pop("records")
    (store,) = told.pop("stores")
    assert (store["store"], store["status"], store["rated"], store["problem"]) == (
        str(cup),
        "unknown",
        0,
        None,
    )
    assert told == {"verified": 1, "wrong": 0, "unknown": 1, "breaches": [], "told": None, "reports": []}
    assert good == {
        "file": str(record_in(cup)),
        "status": "verified",
        "problem": None,
        "match_id": record_in(cup).name.removesuffix(".1.jsonl.gz"),
        "attempt": 1,
        "game": "hearts",
        "termination": "completed",
        "stored": True,
        "notes": [],
    }
    assert (other["status"], other["stored"]) == ("unknown", False)
    problem = other["problem"]
    assert (problem["line"], problem["field"], problem["expected"]) == (1, "format", None)


def test_a_record_that_is_missing(fairdeal: Fairdeal, cup: Path) -> None:
    record_in(cup).unlink()
    done = fairdeal("record", "verify", cup)
    assert done.status == 1
    assert "the record is missing, although the store has its result" in done.out


def test_records_that_were_exchanged_between_matches(fairdeal: Fairdeal, cup: Path, tmp_path: Path) -> None:
    theirs = write(tmp_path, "hearts")
    record_in(cup).write_bytes(theirs.read_bytes())
    done = fairdeal("record", "verify", cup)
    assert done.status == 1
    assert "wrong: line 1: match_id: the record is of another match than its file" in done.out


def test_a_record_that_the_store_does_not_know(fairdeal: Fairdeal, cup: Path) -> None:
    write(cup / "records", "hearts")
    done = fairdeal("record", "verify", cup)
    assert done.status == 1
    assert "the store has no such attempt" in done.out
    assert "2 records: 1 verified, 1 wrong" in done.out


def test_a_record_that_is_not_stored_yet(fairdeal: Fairdeal, cup: Path) -> None:
    """A run that was broken off between the two stores it when it goes on."""
    with closing(sqlite3.connect(cup / FILE)) as store:
        store.execute("DELETE FROM attempts")
        store.execute("UPDATE issued SET decided = 0")
        store.commit()
    done = fairdeal("record", "verify", cup)
    assert done.status == 0
    assert "  not compared: its match is not over in the store" in done.out


@pytest.mark.parametrize("column", ["ranks", "scores", "started", "record_sha256"])
def test_a_store_that_was_changed(fairdeal: Fairdeal, cup: Path, column: str) -> None:
    with closing(sqlite3.connect(cup / FILE)) as store:
        value = {"ranks": "[1, 2, 3, 4]", "scores": "[1, 2, 3, 4]"}.get(column, "never")
        store.execute(f"UPDATE attempts SET {column} = ?", [value])
        store.commit()
    assert fairdeal("record", "verify", cup).status == 1


def test_two_files_of_one_match(fairdeal: Fairdeal, tmp_path: Path) -> None:
    first = write(tmp_path, "piquet")
    again = shutil.copy(first, tmp_path / "piquet.1 (copy).jsonl.gz")
    done = fairdeal("record", "verify", first, again)
    assert done.status == 1
    assert "wrong: piquet.1.jsonl.gz is a record of the same attempt at the same match" in done.out


def test_two_commitments_for_one_epoch() -> None:
    report = verify_command._Report(as_json=True, total=2)
    verdict = Verdict(status=Status.VERIFIED, match_id="a", attempt=1, epoch=("set", "00"))
    other = Verdict(status=Status.VERIFIED, match_id="b", attempt=1, epoch=("set", "01"))
    for name, each in (("a", verdict), ("b", other)):
        report.add(FileToVerify(path=Path(name)), each)
    assert report.counts == {Status.VERIFIED: 1, Status.WRONG: 1}
    assert report.records[1]["problem"]["field"] == "commitment.commit"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda path: None, "there is no such file; name a record, a folder or a tournament's file"),
        (Path.mkdir, "holds no records (*.jsonl.gz) and no store"),
    ],
)
def test_nothing_to_verify(
    fairdeal: Fairdeal, tmp_path: Path, made: Callable[[Path], None], told: str
) -> None:
    made(tmp_path / "place")
    done = fairdeal("record", "verify", "place")
    assert (done.status, done.line) == (2, f"fairdeal record verify: place: {told}")


def test_a_tournament_without_a_match_that_is_over(fairdeal: Fairdeal, tmp_path: Path) -> None:
    restored("spades-running", tmp_path)
    done = fairdeal("record", "verify", FOLDER)
    assert (done.status, done.out.splitlines()[0]) == (0, "0 records: none verified")


def test_what_a_record_says_cannot_steer_a_terminal(fairdeal: Fairdeal, tmp_path: Path) -> None:
    path = write(tmp_path, "piquet")
    changed(path, b'"termination":"completed"', b'"termination":"\\u001b[2J"')
    done = fairdeal("record", "verify", path)
    assert done.status == 1
    assert "\x1b" not in done.out
    assert "\\u001b" in done.out


def test_of_many_records_what_does_not_verify_is_told_and_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_command, "_SECONDS", 0)
    report = verify_command._Report(as_json=False, total=FEW + 1)
    for number in range(3):
        report.add(FileToVerify(path=Path("a")), Verdict(status=Status.VERIFIED, match_id=str(number)))
    assert capsys.readouterr() == (
        "",
        f"1 of {FEW + 1} records\n2 of {FEW + 1} records\n3 of {FEW + 1} records\n",
    )


def test_a_record_on_which_the_program_fails_stops_no_other(
    fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write(tmp_path, game) for game in ("hearts", "piquet")]

    def failing(data: bytes, *, name: str, known: Known | None, told: tuple[Line, ...]) -> Verdict:
        if name == paths[0].name:
            raise RuntimeError("a bug")
        return verify(data, name=name, known=known, told=told)

    monkeypatch.setattr("tournaments.cli.verifying.verify", failing)
    done = fairdeal("record", "verify", *paths)
    assert done.status == 1
    assert f"{paths[0]}: cannot be verified: this program fails on it (RuntimeError)" in done.out
    assert f"{paths[1]}: verified" in done.out


@pytest.mark.process
def test_many_records_are_verified_by_several_processes_in_order(tmp_path: Path) -> None:
    path = write(tmp_path, "two_handed_spades")
    bad = tmp_path / "bad.jsonl.gz"
    bad.write_bytes(path.read_bytes()[:-1])
    known = Known(sha256="", header={}, outcome={}, duration=0)
    jobs = [
        FileToVerify(path=path),
        FileToVerify(path=bad),
        FileToVerify(path=tmp_path / "none", known=known),
    ] * (FEW // 2)
    found = list(all_verified(iter(jobs), workers=2))
    assert [job for job, _verdict in found] == jobs
    assert [verdict.status for _job, verdict in found[:3]] == [Status.VERIFIED, Status.WRONG, Status.WRONG]
    assert {verdict.status for _job, verdict in found[::3]} == {Status.VERIFIED}


@pytest.fixture
def endless(workspace: Workspace) -> Iterator[Running]:
    """Verify many records, of which one is a pipe that nobody writes to, until it is being read."""
    path = write(workspace.folder, "two_handed_spades")
    for number in range(FEW):
        shutil.copy(path, workspace.folder / f"{number:03}.jsonl.gz")  # a link would count as the same record
    pipe = workspace.folder / "aaa.jsonl.gz"
    os.mkfifo(pipe)
    running = workspace.start("record", "verify", workspace.folder)

    def opened() -> int | None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None  # nobody reads it yet

    writing: int = until(opened, "a worker that reads the pipe")
    try:
        yield running
    finally:
        os.close(writing)


def test_ctrl_c_ends_all_processes(endless: Running, workspace: Workspace) -> None:
    done = endless.stopped(signal.SIGINT)
    assert done.status == 1
    assert re.fullmatch(r"fairdeal record verify: stopped; so far \d+ records?: .+\n", done.err)
    workspace.nobody_is_left()


def test_a_verification_that_is_killed_leaves_no_process(endless: Running, workspace: Workspace) -> None:
    assert endless.stopped(signal.SIGKILL).status == -signal.SIGKILL
    workspace.nobody_is_left()


def test_a_worker_that_is_killed_is_told(endless: Running, workspace: Workspace) -> None:
    workers = [pid for pid, words in workspace.left().items() if "spawn_main" in words]
    os.kill(workers[0], signal.SIGKILL)
    done = endless.done()
    assert done.status == 1
    assert done.err.startswith("fairdeal record verify: a process that it had started was ended")
    assert done.err.count("\n") == 1


def test_what_a_bot_kept_is_compared(fairdeal: Fairdeal, tmp_path: Path) -> None:
    data, bots = kept_and_played("euchre", {})
    path, kept = tmp_path / NAME, tmp_path / "kept.jsonl"
    path.write_bytes(data)
    kept.write_text("\n".join(bots[0].kept))
    done = fairdeal("record", "verify", path, "--told", kept)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "compared with what bots kept: 1 of their 1 matches"
    assert "without a store" not in done.out
    line = json.loads(bots[0].kept[-1])
    line["told"] = bytes(32).hex()
    for end in ("", "\n"):  # an editor may have taken it away
        kept.write_text(f"{json.dumps(line)}{end}")
        done = fairdeal("record", "verify", path, "--told", kept)
        assert done.status == 1
        assert "told: the bot of seat 0 was told or answered something else" in done.out


def test_a_match_that_was_not_kept_to_its_end_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    data, bots = kept_and_played("euchre", {})
    path, kept = tmp_path / NAME, tmp_path / "kept.jsonl"
    path.write_bytes(data)
    kept.write_text(f"{bots[0].kept[0]}\n")
    done = fairdeal("record", "verify", path, "--told", kept)
    last = "compared with what bots kept: 1 of their 1 matches, 0 of them to the end"
    assert (done.status, done.out.splitlines()[-1]) == (0, last)
    as_json = json.loads(fairdeal("record", "verify", path, "--json", "--told", kept).out)
    assert as_json["told"] == {"matches": 1, "compared": 1, "to_the_end": 0}


def test_a_line_that_was_cut_off_is_told_and_passed_over(fairdeal: Fairdeal, tmp_path: Path) -> None:
    data, bots = kept_and_played("euchre", {})
    path, kept = tmp_path / NAME, tmp_path / "kept.jsonl"
    path.write_bytes(data)
    lines = bots[0].kept
    kept.write_text("\n".join([lines[0][:70], lines[1][:70] + lines[0], "", *lines, lines[0][:70]]))
    done = fairdeal("record", "verify", path, "--told", kept)
    told = "is not whole and passed over: a full disk, or a killed bot"
    assert done.err.splitlines() == [f"{kept}: line {number} {told}" for number in (1, 2, 6)]
    assert (done.status, done.out.splitlines()[-1]) == (
        0,
        "compared with what bots kept: 1 of their 1 matches",
    )


def test_two_commitments_for_one_epoch_are_told_though_there_is_no_record(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    path = write(tmp_path, "euchre")
    kept = [tmp_path / "ada.jsonl", tmp_path / "bob.jsonl"]
    line = {"type": "seated", "match_id": "m7", "attempt": 1, "epoch_id": "set-1", "scheme": "fairdeal/2"}
    same, other = ({**line, "match_id": name} for name in ("m8", "m9"))
    kept[0].write_text("".join(json.dumps({**each, "commit": "00"}) + "\n" for each in (line, same)))
    kept[1].write_text(json.dumps({**other, "commit": "01"}) + "\n")
    told = [word for each in kept for word in ("--told", each)]
    done = fairdeal("record", "verify", path, *told)
    breach = f"{kept[1]}: line 1: epoch set-1 has another commitment than in {kept[0]}: line 1"
    assert (done.status, done.out.splitlines()[1]) == (1, f"{breach}: a breach by the referee")
    as_json = fairdeal("record", "verify", path, "--json", *told)
    assert (as_json.status, json.loads(as_json.out)["breaches"]) == (1, [breach])
    assert fairdeal("record", "verify", path, *told[:2]).status == 0


@pytest.mark.parametrize(
    "text", ["[]\n", "{}\n", "no\n", '{"type":"seated","match_id":"m","attempt":true}\n']
)
def test_a_file_that_no_bot_kept_is_refused(fairdeal: Fairdeal, tmp_path: Path, text: str) -> None:
    path, kept = write(tmp_path, "euchre"), tmp_path / "kept.jsonl"
    kept.write_text(text)
    done = fairdeal("record", "verify", path, "--told", kept)
    assert done.status == 2
    assert f"{kept}: line 1: not a line that a bot keeps" in done.err
    done = fairdeal("record", "verify", path, "--told", tmp_path / "nowhere")
    assert (done.status, "cannot be read (No such file" in done.err) == (2, True)
