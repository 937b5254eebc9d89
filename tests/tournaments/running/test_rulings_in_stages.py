"""Rulings on matches of groups: until the next stage begins."""

from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.examples import copied, play_on_paper
from tests.tournaments.on_paper import by_name
from tournaments import schedule
from tournaments.plan.states import Chosen, RulingKind
from tournaments.running.errors import WrongState
from tournaments.running.rulings import rule_on_matches
from tournaments.store import Store
from tournaments.tournament_file.reader import load

OF_GROUPS: Final = 12
SWISS: Final = """game = "piquet"
[[stages]]
name = "swiss"
format = "swiss"
rounds = 2
advance = 2
[[stages]]
name = "playoff"
format = "knockout"
"""
FOUR: Final = "".join(f'[[entries]]\nname = "{name}"\nbot = "random"\n' for name in "abcd")


def rule(file: Path, kind: RulingKind, serial: int) -> None:
    plan = load(file)
    with Store.open(plan) as store:
        match = next(issued for issued, _result in store.matches() if issued.serial == serial)
        rule_on_matches(plan, store, kind, Chosen([match.match_id]), "olga", "a bug")


@pytest.mark.parametrize("kind", [RulingKind.ANNUL, RulingKind.REPLAY])
def test_a_match_of_a_group_is_ruled_on_until_the_playoff_begins(tmp_path: Path, kind: RulingKind) -> None:
    file = copied("groups_and_playoff.toml", tmp_path / "cup")
    play_on_paper(file, by_name, most=OF_GROUPS)
    rule(file, kind, 3)
    plan = load(file)
    with Store.open(plan) as store:
        following = list(schedule.next(plan, store.issued(), store.ranks()))
        assert len(store.to_do()) == (kind is RulingKind.REPLAY)
        assert bool(following) is (kind is RulingKind.ANNUL)  # which is over
    play_on_paper(file, by_name, most=OF_GROUPS + 2)
    for each in RulingKind.ANNUL, RulingKind.REPLAY:
        with pytest.raises(
            WrongState, match=r"of the stage groups, whose results decided who plays in .* playoff"
        ):
            rule(file, each, 5)


def test_a_match_of_the_playoff_is_ruled_on_as_in_a_knockout(tmp_path: Path) -> None:
    file = copied("groups_and_playoff.toml", tmp_path / "cup")
    play_on_paper(file, by_name)
    with pytest.raises(WrongState, match="decides who goes on in a knockout"):
        rule(file, RulingKind.ANNUL, OF_GROUPS + 1)
    with pytest.raises(WrongState, match="decided who plays"):
        rule(file, RulingKind.REPLAY, OF_GROUPS + 1)
    with Store.read(load(file)) as store:
        last = store.issued_count()
    rule(file, RulingKind.REPLAY, last)


def test_in_a_swiss_of_a_stage_the_last_round_alone_can_be_ruled_on(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(SWISS + FOUR)
    play_on_paper(file, by_name, most=3)
    with pytest.raises(WrongState, match="in a swiss only the last round can be ruled on"):
        rule(file, RulingKind.ANNUL, 1)
    rule(file, RulingKind.ANNUL, 3)


def test_a_match_of_a_group_that_was_annulled_does_not_keep_the_final_from_being_replayed(
    tmp_path: Path,
) -> None:
    file = copied("groups_and_playoff.toml", tmp_path / "cup")
    play_on_paper(file, by_name, most=OF_GROUPS)
    rule(file, RulingKind.ANNUL, 3)
    play_on_paper(file, by_name)
    with Store.read(load(file)) as store:
        last = store.issued_count()
    rule(file, RulingKind.REPLAY, last)
