"""Matches that fail in a core: each is void by itself, and nothing of the error is told to bots."""

import gzip
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from fairdeal.v1 import events_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.codec.proto import updates
from referee.codec.proto.encoders import Encoder, one_of
from referee.core import matches
from referee.games.hearts import GAME as HEARTS
from referee.games.hearts import rules as hearts
from referee.games.hearts.view import PassReceived
from referee.games.two_handed_spades import rules as spades
from referee.match.effects import Effect, Input
from referee.match.faults import FaultPolicy, Termination
from referee.match.match import Match
from referee.storage import record
from tests.referee.driven_core import DrivenCore

CANARY = "the queen of spades sleeps in the east"


def broken(*_args: object, **_named: object) -> Any:
    raise RuntimeError(CANARY)


def traces(core: Any, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """Yield all that anybody could read: frames, logs, what is journaled and recorded."""
    for guest in core.guests:
        yield from (frame.decode("latin-1") for frame in guest.frames)
        yield str(guest.session.ended and guest.session.ended.text)
    yield caplog.text
    for _key, given in core.inputs:
        yield json.dumps(record.input_line(given))
    for table in core.finished:
        header = record.header_line(
            table.setup, table.owners, table.game, table.deals.commitment, software="s", started="t"
        )
        yield gzip.decompress(record.encode(header, table.log, table.deals.secret)).decode()


@pytest.mark.parametrize("where", ["deal", "apply", "legal", "result", "to_act"])
def test_an_error_inside_a_game_voids_that_match_alone_and_shows_nowhere(
    driven_core: type[DrivenCore],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:
    core = driven_core()
    core.create("two_handed_spades", "other", entries=("a", "b"))
    guests = core.seat("hearts")
    with caplog.at_level(logging.DEBUG):
        monkeypatch.setattr(hearts.HeartsState, where, broken)
        core.create("hearts", "m-2")
        for guest in guests:
            guest.say(ready=[pb.Ready(match_id="m-2")])
            guest.answer()
        monkeypatch.undo()
    assert core.finished
    for table in core.finished:
        outcome, match_id = table.match.outcome, table.setup.match_id
        assert (outcome.termination, outcome.ranks) == (Termination.VOID, ())
        assert all(counts.total == 0 for counts in outcome.faults)
        for guest in guests:
            finished = [f.termination for f in guest.of("finished") if f.match_id == match_id]
            assert finished == [pb.TERMINATION_VOID]
            assert guest.session.ended is None
    assert "RuntimeError" in caplog.text
    assert not any(CANARY in trace for trace in traces(core, caplog))
    void = len(core.finished)
    for guest in guests[:2]:
        guest.say(ready=[pb.Ready(match_id="other")])
    core.play_out()
    assert core.finished[-1].setup.match_id == "other" and len(core.finished) == len(core.opened) > void
    assert core.finished[-1].match.outcome.termination is Termination.COMPLETED


def test_what_was_tried_is_in_the_record_of_a_match_that_failed(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    core = driven_core()
    guests = core.seat()
    monkeypatch.setattr(hearts.HeartsState, "apply", broken)
    guests[1].answer()
    (table,) = core.finished
    kinds = [entry.kind for entry in table.log if isinstance(entry, Input)]
    assert kinds[-2:] == ["answer", "void"]
    assert table.log[-1] is table.match.outcome


def test_a_view_that_fails_voids_the_match_before_anybody_is_told_more(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    core = driven_core()
    guests = core.seat()
    heard = [len(guest.heard) for guest in guests]
    monkeypatch.setattr(type(HEARTS), "view", broken)
    for guest in guests[:3]:
        guest.answer()
    assert [len(guest.heard) for guest in guests] == heard  # only that decisions are closed, which waits
    guests[3].answer()
    for guest in guests:
        assert [update.WhichOneof("kind") for update in guest.heard][-1] == "finished"
        assert [h.event.WhichOneof("kind") for h in guest.of("happened")] == ["hearts_deal_started"]


def test_an_event_that_cannot_be_encoded_voids_the_match_and_no_other(
    driven_core: type[DrivenCore], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = driven_core()
    core.create("two_handed_spades", "other", entries=("a", "b"))
    guests = core.seat()
    for guest in guests[:2]:
        guest.say(ready=[pb.Ready(match_id="other")])
    # as if a game had got a new event that the wire does not know yet
    known = updates.event_encoder

    def encoder(struct: type) -> Encoder:
        if struct is PassReceived:
            return one_of(events_pb2.Event.DESCRIPTOR, "unheard_of", struct)
        return known(struct)

    monkeypatch.setattr(updates, "event_encoder", encoder)
    core.play_out()
    terminations = {table.setup.match_id: table.match.outcome.termination for table in core.finished}
    assert terminations == {"m-1": Termination.VOID, "other": Termination.COMPLETED}
    assert all(guest.session.ended is None for guest in guests)


class Failing:
    """Deals whose commitment cannot be had."""

    secret = bytes(32)

    @property
    def commitment(self) -> Any:
        raise RuntimeError(CANARY)


def test_a_match_that_fails_while_seats_are_taken_leaves_nobody_behind(
    driven_core: type[DrivenCore], caplog: pytest.LogCaptureFixture
) -> None:
    core = driven_core(deals=lambda setup, rules: Failing())
    guests = [core.arrive(entry, tables=1) for entry in "abcd"]
    core.create()
    assert [table.match.outcome.termination for table in core.finished] == [Termination.VOID]
    assert CANARY not in caplog.text
    for guest, entry in zip(guests, "abcd", strict=True):
        assert core.core.sessions.free_tables((entry, "")) == 1
        guest.leave()
    assert len(core.core.matches) == 0


def test_a_match_that_fails_before_a_seat_is_taken_has_no_seat(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pass_on(self: Match, now: int) -> list[Effect]:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(Match, "pass_on", pass_on)
    core = driven_core()
    guests = [core.arrive(entry, tables=1) for entry in "abcd"]
    core.create()
    assert [table.match.outcome.termination for table in core.finished] == [Termination.VOID]
    for guest in guests:
        assert guest.session.seats == {}
        guest.leave()


def test_a_match_that_is_void_does_not_count(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    guests = [core.arrive("a", matches=1), core.arrive("b", matches=1)]
    monkeypatch.setattr(spades.TwoHandedSpadesState, "deal", broken)
    for guest in guests:
        guest.ready()
    monkeypatch.undo()
    assert [table.match.outcome.termination for table in core.finished] == [Termination.VOID]
    for guest in guests:
        assert len(guest.of("seated")) == 2
        guest.ready()
    core.play_out()
    assert core.finished[-1].match.outcome.termination is Termination.COMPLETED
    assert len(core.core.matches) == 0


def test_the_deals_are_made_before_a_table_is_opened(driven_core: type[DrivenCore]) -> None:
    core = driven_core(deals=lambda setup, rules: broken())
    core.arrive("a")
    with pytest.raises(RuntimeError):
        core.create(faults=FaultPolicy())
    assert len(core.core.matches) == 0 and core.opened == []


@pytest.mark.parametrize(
    ("owner", "name"), [(spades.TwoHandedSpadesState, "apply"), (matches, "decision_behind")]
)
def test_an_error_on_the_short_way_voids_the_match_alone(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch, owner: Any, name: str
) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades")
    (asked,) = [guest for guest in guests if guest.of("decision")]
    decision = asked.of("decision")[-1]
    monkeypatch.setattr(owner, name, broken)
    asked.say(answers=[pb.Answer(match_id="m-1", decision_id=decision.decision_id, index=0)])
    monkeypatch.undo()
    (table,) = core.finished
    assert table.match.outcome.termination is Termination.VOID
    assert all(guest.session.ended is None for guest in guests)
