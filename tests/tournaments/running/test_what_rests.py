"""Which matches of a knockout can be played again: those on whose results no other match rests."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result
from tests.tournaments.cli.test_cli_rulings import outcome
from tests.tournaments.on_paper import drawn_up
from tournaments import schedule
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import Chosen, RulingKind
from tournaments.running.errors import WrongState
from tournaments.running.rulings import check_nothing_rests_on, rule_on_matches, to_withdraw
from tournaments.schedule.results import IssuedRound, Results
from tournaments.store import Issued, Store
from tournaments.tournament_file.reader import load


def knockout(folder: Path, kind: str) -> Plan:
    file = folder / "cup.toml"
    entries = "".join(f'[[entries]]\nname = "{name}"\nbot = "greedy"\n' for name in "abcdefgh")
    file.write_text(f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\nformat = "{kind}"\n{entries}')
    return load(file)


def issue(plan: Plan, store: Store) -> tuple[Issued, ...]:
    store.issue(tuple(schedule.next(plan, store.issued(), store.ranks())))
    return store.to_do()


def finish(store: Store, matches: tuple[Issued, ...], tied: str = "") -> None:
    tie = Outcome(Termination.COMPLETED, (1, 1), (50, 50), False, (FaultCounts(),) * 2, ())
    for each in matches:
        ended = tie if tied in each.entries else outcome(each)
        store.add(result(each.match_id, ended, each.attempt))


def again(plan: Plan, store: Store, match: Issued) -> None:
    rule_on_matches(plan, store, RulingKind.REPLAY, Chosen([match.match_id]), "olga", "why not")


def test_a_match_whose_winner_has_gone_on_is_refused_though_its_round_was_issued_last(tmp_path: Path) -> None:
    plan = knockout(tmp_path, "knockout")
    with Store.open(plan) as store:
        first = issue(plan, store)
        tied = first[0].entries[0]
        finish(store, first, tied)
        second = [each for each in issue(plan, store) if each.round == 2]
        finish(store, store.to_do(), tied)
        finish(store, issue(plan, store))
        assert (len(second), store.last_issued(1)[0].round) == (1, 1)
        decided = [each for each in first if not set(each.entries).isdisjoint(second[0].entries)]
        assert len(decided) == 2
        for each in decided:
            with pytest.raises(WrongState, match=f"{each.match_id} decided who plays {second[0].match_id}"):
                again(plan, store, each)
        tie = next(each for each in first if tied in each.entries)
        with pytest.raises(WrongState, match=f"the result of {tie.match_id} decided who plays"):
            again(plan, store, tie)
        assert store.adjudications() == ()
        again(plan, store, store.last_issued(1)[0])
        again(plan, store, second[0])


def test_of_a_double_knockout_all_can_be_played_again_on_which_nothing_rests(tmp_path: Path) -> None:
    plan = knockout(tmp_path, "double_knockout")
    with Store.open(plan) as store:
        while matches := issue(plan, store):
            finish(store, matches)
            for each in matches:  # what follows from them is not issued yet
                again(plan, store, each)
            finish(store, store.to_do())
            for each, _result in store.matches():
                if each.serial < matches[0].serial:
                    _check_earlier(plan, store, each, matches[0])


def _check_earlier(plan: Plan, store: Store, match: Issued, last: Issued) -> None:
    if (match.round, last.round) == (6, 5):  # the last of the winners, before the last of the losers
        again(plan, store, match)
        finish(store, store.to_do())
        return
    with pytest.raises(WrongState, match="decided who plays"):
        again(plan, store, match)


def test_in_a_swiss_the_round_before_the_last_cannot_be_played_again() -> None:
    plan = drawn_up("piquet", 4, Format.SWISS)
    store = Mock(ranks=lambda: Results({}, [IssuedRound((), frozenset())] * 2))
    first, last = (
        Issued(match_id=f"m-{each}", round=each, entries=("e1", "e2"), serial=each, versions=(None, None))
        for each in (1, 2)
    )
    check_nothing_rests_on(plan, store, [last])
    with pytest.raises(WrongState, match="only the last round can be played again"):
        check_nothing_rests_on(plan, store, [first])


def test_the_beginning_of_two_matches_names_neither(tmp_path: Path) -> None:
    entries = "".join(f'[[entries]]\nname = "{name}"\nbot = "greedy"\n' for name in "ab")
    (tmp_path / "cup.toml").write_text(f'game = "two_handed_spades"\nrounds = 2\n{entries}')
    plan = load(tmp_path / "cup.toml")
    with Store.open(plan) as store:
        first, second = issue(plan, store)
        finish(store, (first, second))
        told = (
            f"is the beginning of several matches, such as {first.match_id} and {second.match_id}: write more"
        )
        with pytest.raises(WrongState, match=told):
            to_withdraw(plan, store, RulingKind.REPLAY, Chosen(["two_handed_spades-"]), "why not")
        alone = to_withdraw(plan, store, RulingKind.REPLAY, Chosen(["two_handed_spades-2"]), "why not")
        assert alone == (second,)
