import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fairdeal.bots import make
from fairdeal.testing import play
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.storage import record, record_files
from referee.storage.record_digest import digest_of
from referee.verify import past, seen_by
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.kept import FOLDER, restored
from tournaments.cli.failure import Failure
from tournaments.cli.record import seat_of
from tournaments.cli.record_summary import Summary


def write(folder: Path, game: str, bot: str = "random") -> Path:
    """Play a match of one deal and write its record."""
    rules = GAMES[game]
    played = play(game, [make(bot) for _ in range(rules.seats)], seed="spring", deals=1, match_id=game)
    deals = MatchDeals(played.setup, rules, SeededKeys("spring"))
    owners = [(entry, "") for entry in played.setup.entries]
    header = record.header_line(
        played.setup, owners, rules, deals.commitment, software="test", started="today"
    )
    path = record_files.path_of(folder, game, 1)
    record.write(path, record.encode(header, played.log, deals.secret))
    return path


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_printed(fairdeal: Fairdeal, tmp_path: Path, game: str) -> None:
    done = fairdeal("record", "show", write(tmp_path, game))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"Match {game}, attempt 1: ")
    assert "\nDeal 1" in done.out
    assert "\nDeal 2" not in done.out
    for seat in range(GAMES[game].seats):
        assert f"  seat {seat}      seat{seat}\n" in done.out


def test_several_records(fairdeal: Fairdeal, tmp_path: Path) -> None:
    paths = [write(tmp_path, game) for game in GAMES]
    alone = [fairdeal("record", "show", path).out for path in paths]
    assert fairdeal("record", "show", *paths).out == "\n".join(alone)


def test_what_one_seat_knew_is_a_file_that_is_shown_and_not_verified(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    whole = write(tmp_path, "hearts")
    seen = seen_by(past(whole.read_bytes()), 2)
    file = tmp_path / "hearts.1.seat.jsonl.gz"
    record.write(file, record.packed(map(json.dumps, (seen.header, *seen.lines))))
    shown = fairdeal("record", "show", file)
    assert (shown.status, shown.out) == (0, fairdeal("record", "show", "--seat", 2, whole).out)
    verified = fairdeal("record", "verify", file)
    assert verified.status == 1
    assert "this is what one seat knew of a match: get the whole record to verify it" in verified.out
    file.write_bytes(without_end(file.read_bytes()))
    assert "its last line is not of the type outcome" in fairdeal("record", "show", file).err


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def without_end(data: bytes) -> bytes:
    return gzip.compress(b"".join(gzip.decompress(data).splitlines(keepends=True)[:-3]))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (cut, "the record is truncated; get a whole copy of the file"),
        (without_end, "the record is truncated: its last line is not of the type reveal"),
        (gzip.decompress, "not a record (records are gzip files of JSON lines)"),
        (lambda data: b"", "not a record: its first line is not a header"),
        (
            lambda data: gzip.compress(b"nothing\n"),
            "line 1 is not an object with a type; the record is damaged",
        ),
    ],
)
def test_a_damaged_record(
    fairdeal: Fairdeal, tmp_path: Path, damage: Callable[[bytes], bytes], told: str
) -> None:
    path = write(tmp_path, "hearts")
    path.write_bytes(damage(path.read_bytes()))
    done = fairdeal("record", "show", path)
    assert done.status == 1
    assert done.line == f"fairdeal: {path}: {told}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing", "there is no such file; name a record (ID.N.jsonl.gz)"),
        (".", "holds no records (*.jsonl.gz)"),
    ],
)
def test_what_is_no_file(fairdeal: Fairdeal, name: str, told: str) -> None:
    done = fairdeal("record", "show", name)
    assert done.status == 1
    assert done.line == f"fairdeal: {name}: {told}"


@pytest.mark.parametrize("game", GAMES)
def test_what_one_seat_knew(fairdeal: Fairdeal, tmp_path: Path, game: str) -> None:
    path = write(tmp_path, game)
    everything, own = (fairdeal("record", "show", *words, path).out for words in ((), ("--seat", "1")))
    assert "\nDeal 1" in own
    assert "Reveal" not in own
    assert len(own) < len(everything)
    assert (
        fairdeal("record", "show", "--seat", 1, "--json", path).json["records"][0]["lines"][-1]
        == (fairdeal("record", "show", "--json", path).json["records"][0]["outcome"])
    )


def test_one_deal(fairdeal: Fairdeal, tmp_path: Path) -> None:
    path = write(tmp_path, "hearts")
    done = fairdeal("record", "show", "--deal", 1, path)
    assert "\nDeal 1" in done.out
    assert "Outcome" not in done.out
    lines = fairdeal("record", "show", "--json", "--deal", 1, path).json["records"][0]["lines"]
    assert (lines[0]["type"], lines[-1]["type"]) == ("dealt", "deal_scored")
    for words in ((), ("--json",)):
        none = fairdeal("record", "show", "--deal", 2, *words, path)
        assert (none.status, none.line) == (
            1,
            f"fairdeal: {path}: there is no deal 2: the match has 1 deal",
        )


def test_many_in_few_lines(fairdeal: Fairdeal, tmp_path: Path) -> None:
    for game in GAMES:
        write(tmp_path, game)
    done = fairdeal("record", "show", "--summary", tmp_path)
    assert all(f"{game}.1 {game} completed: 1 seat" in done.out for game in GAMES)
    assert f"{len(GAMES)} records: {len(GAMES)} completed" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    told = fairdeal("record", "show", "--summary", "--json", tmp_path).json
    assert sum(entry["won"] for entry in told["entries"]) == sum(len(GAMES[game].sides[0]) for game in GAMES)
    assert "lines" not in told["records"][0]


@pytest.mark.parametrize(
    ("scores", "told"),
    [([9, 0, 17, 0], "1 b (0), 1 a (0), 3 a (9), 4 b (17)"), ([], "1 b, 1 a, 3 a, 4 b")],
)
def test_a_line_of_a_summary_has_ranks_and_scores(scores: list[int], told: str) -> None:
    no_faults = dict.fromkeys(("malformed", "illegal", "disconnected", "late"), 0)
    outcome = {"type": "outcome", "termination": "completed", "ranks": [3, 1, 4, 1], "scores": scores}
    header = {
        "match_id": "m",
        "attempt": 2,
        "game": "hearts",
        "entries": ["a", "b", "b", "a"],
        "faults": {"substitute": False},
    }
    whole = record.Record(header, ({**outcome, "faults": [no_faults] * 4},))
    assert Summary().line(whole) == f"m.2 hearts completed: {told}"


def test_a_summary_counts_an_attempt_once(fairdeal: Fairdeal, tmp_path: Path) -> None:
    """The records of earlier versions lie in the folder itself, others by the hash of their match."""
    path = write(tmp_path, "piquet")
    by_hash = tmp_path / "ab" / path.name
    by_hash.parent.mkdir()
    shutil.copy(path, by_hash)
    done = fairdeal("record", "show", "--summary", tmp_path, path)
    assert "1 record: 1 completed" in done.out
    assert done.err == f"{by_hash}: not counted: {path} is a record of the same attempt\n"
    told = fairdeal("record", "show", "--json", tmp_path, path).json
    assert [each["file"] for each in told["records"]] == [str(path), str(by_hash)]
    assert [entry["seats"] for entry in told["entries"]] == [1, 1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--summary", "--seat", "0"], "--summary is of whole matches: leave --seat and --deal out"),
        (["--seat", "2"], "there is no seat 2; the seats are 0 seat0, 1 seat1"),
        (["--seat", "-1"], "there is no seat -1; the seats are 0 seat0, 1 seat1"),
        (["--seat", "alice"], "there is no seat alice; the seats are 0 seat0, 1 seat1"),
    ],
)
def test_what_cannot_be_shown(fairdeal: Fairdeal, tmp_path: Path, words: list[str], told: str) -> None:
    done = fairdeal("record", "show", *words, write(tmp_path, "piquet"))
    assert (done.status, done.line) == (2, f"fairdeal record show: {told}")


def test_a_seat_by_the_name_of_its_entry(fairdeal: Fairdeal, tmp_path: Path) -> None:
    path = write(tmp_path, "piquet")
    by_number, by_name = (fairdeal("record", "show", "--seat", seat, path) for seat in ("1", "seat1"))
    assert (by_name.status, by_name.out) == (0, by_number.out)


def test_which_seat_is_meant() -> None:
    whole = record.Record({"entries": ["a", "b", "a", "0"]}, ())
    assert [seat_of("words", whole, given) for given in ("0", "2", "b")] == [0, 2, 1]
    with pytest.raises(Failure, match="words: a has several seats; the seats are 0 a, 1 b, 2 a, 3 0"):
        seat_of("words", whole, "a")
    with pytest.raises(record.RecordError, match="it does not say who sat where"):
        seat_of("words", record.Record({}, ()), "0")


def test_a_seat_is_shown_nothing_of_a_record_that_does_not_verify(fairdeal: Fairdeal, tmp_path: Path) -> None:
    path = write(tmp_path, "piquet").rename(tmp_path / "euchre.1.jsonl.gz")
    done = fairdeal("record", "show", "--seat", "1", path)
    assert done.status == 1
    assert done.line.startswith(
        f"fairdeal: {path}: the record does not verify, so its match cannot be replayed"
    )


def test_standings_and_report_hold_the_digest_over_all_records(fairdeal: Fairdeal, tmp_path: Path) -> None:
    restored("hearts-finished", tmp_path)
    (path,) = record_files.in_folder(tmp_path / FOLDER / "records")
    name = record_files.named(path)
    assert name
    digest = digest_of([(*name, hashlib.sha256(path.read_bytes()).hexdigest())])
    assert fairdeal("tournament", "standings", "cup.toml").out.splitlines()[-1] == f"digest: {digest}"
    assert fairdeal("tournament", "standings", "--json", "cup.toml").json["records_sha256"] == digest
    assert fairdeal("tournament", "report", "cup.toml", "--output", "report.html").status == 0
    assert f"<code>{digest}</code>" in (tmp_path / "report.html").read_text()
    nowhere = fairdeal("tournament", "report", "cup.toml", "--output", "nodir/x.html")
    wanted = "fairdeal: nodir/x.html: cannot be written: the folder nodir does not exist: make it, or name"
    assert (nowhere.status, nowhere.line.startswith(wanted)) == (1, True)


def test_a_match_in_a_notation_for_other_programs(fairdeal: Fairdeal, tmp_path: Path) -> None:
    path = write(tmp_path, "euchre", "greedy")
    done = fairdeal("record", "show", "--egn", tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.json["metadata"]["players"] == record.read(path).header["entries"]
    assert [len(deal["phases"]) for deal in done.json["deals"]] == [2]


def test_what_the_notation_has_no_way_to_say_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    restored("euchre-finished", tmp_path)
    done = fairdeal("record", "show", "--egn", tmp_path / FOLDER)
    assert done.status == 1
    assert "deal 1: seat 1, which did not make trump, plays alone" in done.line


def test_what_has_no_notation_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    hearts = write(tmp_path, "hearts")
    done = fairdeal("record", "show", "--egn", hearts)
    assert (done.status, "for hearts there is no such notation" in done.line) == (2, True)
    euchre = write(tmp_path, "euchre", "greedy")
    done = fairdeal("record", "show", "--egn", tmp_path)
    assert (done.status, "holds 2 records: name one" in done.line) == (2, True)
    seen = seen_by(past(euchre.read_bytes()), 2)
    record.write(euchre, record.packed(map(json.dumps, (seen.header, *seen.lines))))
    done = fairdeal("record", "show", "--egn", euchre)
    assert (done.status, "is what one seat knew" in done.line) == (2, True)
    for more in (["--seat", "1"], ["--deal", "1"], ["--summary"], ["--json"], [hearts]):
        done = fairdeal("record", "show", "--egn", hearts, *more)
        assert (done.status, "name one record, and no other option" in done.line) == (2, True)


def test_a_page_of_a_match(fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path, "piquet")
    done = fairdeal("record", "show", "--html", file)
    assert (done.status, done.out, done.err) == (0, "", "wrote piquet.1.html: open it in a browser\n")
    html = (tmp_path / "piquet.1.html").read_text()
    assert html.startswith("<!doctype html>")
    assert fairdeal("record", "show", "--html", file, "-o", "-").out == html
    fairdeal("record", "show", "--html", file, "-o", "other.html")
    assert (tmp_path / "other.html").read_text() == html


def test_one_match_of_many_by_its_id(fairdeal: Fairdeal, tmp_path: Path) -> None:
    paths = {game: write(tmp_path, game) for game in ("piquet", "spades")}
    for name in ("piquet-2", "piquet-3"):
        other = record_files.path_of(tmp_path, name, 1)
        other.parent.mkdir(exist_ok=True)
        shutil.copy(paths["piquet"], other)
    alone = {game: fairdeal("record", "show", path).out for game, path in paths.items()}
    for given, game in (("spades", "spades"), ("s", "spades"), ("piquet", "piquet"), ("piquet-2", "piquet")):
        done = fairdeal("record", "show", "--match", given, tmp_path)
        assert (done.status, done.out) == (0, alone[game])
    html = fairdeal("record", "show", "--match", "s", "--html", "-o", "-", tmp_path).out
    assert html.startswith("<!doctype html>")
    for given, told in (
        ("x", "no match there has an id that begins so"),
        ("p", "several begin so: piquet, piquet-2, piquet-3"),
    ):
        done = fairdeal("record", "show", "--match", given, tmp_path)
        assert (done.status, told in done.line) == (2, True)


def test_a_page_that_cannot_be_made(fairdeal: Fairdeal, tmp_path: Path) -> None:
    one = write(tmp_path, "piquet")
    done = fairdeal("record", "show", "--html", one, "-o", tmp_path / "none" / "x.html")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert f"x.html: cannot be written: the folder {tmp_path / 'none'} does not exist" in done.err
    other = write(tmp_path, "hearts")
    for more in (["--json"], ["--seat", "1"], ["--deal", "1"], ["--summary"], ["--egn"], [other]):
        done = fairdeal("record", "show", "--html", one, *more)
        assert (done.status, done.out) == (2, "")
        assert "name one record, and no other option" in done.err
    done = fairdeal("record", "show", "--html", tmp_path)
    assert (done.status, done.err) == (
        2,
        f"fairdeal record show: --html: {tmp_path}: holds 2 records: name one\n",
    )
    done = fairdeal("record", "show", one, "-o", tmp_path / "x.html")
    assert (done.status, done.err) == (2, "fairdeal record show: --output: only --html writes a file\n")
    text = gzip.decompress(one.read_bytes()).decode()
    one.write_bytes(
        gzip.compress(text.replace('"card_played","seat":0', '"card_played","seat":1', 1).encode())
    )
    done = fairdeal("record", "show", "--html", one)
    assert (done.status, done.out) == (1, "")
    assert "does not verify" in done.err
    seen = seen_by(past(other.read_bytes()), 2)
    record.write(other, record.packed(map(json.dumps, (seen.header, *seen.lines))))
    done = fairdeal("record", "show", "--html", other)
    assert (done.status, done.err.count("is what one seat knew: get the whole record")) == (2, 1)
    assert not list(tmp_path.glob("*.html"))
