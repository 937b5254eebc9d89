"""What the file of a tournament may say, and the plan that comes of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.core.limits import LIMITS, Limits
from referee.match.clock import PROFILES, ClockSettings
from referee.match.faults import FaultPolicy
from tests.tournaments.config_files import PAIR, write
from tournaments.plan.plan import Entry, Plan, RankBy
from tournaments.ratings import RatingParameters
from tournaments.tournament_file.reader import load

TABLES = (("hosting", 9), ("remote", 3))
TOP = ("format", "registration", "event_grid")
QUICKSTART = Path(__file__).parents[3] / "examples" / "quickstart.toml"


def test_quickstart() -> None:
    plan = load(QUICKSTART)
    assert plan == Plan(
        name="quickstart",
        game="hearts",
        options={**plan.options, "target": 50, "moon": "choose"},
        deals=None,
        rounds=2,
        concurrency=8,
        seed=None,
        base=QUICKSTART.parent,
        folder=QUICKSTART.parent / "quickstart.fairdeal",
        clock=ClockSettings(
            move=2_000_000, bank=30_000_000, increment=0, lag=100_000, lag_cap=5_000_000, start=20_000_000
        ),
        faults=FaultPolicy(substitute=True, max_faults=3),
        rating=RatingParameters(),
        entries=(
            Entry(name="greedy", bot="greedy"),
            Entry(name="careless", bot="greedy", arguments=("--blunder", "0.2")),
            Entry(name="careful", bot="greedy", arguments=("--blunder", "0.05")),
            Entry(name="clumsy", bot="greedy", arguments=("--blunder", "0.5")),
            Entry(name="random", bot="random"),
        ),
        source=QUICKSTART,
    )


def test_what_quickstart_shows_in_comments_is_what_holds_without(tmp_path: Path) -> None:
    shown = [line.removeprefix("# ") for line in QUICKSTART.read_text(encoding="utf-8").splitlines()]
    rating = "\n".join(shown[shown.index("[rating]") :][:7])
    folder = next(line for line in shown if line.startswith("folder = "))
    name = 'name = "quickstart"'
    durability = next(line for line in shown if line.startswith("durability = "))
    limits = "\n".join(shown[shown.index("[limits]") :][: 1 + len(LIMITS)])
    hosting, remote = ("\n".join(shown[shown.index(f"[{key}]") :][:count]) for key, count in TABLES)
    listen = next(line for line in shown if line.startswith("listen = "))
    top = "\n".join(next(line for line in shown if line.startswith(f"{key} = ")) for key in TOP)
    tables = f"{rating}\n{hosting}\n{remote}\n[server]\n{listen}\n{limits}\n"
    plan = load(write(tmp_path, f"{name}\n{folder}\n{durability}\n{top}\n{PAIR}{tables}"))
    bare = load(write(tmp_path, f"{name}\n{PAIR}"))
    for key in ("format", "open", "event_grid", "hosting", "remote", "server"):
        assert getattr(plan, key) == getattr(bare, key)
    assert (plan.limits, plan.durable) == (Limits(), False)
    assert all(f"{name} = " in limits for name in LIMITS)
    (clocks,) = [line for line in shown if line.startswith("clock = ")]
    assert all(f'"{name}"' in clocks for name in PROFILES)
    assert plan.folder == load(write(tmp_path, f"{name}\n{PAIR}")).folder
    for key in ("mu", "sigma", "beta", "tau"):
        assert getattr(plan.rating, key) == pytest.approx(getattr(RatingParameters(), key), abs=0.001)
    assert plan.rank_by is bare.rank_by is RankBy.TRUESKILL
    assert plan.rating.draw_probability == RatingParameters().draw_probability


def test_defaults(tmp_path: Path) -> None:
    plan = load(write(tmp_path, PAIR))
    assert (plan.name, plan.folder) == ("cup", tmp_path / "cup.fairdeal")
    assert (plan.rounds, plan.deals, plan.concurrency, plan.seed, plan.event_grid) == (1, None, 8, None, 0)
    assert (plan.clock, plan.faults, plan.rating) == (
        PROFILES["standard"],
        FaultPolicy(),
        RatingParameters(),
    )


def test_a_relative_path_of_the_file_gives_absolute_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, PAIR)
    monkeypatch.chdir(tmp_path)
    assert load(Path("cup.toml")).folder == tmp_path / "cup.fairdeal"


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("match = { deals = 4 }", {"deals": 4}),
        ('match = "game"', {"deals": None}),
        ("seed = -12", {"seed": "-12"}),
        *((f'clock = "{name}"', {"clock": profile}) for name, profile in PROFILES.items()),
        ("clock = { move = 1 }", {"clock": replace(PROFILES["standard"], move=1_000_000)}),
        ('faults = { policy = "forfeit" }', {"faults": FaultPolicy(substitute=False)}),
        ("rating = { tau = 0.5 }", {"rating": RatingParameters(tau=0.5)}),
        ('rating = { rank_by = "running" }', {"rank_by": RankBy.RUNNING}),
        ("rounds = 3", {"rounds": 3}),
        ("matches_each = 3", {"rounds": 1, "matches_each": 3}),
        (
            "clock = { increment = 0.5, lag = 0, lag_cap = 1.25, start = 0.1 }",
            {
                "clock": replace(
                    PROFILES["standard"], increment=500_000, lag=0, lag_cap=1_250_000, start=100_000
                )
            },
        ),
        ("limits = { idle_seconds = 17, sessions = 9 }", {"limits": Limits(idle_seconds=17, sessions=9)}),
        *(
            (f"limits = {{ {name} = {bound} }}", {"limits": Limits(**{name: bound})})
            for name, limit in LIMITS.items()
            if name not in ("idle_seconds", "heartbeat_seconds")  # which bound each other
            for bound in (limit.metadata["low"], limit.metadata["high"])
        ),
        ('durability = "disk"', {"durable": True}),
        ('durability = "process"', {}),
    ],
)
def test_values(tmp_path: Path, line: str, changed: dict[str, Any]) -> None:
    plain = load(write(tmp_path, PAIR))
    assert load(write(tmp_path, f"{line}\n{PAIR}")) == replace(plain, **changed)


def test_a_ladder_is_ranked_by_running_ratings_that_never_stand_still(tmp_path: Path) -> None:
    usual = load(write(tmp_path, f"format = 'ladder'\n{PAIR}"))
    assert usual.rank_by is RankBy.RUNNING
    assert 0 < usual.rating.tau < 25 / 300
    given = load(write(tmp_path, f"format = 'ladder'\nrating = {{ tau = 0, rank_by = 'trueskill' }}\n{PAIR}"))
    assert (given.rank_by, given.rating.tau) == (RankBy.TRUESKILL, 0.0)


@pytest.mark.parametrize("folder", ["elsewhere/cup", "/somewhere/cup"])
def test_the_folder_is_seen_from_the_file(tmp_path: Path, folder: str) -> None:
    assert load(write(tmp_path, f'folder = "{folder}"\n{PAIR}')).folder == tmp_path / folder


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ('["{python}", "bot.py", "a b"]', ("{python}", "bot.py", "a b")),
        ("\"{python} bot.py 'a b'\"", ("{python}", "bot.py", "a b")),
        ('["{python}", "-m", "some.module"]', ("{python}", "-m", "some.module")),
        ('["{python}"]', ("{python}",)),
        ('"sh -c true"', ("sh", "-c", "true")),
        ('["./run"]', ("./run",)),
    ],
)
def test_commands(tmp_path: Path, command: str, words: tuple[str, ...]) -> None:
    write(tmp_path, "", "bot.py")
    write(tmp_path, "#!/bin/sh\n", "run").chmod(0o755)
    plan = load(write(tmp_path, f'{PAIR}[[entries]]\nname = "mine"\ncommand = {command}\n'))
    assert plan.entries[-1] == Entry(name="mine", command=words)
