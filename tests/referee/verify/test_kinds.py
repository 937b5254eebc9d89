"""Records of every kind verify: however a match begins and ends, and when the referee itself fails."""

import hashlib
from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.games.registry import GAMES
from referee.match.faults import Termination
from referee.verify import Status, verify
from tests.referee.courses import COURSES
from tests.referee.recorded import SHORT_MATCHES, FailingDecks, RecordedTable
from tests.referee.verify.edited import NAME, Lines, bind_anew, edited, first, known, lines_of, packed

DEALT: Final = {name: course for name, course in COURSES.items() if "dealing" not in course[1]}


def verified(table: RecordedTable) -> None:
    data = table.encoded()
    for told in (None, known(table, data)):
        verdict = verify(data, name=NAME, known=told)
        assert (verdict.status, verdict.problem, verdict.notes) == (Status.VERIFIED, None, ())
    assert table.match.outcome is not None
    assert verdict.termination == table.match.outcome.termination.name.lower()
    assert (verdict.match_id, verdict.attempt, verdict.game) == ("m-0001", 1, table.setup.game)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_with_faults_in_each_phase(game: str) -> None:
    verified(SHORT_MATCHES[game]())


@pytest.mark.parametrize("course", DEALT)
def test_a_match_that_takes_another_course(course: str) -> None:
    game, given, _told = DEALT[course]
    verified(RecordedTable(game, **given))


def test_all_ends_are_among_them() -> None:
    tables = [RecordedTable(game, **given) for game, given, _told in DEALT.values()]
    outcomes = [table.match.outcome for table in tables]
    assert {outcome.termination for outcome in outcomes if outcome} == set(Termination)
    assert any(outcome and outcome.capped for outcome in outcomes)
    assert any(outcome and outcome.forfeited and outcome.scores for outcome in outcomes)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_that_takes_no_turn_after_its_cancelling(game: str) -> None:
    verified(RecordedTable(game, incidents={(0, 1): "cancel"}))
    verified(RecordedTable(game, incidents={(0, 1): "void"}))


@pytest.mark.parametrize("dealing", ["Unshuffled", "NoCourtCards"])
def test_other_cards_than_those_of_the_secret_do_not_verify(dealing: str) -> None:
    given = [course for course in COURSES.values() if "dealing" in course[1]]
    for game, options, _told in given:
        assert verify(RecordedTable(game, **options).encoded()).status is Status.WRONG


# The referee fails


@pytest.mark.parametrize("game", GAMES)
def test_a_failure_that_does_not_come_again(game: str) -> None:
    """A bug that was mended since, or a machine without memory: the match goes on when it is replayed."""
    table = RecordedTable(game, deals=2, dealing=FailingDecks)
    lines = lines_of(table.encoded())
    verdict = verify(table.encoded(), name=NAME, known=known(table, table.encoded()))
    assert (verdict.status, verdict.problem) == (Status.VERIFIED, None)
    assert verdict.notes == (
        f"line {len(lines) - 2}: the referee failed here and the match is void; it does not fail again,"
        " so the faults and times of the outcome are as the record says",
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[-2].update(termination="completed"),
        lambda lines: lines[-2].update(ranks=[1, 2]),
        lambda lines: lines[-2].update(capped=True),
        lambda lines: lines[-2].pop("faults"),
        lambda lines: lines[-2].update(winner=0),
        lambda lines: lines[-3].update(seat=0),
        lambda lines: lines[-3].update(at=0),
        lambda lines: lines.pop(-2),
        lambda lines: lines.insert(-1, lines[-2]),
    ],
)
def test_after_such_a_failure_there_is_no_result(change: Callable[[Lines], None]) -> None:
    table = RecordedTable("two_handed_spades", deals=2, dealing=FailingDecks)
    assert verify(edited(table.encoded(), change)).status is Status.WRONG


def test_a_failure_that_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state = type(
        GAMES["euchre"].new(GAMES["euchre"].bind({}), deals=1, first=RecordedTable("euchre").deals.first(4))
    )
    apply = state.apply

    def failing(self: Any, seat: Any, action: Any) -> list[Any]:
        if getattr(action, "card", None) is not None and self.deal_number == 2:
            raise RuntimeError("a bug")
        return apply(self, seat, action)

    monkeypatch.setattr(state, "apply", failing)
    monkeypatch.setattr("tests.referee.recorded.Failed", RuntimeError)
    table = RecordedTable("euchre", deals=3)
    data = table.encoded()
    assert lines_of(data)[-2]["termination"] == "void"
    verified(table)
    lines = lines_of(data)
    del lines[-3]
    assert verify(packed(lines)).status is Status.WRONG
    void = first(lines_of(data), "input", -1, kind="void")
    verdict = verify(edited(data, lambda lines: lines[void].update(kind="cancel")))
    assert verdict.problem is not None
    assert "fail here (RuntimeError)" in verdict.problem.text


# A match that could not go on


def unplayed(lines: Lines) -> None:
    """Make of a record what a referee leaves of a match with whose rules, options or key it cannot go on."""
    inputs = [line for line in lines if line["type"] == "input"][:20]
    empty = RecordedTable("euchre", incidents={(seat, 1): "void" for seat in range(4)})
    outcome = {
        **lines_of(empty.encoded())[-2],
        "termination": "void",
        "ranks": [],
        "scores": [],
        "capped": False,
    }
    none = {"answered": 0, "total": 0, "longest": 0}
    outcome["times"] = [none] * 4
    void = {"type": "input", "kind": "void", "at": inputs[-1]["at"]}
    lines[1:-1] = [*inputs, void, outcome]


def other_rules(lines: Lines) -> None:
    unplayed(lines)
    lines[0]["rules_version"] += 1
    bind_anew(lines)


def key_lost(lines: Lines) -> None:
    unplayed(lines)
    lines[-1]["secret"] = hashlib.sha256(b"another").hexdigest()


@pytest.mark.parametrize("change", [unplayed, other_rules])
def test_a_match_that_could_not_go_on_after_a_restart(change: Callable[[Lines], None]) -> None:
    verdict = verify(edited(SHORT_MATCHES["euchre"]().encoded(), change))
    assert (verdict.status, verdict.problem, verdict.termination) == (Status.VERIFIED, None, "void")
    assert len(verdict.notes) == 1
    assert "could not go on" in verdict.notes[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[-2].update(ranks=[1, 2]),
        lambda lines: lines[-2]["faults"][0].update(late=1),
        lambda lines: lines[5].update(more=1),
        lambda lines: lines[5].update(at=0),
        lambda lines: lines[-3].update(kind="cancel"),
        lambda lines: lines.pop(1),
    ],
)
def test_nothing_came_of_such_a_match(change: Callable[[Lines], None]) -> None:
    def both(lines: Lines) -> None:
        unplayed(lines)
        change(lines)

    assert verify(edited(SHORT_MATCHES["euchre"]().encoded(), both)).status is Status.WRONG


def test_a_key_that_was_lost_opens_nothing() -> None:
    verdict = verify(edited(SHORT_MATCHES["euchre"]().encoded(), key_lost))
    assert verdict.status is Status.UNKNOWN
    assert verdict.problem is not None
    assert "does not open the commitment; the match is void" in verdict.problem.text


# What this version cannot follow


@pytest.mark.parametrize(
    ("change", "field", "told"),
    [
        (lambda head: head.update(format="fairdeal-record/2"), "format", "this version reads"),
        (lambda head: head.update(game="whist"), "game", 'no game "whist"'),
        (lambda head: head["options"].update(jokers=2), "options.jokers", "no such option"),
        (lambda head: head["commitment"].update(scheme="fairdeal/3"), "commitment.scheme", "another scheme"),
    ],
)
def test_what_this_version_does_not_know_it_says(
    change: Callable[[dict[str, Any]], None], field: str, told: str
) -> None:
    verdict = verify(edited(SHORT_MATCHES["piquet"]().encoded(), lambda lines: change(lines[0])))
    assert verdict.status is Status.UNKNOWN
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (1, field)
    assert told in verdict.problem.text


def test_other_rules_than_ours_are_not_known() -> None:
    def change(lines: Lines) -> None:
        lines[0]["rules_version"] = 2
        bind_anew(lines)

    verdict = verify(edited(SHORT_MATCHES["piquet"]().encoded(), change))
    assert verdict.status is Status.UNKNOWN
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (1, "rules_version")
    assert "played by version 2 of the rules" in verdict.problem.text
