"""What is refused in a tournament file, with the place and in plain words."""

from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from referee.core.limits import LIMITS
from tests.tournaments.config_files import PAIR, entries, problems, write
from tournaments.tournament_file import cluster
from tournaments.tournament_file.reader import ConfigError, load
from tournaments.tournament_file.schema import FileShape

STAGES = """[[stages]]
name = "g"
format = "round_robin"
advance = 2
[[stages]]
name = "p"
format = "knockout"
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('["--blunder", "abc"]', "argument --blunder: invalid float value: 'abc'"),
        ('["--blunder", "1.5"]', "blunder 1.5: must be 0 to 1"),
        ('["--blnder", "0.5"]', "unrecognized arguments: --blnder 0.5; did you mean --blunder?"),
        ('["--help"]', "must not ask for help: the bot would print it and end"),
    ],
)
def test_a_house_bot_is_asked_what_it_makes_of_its_arguments(
    tmp_path: Path, arguments: str, said: str
) -> None:
    text = f'{PAIR}[[entries]]\nname = "odd"\nbot = "greedy"\narguments = {arguments}\n'
    with pytest.raises(ConfigError) as raised:
        load(write(tmp_path, text))
    assert str(raised.value).endswith(f"entries[2].arguments: {said}")


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        # keys
        (f"rouds = 2\n{PAIR}", "1: rouds: no such key; did you mean rounds? there are best_of, challenger, "),
        (
            f"match = {{ deals = 1, shared_decks = true }}\n{PAIR}",
            "1: match.shared_decks: is for duplicate sets: write match = { deals = 1, duplicate = true, sh",
        ),
        (
            f"match = {{ deals = 1, duplicate = true, shared_decks = true }}\nmatches_each = 3\n{PAIR}",
            "1: match.shared_decks: is for round robins of whole rounds: leave it out",
        ),
        (
            f"ray = {{ batch = 4 }}\n{PAIR}",
            '1: ray: is for executor = "ray": write that, too, or leave this out',
        ),
        (
            f'executor = "ray"\nray = {{ address = "head" }}\n{PAIR}',
            '2: ray.address: must be "local", "auto", "ray://HOST:PORT" or "HOST:PORT", is "head"',
        ),
        (
            f'executor = "ray"\nray = {{ address = "auto", processors = 2 }}\n{PAIR}',
            "2: ray.processors: are those of a cluster that begins with the run: leave it out",
        ),
        (f'executor = "dask"\n{PAIR}', '1: executor: "dask": no such executor; there are local, ray'),
        (
            f'executor = "ray"\nformat = "ladder"\n{PAIR}',
            "1: executor: plays schedules, and a ladder pairs who is here: leave it out",
        ),
        (
            f'{PAIR}[[entries]]\nname = "c"\nbot = "random"\nresources = {{ gpus = 1 }}\n',
            '11: entries[2].resources: is for executor = "ray": write that, too, or leave this out',
        ),
        (
            f'executor = "ray"\n{PAIR}[[entries]]\nname = "c"\nremote = true\nresources = {{ gpus = 1 }}\n',
            "12: entries[2].resources: are what a bot needs that is started for it, and this one is remote",
        ),
        (
            f'executor = "ray"\n{PAIR}[[entries]]\nname = "c"\nbot = "random"\n'
            "resources = { labels = { CPU = 1 } }\n",
            '12: entries[2].resources.labels: "CPU" cannot be a label: take letters, digits, _ and -, but',
        ),
        (
            f"pace = {{ matches = 5 }}\n{PAIR}",
            "1: pace: is for ladders, and this is a round_robin: leave it out",
        ),
        (
            f'format = "ladder"\npace = {{}}\n{PAIR}',
            "2: pace: limits nothing: write matches_per_day = 100, for example, or leave it out",
        ),
        (
            f"duplicate = true\n{PAIR}",
            "1: duplicate: belongs in the match: match = { deals = 1, duplicate = true }",
        ),
        (f"zzz = 2\n{PAIR}", "1: zzz: no such key; there are best_of, challenger, "),
        (f"clock = {{ mov = 2 }}\n{PAIR}", "1: clock.mov: no such key; did you mean move? there are bank, "),
        (f"{PAIR}bott = 1\n", "8: entries[1].bott: no such key; did you mean bot? there are arguments, "),
        (entries(4), "1: game: is missing"),
        ('game = "hearts"\n', "1: entries: a match of hearts takes 4 entries, and there are 0: "),
        # the game and its options
        (
            PAIR.replace("two_handed_spades", "two_handed_spade"),
            '1: game: "two_handed_spade": no such game; ',
        ),
        (f"match = {{ deals = 1, deal = 2 }}\n{PAIR}", "1: match.deal: no such key; did you mean deals?"),
        (f"options = {{ tarket = 5 }}\n{PAIR}", "1: options.tarket: no such option; did you mean target? "),
        (f"{PAIR}[options]\ntarget = 0\n", "9: options.target: must be "),
        (f"{PAIR}[options]\ntarget = true\n", "9: options.target: must be "),
        # numbers and texts
        (
            f'sandbox = "none"\n{PAIR}',
            "1: sandbox: belongs in [hosting], or is written hosting.sandbox = ...",
        ),
        (f"lag = 1\n{PAIR}", "1: lag: belongs in [clock], or is written clock.lag = ..."),
        (f"rounds = 0\n{PAIR}", "1: rounds: must be a whole number from 1 to 10,000, is 0"),
        (f"rounds = 2.0\n{PAIR}", "1: rounds: must be a whole number from 1 to 10,000, is 2.0"),
        (f"matches_each = 0\n{PAIR}", "1: matches_each: must be a whole number from 1 to 10,000, is 0"),
        (
            f"rounds = 2\nmatches_each = 3\n{PAIR}",
            "2: matches_each: and rounds both say how long the round robin is: keep one",
        ),
        (
            f"format = 'swiss'\nmatches_each = 3\n{PAIR}",
            "2: matches_each: only a round robin has it, and this is a swiss: leave it out",
        ),
        (f"concurrency = true\n{PAIR}", "1: concurrency: must be a whole number from 1 to 1,000, is true"),
        (f"{PAIR}[hosting]\nprocesses = true\n", "9: hosting.processes: must be a whole number from 1 to "),
        (
            f"{PAIR}[rating]\nrank_by = 'wins'\n",
            '9: rating.rank_by: "wins": no such ranking; did you mean points? there are points, running, ',
        ),
        (
            f"format = 'ladder'\n{PAIR}[rating]\nrank_by = 'points'\n",
            "10: rating.rank_by: on a ladder points need equally many matches for all: write ",
        ),
        (
            f"format = 'swiss'\n{PAIR}[rating]\nrank_by = 'running'\n",
            "10: rating.rank_by: a swiss is ranked by points: leave it out",
        ),
        (
            f"format = 'knockout'\n{PAIR}[rating]\nrank_by = 'trueskill'\n",
            "10: rating.rank_by: a knockout is ranked by place: leave it out",
        ),
        (
            f"match = 4\n{PAIR}",
            '1: match: must be "game", { deals = NUMBER } or { deals = NUMBER, duplicate = true }, is 4',
        ),
        (f"match = {{ deals = 0 }}\n{PAIR}", "1: match.deals: must be a whole number from 1 to 1,000, is 0"),
        (f"match = {{}}\n{PAIR}", "1: match.deals: is missing"),
        (f'name = "The Cup"\n{PAIR}', '1: name: must be 1 to 60 of a-z, 0-9, _ and -, is "The Cup"'),
        (f'seed = ""\n{PAIR}', "1: seed: must be a whole number or a text of 1 to 200 ASCII characters, is "),
        (f'seed = "frühling"\n{PAIR}', "1: seed: must be a whole number or a text of 1 to 200 ASCII "),
        (
            f'clock = "slow"\n{PAIR}',
            '1: clock: must be one of "standard", "fast", "patient", "debug", or a table [clock]',
        ),
        (
            f"{PAIR}[clock]\nmove = 0\n",
            "9: clock.move: must be a number of seconds from 0.01 to 86,400, is 0",
        ),
        (
            f"{PAIR}[clock]\nbank = nan\n",
            "9: clock.bank: must be a number of seconds from 0 to 86,400, is NaN",
        ),
        (
            f"{PAIR}[rating]\nsigma = inf\n",
            "9: rating.sigma: must be a number from 0.01 to 1,000, is Infinity",
        ),
        (
            f"{PAIR}[rating]\ndraw_probability = 0\n",
            '9: rating.draw_probability: must be "estimated" or a number from 0.0001',
        ),
        (
            f'{PAIR}[faults]\npolicy = "void"\n',
            '9: faults.policy: "void": no such policy; there are forfeit, ',
        ),
        (f"faults = 3\n{PAIR}", "1: faults: must be a table, is 3"),
        (f"options = 3\n{PAIR}", "1: options: must be a table, is 3"),
        # limits and durability
        (f"limits = 3\n{PAIR}", "1: limits: must be a table, is 3"),
        (f"{PAIR}[limits]\nsesions = 3\n", "9: limits.sesions: no such limit; did you mean sessions? there "),
        *(
            (
                f"{PAIR}[limits]\n{name} = {value}\n",
                f"9: limits.{name}: must be a whole number from {limit.metadata['low']:,} to "
                f"{limit.metadata['high']:,}, is {value}",
            )
            for name, limit in LIMITS.items()
            for value in (limit.metadata["low"] - 1, limit.metadata["high"] + 1, "1.5", "true")
        ),
        (
            f"{PAIR}[limits]\nheartbeat_seconds = 9\nidle_seconds = 9\n",
            "10: limits.idle_seconds: heartbeat_seconds must be less than idle_seconds (9), or ",
        ),
        (f'durability = "memory"\n{PAIR}', '1: durability: "memory": no such durability; '),
        # the clock
        (f"{PAIR}[clock]\nincrement = -1\n", "9: clock.increment: must be a number of seconds from 0 to 8"),
        (f"{PAIR}[clock]\nlag = 61\n", "9: clock.lag: must be a number of seconds from 0 to 60, is 61"),
        (f"{PAIR}[clock]\nlag_cap = -1\n", "9: clock.lag_cap: must be a number of seconds from 0 to 86,400"),
        (
            f"{PAIR}[clock]\nstart = 0\n",
            "9: clock.start: must be a number of seconds from 0.1 to 86,400, is 0",
        ),
        # entries
        (
            'game = "hearts"\n[entries]\nname = "a"\n',
            "2: entries: must be written as tables [[entries]]",
        ),
        (
            'game = "two_handed_spades"\nentries = [{ name = "a", bot = "random" }, 1]\n',
            "2: entries[1]: must be a table, is 1",
        ),
        (f'game = "hearts"\n{entries(3)}', "2: entries: a match of hearts takes 4 entries, and there are 3"),
        (PAIR.replace('"two"', '"one"'), '6: entries[1].name: "one" is the name of entries[0] too: '),
        (PAIR.replace('"two"', '"a b"'), "6: entries[1].name: must be 1 to 40 letters (a-z, A-Z), digits, "),
        (PAIR.replace('name = "two"\n', ""), "5: entries[1].name: is missing"),
        (
            PAIR.replace('"random"', '"gready"'),
            '7: entries[1].bot: "gready": no such house bot; did you mean ',
        ),
        (PAIR.replace('bot = "random"', ""), "5: entries[1]: has no bot: give bot = "),
        (f'{PAIR}command = "true"\n', "5: entries[1]: has bot and command: keep one"),
        (f'{PAIR}arguments = "-x"\n', '8: entries[1].arguments: must be a list of texts, is "-x"'),
        (
            PAIR.replace('bot = "random"', 'command = "true"\narguments = ["-x"]'),
            "8: entries[1].arguments: belongs to a house bot: ",
        ),
        # commands
        (
            PAIR.replace('bot = "random"', "command = 5"),
            "7: entries[1].command: must be a list of texts, is 5",
        ),
        (PAIR.replace('bot = "random"', "command = []"), "7: entries[1].command: the command is empty: "),
        (PAIR.replace('bot = "random"', 'command = "no-such-bot x"'), "7: entries[1].command: the command "),
        (
            PAIR.replace('bot = "random"', 'command = ["./none"]'),
            "7: entries[1].command: the command './none' ",
        ),
        (
            PAIR.replace('bot = "random"', 'command = ["{python}", "none.py"]'),
            "7: entries[1].command: the script 'none.py' is not there: ",
        ),
        (
            PAIR.replace('bot = "random"', 'command = "say \'hi"'),
            "7: entries[1].command: cannot be split into words (No closing quotation): ",
        ),
        # stages
        (f"stages = 3\n{PAIR}", "1: stages: must be written as tables [[stages]]"),
        (f"{PAIR}[[stages]]\nname = 'g'\n", "8: stages[0].format: is missing"),
        (f"rounds = 2\n{PAIR}{STAGES}", "1: rounds: is said by each of the [[stages]]: leave it out"),
        (
            f'format = "swiss"\n{PAIR}{STAGES}',
            "1: format: is said by each of the [[stages]]: leave it out",
        ),
        (
            PAIR + STAGES.replace('"p"', '"g"'),
            '13: stages[1].name: "g" is the name of stages[0] too: give each its own',
        ),
        (
            f"{PAIR}{STAGES}rounds = 2\n",
            "15: stages[1].rounds: a knockout has none: leave it out",
        ),
        (
            PAIR + STAGES.replace("round_robin", "swiss"),
            "8: stages[0].rounds: is missing: how many rounds has the swiss?",
        ),
        (
            PAIR + STAGES.replace("advance", "tie_breaks = ['fit']\nadvance"),
            "11: stages[0].tie_breaks: who goes on is decided by the matches of the group alone: leave ",
        ),
        (
            PAIR + STAGES.replace("advance = 2", "advance = 3"),
            "8: stages[0].groups: of all the smallest has 2, and 3 are to go on: lower it, or add entries",
        ),
        (
            f"{PAIR}{STAGES}clock = {{ mov = 1 }}\n",
            "15: stages[1].clock.mov: no such key; did you mean move? ",
        ),
        (f"{PAIR}{STAGES}advnce = 1\n", "15: stages[1].advnce: no such key; did you mean advance? "),
        (
            f"{PAIR}{STAGES}clock = 3\n",
            '15: stages[1].clock: must be one of "standard", "fast", "patient", "debug", or',
        ),
        # a Swiss
        (
            PAIR.replace('bot = "random"', 'bot = "random"\nbyes = [1]'),
            "8: entries[1].byes: is for a swiss, and this is a round_robin: leave it out",
        ),
        (
            "format = 'swiss'\nrounds = 1\n" + PAIR.replace('bot = "random"', 'bot = "random"\njoins = 2'),
            "10: entries[1].joins: names round 2, and there are 1",
        ),
        *(
            (
                PAIR.replace('bot = "random"', f'bot = "random"\nbyes = {value}'),
                f"8: entries[1].byes: must be a list of different rounds, such as [2], is {value}",
            )
            for value in ("2", "[2, 2]")
        ),
        (
            PAIR.replace('bot = "random"', 'bot = "random"\nbyes = [0]'),
            "8: entries[1].byes: must be a whole number from 1 to 10,000, is 0",
        ),
        # tie-breaks
        (
            f'tie_breaks = ["dirct"]\n{PAIR}',
            '1: tie_breaks: "dirct": no such tie-break; did you mean direct? there are buchholz, direct, ',
        ),
        *(
            (
                f"tie_breaks = {value}\n{PAIR}",
                "1: tie_breaks: must be a list of some of buchholz, direct, sonneborn_berger, fit, each once",
            )
            for value in ("[]", '"fit"', '["fit", "fit"]')
        ),
        (
            f'tie_breaks = ["direct"]\n{PAIR}',
            "1: tie_breaks: separate equal points, and this is not ranked by them: write rank_by = ",
        ),
        (
            f'tie_breaks = ["direct"]\nformat = "knockout"\n{PAIR}',
            "1: tie_breaks: separate equal points, and a knockout has none: leave it out",
        ),
        # TOML
        (
            'game = "hearts"\nrounds 2\n',
            "2: not TOML: Expected '=' after a key in a key/value pair (column 8)",
        ),
        ('game = "hearts"\nx = [1,\n', "2: not TOML: nothing closes the [ (column 5)"),
        (f"[options\n{PAIR}", "1: not TOML: nothing closes the [ (column 1)"),
        (
            '# it\'s\nname = "it\'s"\ngame = "hearts\nrounds = 2',
            '3: not TOML: nothing closes the " (column 8)',
        ),
        ('game = "hearts"\nclock', "2: not TOML: clock has no value"),
        ('game = "hearts"\nclock =\n\n', "2: not TOML: clock has no value"),
        ("rounds = 1\ngame = hearts  # for four\n", '2: not TOML: texts stand in quotes: write "hearts"'),
        (f"durable = True\n{PAIR}", "1: not TOML: write true"),
        ('game = "hearts" rounds = 2', "1: not TOML: Expected newline or end of document "),
        (f"rounds = {'9' * 5000}\n", "1: not TOML: Exceeds the limit "),
        ("", "1: has no settings: name a game and its entries, "),
        ("# nothing yet\n", "1: has no settings: name a game and its entries, "),
        (f"x = {'[' * 5000}{']' * 5000}", "1: nested too deeply"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, refused: str
) -> None:
    monkeypatch.setattr(cluster, "ray_is_installed", lambda: True)
    (problem,) = problems(write(tmp_path, text))
    assert problem.startswith(refused)


def wrong_values() -> list[tuple[str, str]]:
    """Return every key there is with a date where something else is wanted."""
    found = []
    for key, field in FileShape.model_fields.items():
        models = [each for each in (field.annotation, *get_args(field.annotation)) if isinstance(each, type)]
        nested = [each for each in models if issubclass(each, BaseModel)]
        found.append((f"{key} = 1979-05-27", key))
        for name in nested[0].model_fields if nested else ():
            if key not in ("entries", "stages", "teams"):
                found.append((f"{key} = {{ {name} = 1979-05-27 }}", f"{key}.{name}"))
            else:
                found.append((f"{key} = [{{ {name} = 1979-05-27 }}]", f"{key}[0].{name}"))
    return found


@pytest.mark.parametrize(("line", "key"), wrong_values())
def test_every_key_refuses_a_value_of_another_type_in_plain_words(
    tmp_path: Path, line: str, key: str
) -> None:
    texts = problems(write(tmp_path, f"{line}\n"))
    (text,) = (text for text in texts if text.startswith(f"1: {key}: "))
    assert "must be " in text


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """game = "two_handed_spades"
rounds = 0
extra = 1
[clock]
move = "fast"
[options]
target = 1
blnder = 2
[[entries]]
name = "a"
bot = "clever"
[[entries]]
name = "a"
command = "no-such-command"
[[entries]]
bot = "greedy"
"""
    found = problems(write(tmp_path, text))
    assert [problem.split(": ")[:2] for problem in found] == [
        ["2", "rounds"],
        ["3", "extra"],
        ["5", "clock.move"],
        ["7", "options.target"],
        ["8", "options.blnder"],
        ["11", "entries[0].bot"],
        ["13", "entries[1].name"],
        ["14", "entries[1].command"],
        ["15", "entries[2].name"],
    ]


def test_what_cannot_be_done_is_told_once_the_values_are_well(tmp_path: Path) -> None:
    text = """game = "spades"
format = "knockout"
[rating]
elo = 3
[hosting]
sandbox = "chroot"
[[entries]]
name = "a"
bot = "gready"
[[entries]]
name = "b"
bot = "random"
[[teams]]
name = "north"
entries = ["a", "zz"]
"""

    def places() -> list[str]:
        return [problem.split(": ")[1] for problem in problems(write(tmp_path, text))]

    assert places() == ["rating.elo", "hosting.sandbox", "entries[0].bot"]
    text = text.replace("elo", "mu").replace("chroot", "none").replace("gready", "greedy")
    assert places() == ["partners", "entries", "teams", "teams[0].entries"]


def test_a_file_whose_name_cannot_be_a_tournaments_name_must_say_one(tmp_path: Path) -> None:
    (problem,) = problems(write(tmp_path, PAIR, "My Cup.toml"))
    assert problem == "1: name: the file's name, \"My Cup\", cannot be the tournament's: write name = ..."
    assert load(write(tmp_path, f'name = "cup"\n{PAIR}', "My Cup.toml")).name == "cup"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    wanted = "there is no such file: give the tournament's TOML file"
    assert problems(tmp_path / "none.toml") == [wanted]
    file = write(tmp_path, PAIR, "cup.toml")
    assert problems(tmp_path / "cup") == [f"{wanted}, {file}"]
    assert problems(file / "cup") == ["cannot be read: Not a directory"]


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    wanted = "is a folder: give the tournament's TOML file"
    assert problems(tmp_path) == [wanted]
    file = write(tmp_path, PAIR, "cup.toml")
    for name in ("cup", "cup.fairdeal"):
        (tmp_path / name).mkdir()
        assert problems(tmp_path / name) == [f"{wanted}, {file}"]


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_bytes(b"game = \xff\n")
    assert problems(path) == ["is not UTF-8 text (byte 7)"]
