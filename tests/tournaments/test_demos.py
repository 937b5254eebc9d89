"""The command that compares demos with the truth."""

import sys

import pytest

from tests.tournaments import demos
from tests.tournaments.fake_tournament import line
from tournaments.standings.shapes import Skill, Standing


def skill(best_rank: int, worst_rank: int, tier: int) -> Skill:
    return Skill(
        mu=25.0, sigma=1.0, ahead=0.0, margin=1.0, best_rank=best_rank, worst_rank=worst_rank, tier=tier
    )


def test_what_is_printed_is_compared_with_the_true_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [entry.name for entry in demos.ENTRIES]
    told = [skill(1, 2, 1), skill(1, 2, 1), skill(5, 5, 3), skill(3, 4, 2), skill(3, 4, 2)]
    shown = tuple(
        line(name, rank, skill=each, is_ranked_by_skill=True)
        for rank, (name, each) in enumerate(zip(names, told, strict=True), start=1)
    )
    seeds: list[str] = []

    def standings_of(game: str, seed: str) -> tuple[Standing, ...]:
        seeds.append(seed)
        return shown

    monkeypatch.setattr(demos, "standings_of", standings_of)
    monkeypatch.setattr(sys, "argv", ["demos", "--seeds", "2", "--cards", "other", "--games", "piquet"])
    demos.main()
    assert seeds == ["other 0", "other 1"]
    # the third is printed as the last, below two that are worse; so is the rank of the last
    assert capsys.readouterr().out.splitlines()[-1] == "| piquet | 2 | 10 | 4 | 16 | 4 |"


def test_a_demo_is_played_in_process() -> None:
    found = demos.standings_of("euchre", "spring", quick=True)
    assert [each.matches for each in found] == [4] * 5


def test_no_seeds_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["demos", "--seeds", "0"])
    with pytest.raises(SystemExit, match="2"):
        demos.main()
    assert "--seeds 0: take 1 or more" in capsys.readouterr().err
