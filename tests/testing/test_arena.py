"""Whole matches in process: what they are played with, and that they can be repeated."""

import dataclasses
import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from fairdeal.testing import Arena, arena, play
from fairdeal.v1 import actions_pb2
from referee.dealing.keys import SeededKeys
from referee.games.errors import BadOption, UnknownGame
from referee.games.registry import GAMES
from referee.match.clock import PROFILES, ClockSettings
from referee.match.effects import Input, Substituted
from referee.match.faults import Fault, FaultPolicy, Termination
from referee.match.match import Match
from referee.match.messages import Decision
from referee.storage import record
from referee.verify import Status, verify
from tests.testing import by_frames

every_game = pytest.mark.parametrize("game", GAMES)
HOUR = 3_600_000_000


def chancer(decision: fairdeal.Decision) -> fairdeal.Answer:
    legal = decision.legal
    if isinstance(legal, fairdeal.LegalChoice):
        return decision.chance.choose(legal.cards, legal.minimum, legal.maximum)
    if isinstance(legal, fairdeal.LegalCombinations):
        return decision.chance.choose(legal.combinations, legal.minimum, legal.maximum)
    return decision.chance.choice(legal.actions)


class RememberingBot:
    """A bot that keeps all that it was told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        self.told.append(decision)
        return chancer(decision)

    def on_seated(self, seated: fairdeal.Seated) -> None:
        self.told.append(seated)

    def on_event(self, happened: fairdeal.Happened) -> None:
        self.told.append(happened)

    def on_finished(self, finished: fairdeal.Finished) -> None:
        self.told.append(finished)


def bots(game: str, *first: Any) -> list[Any]:
    return [*first, *[chancer] * (GAMES[game].seats - len(first))]


def noting(decision: fairdeal.Decision) -> fairdeal.Answer:
    return fairdeal.Noted(chancer(decision), f"note {decision.id}")


@every_game
def test_a_match_is_saved_as_a_record_that_verifies(game: str, tmp_path: Path) -> None:
    played = play(game, bots(game, noting), seed="spring", deals=1)
    path = tmp_path / "lost.jsonl.gz"
    played.save(path)
    assert verify(path.read_bytes()).status is Status.VERIFIED
    header, *lines = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    assert (header["game"], header["entries"]) == (game, list(played.setup.entries))
    assert lines[:-1] == [json.loads(record.entry_text(entry)) for entry in played.log]


def test_a_record_that_cannot_be_written_names_its_file(tmp_path: Path) -> None:
    played = play("euchre", bots("euchre"), seed=1, deals=1)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="lost") as error:
        played.save(str(tmp_path / "file" / "lost.jsonl.gz"))
    assert "file/lost" in str(error.value.filename)


@every_game
def test_notes_stand_in_the_log_as_a_server_has_them(game: str) -> None:
    log = play(game, bots(game, noting), seed="spring", deals=1).log
    answers = [entry for entry in log if isinstance(entry, Input) and entry.kind == "answer"]
    assert [each.note for each in answers] == [
        f"note {each.decision_id}" if each.seat == 0 else None for each in answers
    ]
    assert list(log) == by_frames.play(game, bots(game, noting), seed="spring", deals=1)


@every_game
def test_a_match_is_a_function_of_its_seed(game: str) -> None:
    once, again = (play(game, bots(game), seed="spring", deals=2) for _ in range(2))
    assert once == again
    assert once.outcome.termination is Termination.COMPLETED
    assert play(game, bots(game), seed="summer", deals=2).log != once.log
    assert play(game, bots(game), seed="spring", deals=2, match_id="other").log != once.log


def test_a_seed_may_be_a_number() -> None:
    one, other = (play("piquet", [chancer, chancer], seed=seed, deals=1) for seed in (7, "7"))
    assert one.log == other.log


@every_game
def test_cards_and_bots_have_seeds_of_their_own(game: str) -> None:
    def log(keys: str, bot_seed: str) -> Any:
        played = Arena(SeededKeys(keys)).play(game, bots(game), match_id="m", deals=1, bot_seed=bot_seed)
        return [entry for entry in played.log if not isinstance(entry, Input)]

    one = log("spring", "a")
    assert log("spring", "a") == one
    assert log("spring", "b")[0] == one[0]  # the deal
    assert log("spring", "b") != one
    assert log("summer", "a")[0] != one[0]


@every_game
def test_a_whole_game_is_played_to_its_end(game: str) -> None:
    # in games with a cap on the deals, too few of them for the rules to end it before
    options = {o.name: 1 for o in GAMES[game].options if o.name == "max_deals"}
    played = play(game, bots(game), seed="spring", options=options)
    assert played.setup.deals is None
    deals = sum(type(entry).__name__ == "DealScored" for entry in played.log)
    if options:
        assert (played.outcome.capped, deals) == (True, 1)
    else:
        assert (played.outcome.capped, deals >= 6) == (False, True)


@every_game
def test_the_bots_are_told_what_servers_tell(game: str) -> None:
    witness = RememberingBot()
    played = play(game, bots(game, witness), seed="spring", deals=1)
    first, last = witness.told[0], witness.told[-1]
    assert isinstance(first, fairdeal.Seated)
    assert (first.id, first.game, first.seat, first.deals) == ("arena", game, 0, 1)
    assert first.entries == tuple(f"seat{seat}" for seat in range(GAMES[game].seats))
    assert first.options == played.setup.options
    assert first.commitment.repeatable
    assert isinstance(last, fairdeal.Finished)
    assert last.scores == played.outcome.scores
    events = [told.sequence for told in witness.told if isinstance(told, fairdeal.Happened)]
    assert events == list(range(1, len(events) + 1))
    decisions = [told.id for told in witness.told if isinstance(told, fairdeal.Decision)]
    assert decisions == list(range(1, len(decisions) + 1))
    answers = [entry for entry in played.log if isinstance(entry, Input) and entry.kind == "answer"]
    assert len(decisions) == sum(answer.seat == 0 for answer in answers)


def test_only_who_wants_events_is_sent_them(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[bool] = []
    tell_events = Match.tell_events

    def noted(match: Match, seat: Any, wants: bool) -> None:
        wanted.append(wants)
        tell_events(match, seat, wants)

    monkeypatch.setattr(Match, "tell_events", noted)
    with_events = play("hearts", bots("hearts", RememberingBot()), seed="spring", deals=1)
    without = play("hearts", bots("hearts"), seed="spring", deals=1)
    assert with_events.log == without.log
    assert wanted == [True, False, False, False, False, False, False, False]


@every_game
def test_a_match_goes_as_it_does_through_the_core_and_sessions(game: str) -> None:
    here, there = (bots(game, RememberingBot()) for _ in range(2))
    log = play(game, here, seed="spring", deals=2).log
    assert list(log) == by_frames.play(game, there, seed="spring", deals=2)
    told, same = ([_shown(each) for each in some[0].told] for some in (here, there))
    assert told == same


def _shown(update: Any) -> Any:
    if isinstance(update, fairdeal.Decision):
        return update.id, update.legal, update.view, update.message
    return update, update.message


def test_an_answer_by_message_that_is_not_legal_is_refused_and_a_fault() -> None:
    told: list[Any] = []

    class Cheat:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            return actions_pb2.Action(bid=99) if decision.id == 1 else chancer(decision)

        def on_refused(self, refused: fairdeal.Refused) -> None:
            told.append((refused.decision_id, refused.reason))

        def on_closed(self, closed: fairdeal.Closed) -> None:
            told.append((closed.decision_id, closed.fault))

    played = play("two_handed_spades", [Cheat(), chancer], seed="spring", deals=1)
    assert told[:3] == [(1, "ILLEGAL_ACTION"), (1, fairdeal.Fault.ILLEGAL), (2, None)]
    assert played.outcome.faults[0].illegal == 1


def test_of_a_class_every_match_has_its_own_object() -> None:
    objects: list[Any] = []

    class Counting:
        def __init__(self) -> None:
            objects.append(self)

        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            return chancer(decision)

    play("two_handed_spades", [Counting, Counting], seed="spring", deals=1)
    assert len(objects) == 2


@pytest.mark.parametrize(
    ("game", "count", "more", "error", "text"),
    [
        ("hearts", 3, {}, ValueError, "hearts is played by 4 bots, 3 are given"),
        ("two_handed_spades", 3, {}, ValueError, "two_handed_spades is played by 2 bots, 3 are given"),
        ("bridge", 4, {}, UnknownGame, "'bridge': no such game"),
        ("hearts", 4, {"options": {"target": -1}}, BadOption, "target"),
        ("hearts", 4, {"options": {"size": 1}}, BadOption, "size"),
        ("hearts", 4, {"seed": "Frühling"}, ValueError, "is not ASCII"),
        ("hearts", 4, {"match_id": "../up"}, ValueError, "cannot be a file name"),
    ],
)
def test_what_cannot_be_played_is_refused(
    game: str, count: int, more: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        play(game, count * [chancer], **{"seed": "spring", **more})


def test_what_is_no_bot_is_refused() -> None:
    number: Any = 7
    with pytest.raises(fairdeal.BadSetting, match="7 is not a bot"):
        play("two_handed_spades", [chancer, number], seed="spring")


def test_an_async_bot_is_refused() -> None:
    async def dreamer(decision: fairdeal.Decision) -> fairdeal.Answer:
        return chancer(decision)

    with pytest.raises(ValueError, match="dreamer is async: the arena plays sync bots only"):
        play("two_handed_spades", [chancer, dreamer], seed="spring")


def test_what_a_bot_raises_ends_the_match() -> None:
    def clueless(_decision: fairdeal.Decision) -> fairdeal.Answer:
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea"):
        play("two_handed_spades", [chancer, clueless], seed="spring")


def test_an_answer_that_is_not_legal_ends_the_match() -> None:
    def passing(_decision: Any) -> Any:
        return "pass"

    with pytest.raises(fairdeal.BadAnswer):
        play("two_handed_spades", [chancer, passing], seed="spring")


def test_options_and_clock_reach_the_bots() -> None:
    witness = RememberingBot()
    clock = dataclasses.replace(PROFILES["fast"], bank=0)
    played = Arena(SeededKeys("spring"), clock=clock, faults=FaultPolicy(max_faults=7)).play(
        "two_handed_spades", [witness, chancer], match_id="m", options={"target": 77}, deals=1
    )
    seated = witness.told[0]
    assert (seated.options["target"], seated.clock.bank, seated.max_faults) == (77, 0.0, 7)
    assert played.setup.clock is clock


def silent_at(seat: int, monkeypatch: Any) -> None:
    """Let the bot of a seat take its seat and never answer."""
    hear = arena.hear

    def without(guest: Any, update: Any) -> Any:
        is_asked = guest.seat == seat and isinstance(update, Decision)
        return None if is_asked else hear(guest, update)

    monkeypatch.setattr(arena, "hear", without)


def test_time_jumps_to_the_deadline_when_nobody_has_anything_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    silent_at(0, monkeypatch)
    looked = itertools.count()
    tick = Match.tick

    def counted(match: Match, now: int) -> Any:
        assert next(looked) < 10_000, "time does not jump"
        return tick(match, now)

    monkeypatch.setattr(Match, "tick", counted)
    clock = ClockSettings(move=HOUR, bank=2 * HOUR, lag=0)
    in_process = Arena(SeededKeys("spring"), clock=clock, faults=FaultPolicy(max_faults=3))
    played = in_process.play("hearts", bots("hearts"), match_id="m", deals=1)
    ticks = [entry.at for entry in played.log if isinstance(entry, Input) and entry.kind == "tick"]
    # the bank is gone with the first decision; at the third fault the seat forfeits, and nobody waits longer
    assert ticks == [3 * HOUR + 1, 4 * HOUR + 2, 5 * HOUR + 3]
    faults = [entry.fault for entry in played.log if isinstance(entry, Substituted)]
    assert faults[:3] == 3 * [Fault.LATE]
    assert set(faults[3:]) == {None}
    assert played.outcome.ranks[0] == 4
    assert played.outcome.faults[0].late == 3


def test_time_goes_on_from_match_to_match_and_stands_still_while_bots_think(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_process = Arena(SeededKeys("spring"), clock=ClockSettings(move=HOUR, bank=0, lag=0))

    def times(match_id: str) -> set[int]:
        played = in_process.play("two_handed_spades", 2 * [chancer], match_id=match_id, deals=1)
        return {entry.at for entry in played.log if isinstance(entry, Input)}

    assert times("m-1") == {0}
    with monkeypatch.context() as patched:
        silent_at(0, patched)
        latest = max(times("m-2"))
    assert latest > HOUR
    assert times("m-3") == {latest}
