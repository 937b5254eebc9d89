from pathlib import Path

import pytest

from tests.tournaments.conftest import Fairdeal
from tests.tournaments.on_paper import by_name, drawn_up, play_out
from tournaments.plan.plan import Format
from tournaments.schedule.knockout import double_knockout, knockout
from tournaments.schedule.pairing import Pairing
from tournaments.store import Store
from tournaments.tournament_file.reader import load


def written(folder: Path, game: str, entries: int, *keys: str) -> Path:
    """Write a tournament file."""
    bots = "".join(f'[[entries]]\nname = "e{n:03}"\nbot = "random"\n' for n in range(entries))
    file = folder / "cup.toml"
    file.write_text("\n".join([f'game = "{game}"', *keys, bots]))
    return file


def test_the_schedule_and_its_balance(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, "spades", 5)
    done = fairdeal("tournament", "plan", file)
    assert (done.status, done.err) == (0, "")
    head, columns, *lines = done.out.splitlines()
    assert head == "cup (spades): round robin, 5 entries, 1 round"
    assert " ".join(columns.split()) == "match round id seat 0 seat 1 seat 2 seat 3"
    assert [line.split()[:2] for line in lines[:5]] == [[f"{n}", "1"] for n in range(1, 6)]
    assert {tuple(sorted(line.split()[3:])) for line in lines[:5]} == {
        tuple(f"e{n:03}" for n in range(5) if n != away) for away in range(5)
    }
    assert lines[5:] == [
        "",
        "5 matches; everybody plays 4",
        "any two meet at a table 3 times",
        "any two are partners once",
        "any two are opponents twice",
        "every entry has each seat equally often",
    ]
    assert list(tmp_path.iterdir()) == [file]  # nothing was begun


def test_figures_that_differ_are_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    out = fairdeal("tournament", "plan", written(tmp_path, "spades", 4)).out
    assert "\nthe numbers of matches per seat of an entry differ by at most 2\n" in out


@pytest.mark.parametrize(("limit", "listed", "more"), [(2, 2, 13), (14, 14, 1), (15, 15, 0), (0, 15, 0)])
def test_so_many_matches_are_listed(
    fairdeal: Fairdeal, tmp_path: Path, limit: int, listed: int, more: int
) -> None:
    file = written(tmp_path, "piquet", 6)
    out = fairdeal("tournament", "plan", file, "--limit", limit).out
    assert out.count("piquet-1-") == listed
    assert ("more: --limit 0 prints all" in out) is (more > 0)
    assert (f"\nand {more} more" in out) is (more > 0)
    assert "15 matches; everybody plays 5\nany two meet at a table once\n" in out


SETS = "match = { deals = 1, duplicate = true }"


@pytest.mark.parametrize(
    ("game", "entries", "text", "lines"),
    [
        (
            "piquet",
            3,
            "",
            [
                "cup (piquet): round_robin",
                "3 sets of 2 matches, 6 matches in all; everybody plays 2 sets",
                "any two meet in sets once",
            ],
        ),
        (
            "hearts",
            5,
            "matches_each = 3",
            [
                "5 entries, 3 sets each, in duplicate sets of 4 matches",
                "3 sets of 4 matches, 12 matches in all; everybody plays 2 to 3 sets",
                "3 of 5 play one set less: 5 times 3 cannot be divided by the 4 at a table",
            ],
        ),
        (
            "piquet",
            6,
            'format = "swiss"\nrounds = 3',
            ["3 rounds, in duplicate sets", "9 sets of 2 matches in all"],
        ),
        (
            "piquet",
            5,
            'format = "knockout"',
            [
                "3 rounds; the first is known",
                "4 sets of 2 matches in all, and up to two replays of each set that does not decide who goes",
            ],
        ),
    ],
)
def test_sets_are_told_from_their_matches(
    fairdeal: Fairdeal, tmp_path: Path, game: str, entries: int, text: str, lines: list[str]
) -> None:
    out = fairdeal("tournament", "plan", written(tmp_path, game, entries, f"{SETS}\n{text}")).out
    for line in lines:
        assert line.replace("_", " ") in out


def test_json_has_it_all(fairdeal: Fairdeal, tmp_path: Path) -> None:
    found = fairdeal("tournament", "plan", written(tmp_path, "spades", 6), "--json", "--limit", 0).json
    assert (found["name"], found["game"], found["format"]) == ("cup", "spades", "round_robin")
    assert found["matches"] == found["known"] == len(found["schedule"]) == 15
    assert [match["number"] for match in found["schedule"]] == [*range(1, 16)]
    assert len({match["id"] for match in found["schedule"]}) == 15
    assert all(match["round"] == 1 and len(set(match["seats"])) == 4 for match in found["schedule"])
    figures = found["balance"]
    meetings = {"at_table": [6, 6], "partners": [2, 2], "opponents": [4, 4], "mean": 6.0}
    assert figures["meetings"] == meetings
    assert found["matches_each"] is None
    assert found["balance_rounds"] == 1
    assert (figures["each"], figures["seat_gap"], figures["challenger"]) == ([10, 10], 1, None)


def test_a_wished_number_of_matches_and_how_even_it_is(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, "spades", 14, "matches_each = 20")
    lines = fairdeal("tournament", "plan", file, "--limit", 1).out.splitlines()
    assert lines[0] == "cup (spades): round robin, 14 entries, 20 matches each"
    assert lines[-5:] == [
        "70 matches; everybody plays 20",
        "any two meet at a table 4 to 5 times, 4.62 on average: as even as was found",
        "any two are partners 0 to 2 times, 1.54 on average: as even as was found",
        "any two are opponents 2 to 4 times, 3.08 on average: as even as was found",
        "the numbers of matches per seat of an entry differ by at most 2",
    ]
    found = fairdeal("tournament", "plan", file, "--json").json
    assert (found["matches"], found["matches_each"], found["balance"]["each"]) == (70, 20, [20, 20])


def test_who_plays_a_match_less_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    out = fairdeal("tournament", "plan", written(tmp_path, "hearts", 5, "matches_each = 3")).out
    assert "\n3 matches; everybody plays 2 to 3\n" in out
    assert "\n3 of 5 play one match less: 5 times 3 cannot be divided by the 4 at a table\n" in out


def test_of_a_schedule_of_millions_the_figures_are_those_of_some_rounds(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = written(tmp_path, "piquet", 100, "rounds = 10000")
    lines = fairdeal("tournament", "plan", file, "--limit", 1).out.splitlines()
    assert lines[3:] == [
        "and 49499999 more: --limit 0 prints all",
        "",
        "49500000 matches; of the first 4 rounds:",
        "19800 matches; everybody plays 396",
        "any two meet at a table 4 times",
        "every entry has each seat equally often",
    ]


def test_a_gauntlet(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, "spades", 6, 'format = "gauntlet"', 'challenger = "e002"')
    lines = fairdeal("tournament", "plan", file).out.splitlines()
    assert lines[0] == "cup (spades): gauntlet, 6 entries, 1 round"
    assert lines[-8:-1] == [
        "10 matches; each of the others plays 6",
        "e002 and any other meet at a table 6 times",
        "e002 and any other are partners twice",
        "e002 and any other are opponents 4 times",
        "any two of the others meet at a table 3 times",
        "any two of the others are partners once",
        "any two of the others are opponents twice",
    ]


def test_a_gauntlet_of_two_at_a_table(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, "piquet", 4, 'format = "gauntlet"', 'challenger = "e002"', "rounds = 2")
    lines = fairdeal("tournament", "plan", file).out.splitlines()
    assert lines[-3:] == [
        "6 matches; each of the others plays 2",
        "e002 and any other meet at a table twice",
        "every entry has each seat equally often",
    ]


@pytest.mark.parametrize(
    ("game", "entries", "told"),
    [("piquet", 8, "12 matches in all"), ("hearts", 9, "6 matches in all; 1 bye in each round")],
)
def test_a_swiss(fairdeal: Fairdeal, tmp_path: Path, game: str, entries: int, told: str) -> None:
    file = written(tmp_path, game, entries, 'format = "swiss"', "rounds = 3")
    out = fairdeal("tournament", "plan", file).out
    assert out.startswith(f"cup ({game}): swiss, {entries} entries, 3 rounds\n")
    assert out.count(f"{game}-1-") == {8: 4, 9: 2}[entries]
    assert out.splitlines()[-2:] == [
        "3 rounds; the first is known: each later one is paired by points when the one before it is over",
        told,
    ]


@pytest.mark.parametrize("entries", [4, 7, 13])
@pytest.mark.parametrize("form", ["knockout", "double_knockout"])
@pytest.mark.parametrize("game", ["piquet", "hearts"])
def test_a_knockout(fairdeal: Fairdeal, tmp_path: Path, game: str, form: str, entries: int) -> None:
    out = fairdeal("tournament", "plan", written(tmp_path, game, entries, f'format = "{form}"')).out
    run = double_knockout if form == "double_knockout" else knockout
    matches, _ = play_out(run, drawn_up(game, entries, Format(form)), by_name)
    rounds = max(pairing.round for pairing in matches)
    follows = "the first is known: who plays in the others follows from the results"
    *_, first, second = out.splitlines()
    assert first == ("1 round" if rounds == 1 else f"{rounds} rounds; {follows}")
    count = "1 match" if len(matches) == 1 else f"{len(matches)} matches"
    assert second.startswith(
        f"{count} in all, and up to two replays of each match that does not decide who goes on"
    )
    assert ("second final" in second) is (game == "piquet" and form == "double_knockout")


def test_who_rests_and_who_comes_late(fairdeal: Fairdeal, tmp_path: Path) -> None:
    late = '[[entries]]\nname = "late"\nbot = "random"\njoins = 3\nbyes = [1, 2]'
    file = written(tmp_path, "piquet", 4, 'format = "swiss"', "rounds = 3")
    file.write_text(file.read_text() + late)
    assert fairdeal("tournament", "plan", file).out.splitlines()[-3:] == [
        "6 matches in all; 0 to 1 byes in a round beside those that were asked for",
        "late joins in round 3",
        "late has a bye at its own request in rounds 1, 2, which counts as a draw",
    ]


def test_series_third_place_and_the_bracket(fairdeal: Fairdeal, tmp_path: Path) -> None:
    keys = ('format = "knockout"', "best_of = 3", "third_place = true")
    file = written(tmp_path, "piquet", 4, *keys)
    out = fairdeal("tournament", "plan", file).out
    assert out.startswith("cup (piquet): knockout, 4 entries, best of 3, with a match for the third place\n")
    assert out.count("piquet-1-") == 4
    assert "\n\ne000  ┐\n" in out
    assert "\nthird place  ?, ?\n" in out
    assert out.endswith("\nat least 8 matches in all, and up to two replays of each series that ends level\n")
    found = fairdeal("tournament", "plan", file, "--json").json
    assert (found["best_of"], found["third_place"], found["matches"], found["known"]) == (3, True, 8, 4)
    assert [table["part"] for table in found["bracket"]] == ["winners", "winners", "third place", "final"]


def test_a_ladder_has_no_schedule(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, "piquet", 4, 'format = "ladder"')
    done = fairdeal("tournament", "plan", file)
    assert (done.status, done.err) == (0, "")
    assert "A ladder has no schedule" in done.out
    found = fairdeal("tournament", "plan", file, "--json").json
    assert (found["matches"], found["known"], found["schedule"], found["balance"]) == (None, 0, [], None)


def test_fixed_pairs(fairdeal: Fairdeal, tmp_path: Path) -> None:
    out = fairdeal(
        "tournament", "plan", written(tmp_path, "spades", 3, 'partners = "fixed"', "rounds = 2")
    ).out
    assert out.startswith("cup (spades): round robin, 3 fixed pairs, 2 rounds\n")
    assert out.endswith(
        "6 matches; everybody plays 4\nany two meet at a table twice\n"
        "every entry has each side equally often\n"
    )


def test_a_bad_file_is_refused(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("tournament", "plan", written(tmp_path, "spads", 4))
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"{tmp_path / 'cup.toml'}:1: game: ")


GUESSED = (
    "the seed can be guessed: a bot tries thousands a second against the commitment, and knows all cards"
    " then; leave it out, or give 32 random characters (openssl rand -hex 16)"
)
REMOTE = '[[entries]]\nname = "far"\nremote = true'
COMMAND = '[[entries]]\nname = "own"\ncommand = ["true"]'


@pytest.mark.parametrize(
    ("keys", "entry", "warned"),
    [
        (['seed = "spring"'], REMOTE, True),
        (['seed = "spring"'], COMMAND, True),
        (["seed = 4711"], COMMAND, True),
        (['seed = "spring"', 'registration = "open"'], "", True),
        (['seed = "spring"', 'format = "ladder"'], "", True),
        (['seed = "spring"'], "", False),
        ([f'seed = "{"0123456789abcdef" * 2}"'], COMMAND, False),
        ([], REMOTE + "\n" + COMMAND, False),
    ],
)
def test_who_lets_foreign_bots_meet_a_seed_is_warned(
    fairdeal: Fairdeal, tmp_path: Path, keys: list[str], entry: str, warned: bool
) -> None:
    file = written(tmp_path, "hearts", 4, *keys)
    file.write_text(file.read_text() + entry)
    done = fairdeal("tournament", "plan", file)
    assert (done.status, done.err) == (0, f"warning: {GUESSED}\n" if warned else "")


def test_a_ladder_tells_its_pace_and_who_rests(fairdeal: Fairdeal, tmp_path: Path) -> None:
    limits = "pace = { matches_per_day = 1, meetings_per_day = 2, matches = 30 }"
    file = written(tmp_path, "piquet", 3, 'format = "ladder"', limits)
    words = (
        "pace: at most 1 match a day for each entry, 2 meetings of any two a day,"
        " 30 matches in all for each entry"
    )
    assert words in fairdeal("tournament", "plan", file).out.splitlines()
    with Store.open(load(file)) as store:
        store.issue([Pairing("piquet-1-0", 1, ("e000", "e002"))])
    told = fairdeal("tournament", "status", file).out.splitlines()
    assert f"{words}; a day ends at midnight, UTC" in told
    assert "have played all they may for now: e000, e002" in told
    told = fairdeal("tournament", "status", file, "--json").json
    assert told["pace"] == {"matches_per_day": 1, "meetings_per_day": 2, "matches": 30}
    assert told["resting"] == ["e000", "e002"]


def test_where_matches_are_played_is_told(
    fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: True)
    text = (Path(__file__).parents[3] / "examples" / "many_machines.toml").read_text()
    file = tmp_path / "cup.toml"
    file.write_text(text)
    told = (
        "played by a cluster of Ray (local): a worker gets up to 10000 matches at a time and plays 4 at once"
    )
    assert told in fairdeal("tournament", "plan", file).out.splitlines()
