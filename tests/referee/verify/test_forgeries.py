"""What a forger would change in a record: each is found, and named with its place, by the record alone."""

import gzip
from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.dealing.scheme import commit
from referee.games.registry import GAMES
from referee.verify import Status, verify
from tests.referee.recorded import RecordedTable
from tests.referee.verify.edited import NAME, Lines, data_of, edited, first, lines_of, packed, played

Found = tuple[int | None, str]  # the line, from 1, and the field


def exchange_card_in_hand(lines: Lines) -> Found:
    place = first(lines, "dealt")
    name = "hands" if "hands" in lines[place] else "stock"
    one, other = (
        (lines[place][name][side] for side in (0, 1)) if name == "hands" else (lines[place][name],) * 2
    )
    one[0], other[-1] = other[-1], one[0]
    return place + 1, f"{name}[0]"


def exchange_card_played(lines: Lines) -> Found:
    one, other = first(lines, "card_played"), first(lines, "card_played", 1)
    lines[one]["card"], lines[other]["card"] = lines[other]["card"], lines[one]["card"]
    return one + 1, "card"


def _answered(lines: Lines) -> tuple[int, str]:
    """Return the place of an answer that played a card, and a card that the same seat plays later."""
    for place, line in enumerate(lines):
        if line["type"] == "input" and line.get("answer", {}).get("type") == "play_card":
            mine = [each for each in lines[place + 2 :] if each.get("seat") == line["seat"]]
            if later := [each["card"] for each in mine if each["type"] == "card_played"]:
                return place, later[0]
    raise AssertionError


def exchange_card_in_answer(lines: Lines) -> Found:
    place, other = _answered(lines)
    lines[place]["answer"]["card"] = other
    return place + 2, ""


def exchange_card_in_answer_and_event(lines: Lines) -> Found:
    place, other = _answered(lines)
    lines[place]["answer"]["card"] = lines[place + 1]["card"] = other
    return None, ""


def change_termination(lines: Lines) -> Found:
    lines[-2]["termination"] = "forfeit"
    return len(lines) - 1, "termination"


def change_scores(lines: Lines) -> Found:
    lines[-2]["scores"][0] += 1
    return len(lines) - 1, "scores[0]"


def exchange_ranks(lines: Lines) -> Found:
    lines[-2]["ranks"].reverse()
    return len(lines) - 1, "ranks[0]"


def change_deal_score(lines: Lines) -> Found:
    place = first(lines, "deal_scored")
    lines[place]["points"][1] -= 1
    return place + 1, "points[1]"


def cut_out_half(lines: Lines) -> Found:
    """Take out the second half, up to the last input."""
    half = first(lines, "input", sum(line["type"] == "input" for line in lines) // 2)
    last = len(lines) - 1 - next(n for n, line in enumerate(reversed(lines)) if line["type"] == "input")
    del lines[half:last]
    return half + 1, ""


def lose_last_line(lines: Lines) -> Found:
    del lines[-1]
    return len(lines), ""


def lose_outcome(lines: Lines) -> Found:
    del lines[-2]
    return len(lines), ""


def lose_last_input(lines: Lines) -> Found:
    last = len(lines) - 1 - next(n for n, line in enumerate(reversed(lines)) if line["type"] == "input")
    del lines[last:-2]
    return last + 1, "type"


def move_time(lines: Lines) -> Found:
    """Say that an answer that was not waited for came a little later, before the next input."""
    place = first(lines, "input", -1, kind="answer")
    lines[place]["at"] -= 1
    seat = lines[place]["seat"]
    return len(lines) - 1, f"times[{seat}].total"


def turn_time_back(lines: Lines) -> Found:
    place = first(lines, "input", 3, kind="answer")
    lines[place]["at"] = 0
    return place + 1, "at"


def drop_event(lines: Lines) -> Found:
    place = first(lines, "card_played", 2)
    del lines[place]
    return place + 1, ""


def double_event(lines: Lines) -> Found:
    place = first(lines, "card_played", 2)
    lines.insert(place, dict(lines[place]))
    return place + 2, ""


def double_input(lines: Lines) -> Found:
    place = first(lines, "input", 2, kind="answer")
    after = next(n for n in range(place + 1, len(lines)) if lines[n]["type"] == "input")
    lines.insert(after, dict(lines[place]))
    return after + 1, ""


def exchange_events(lines: Lines) -> Found:
    one, other = first(lines, "card_played"), first(lines, "card_played", -1)
    lines[one], lines[other] = lines[other], lines[one]
    return one + 1, ""


def remove_fault(lines: Lines) -> Found:
    place = first(lines, "faulted")
    del lines[place]
    return place + 1, ""


def hide_fault_in_outcome(lines: Lines) -> Found:
    seat, counts = next(
        (seat, counts)
        for seat, counts in enumerate(lines[-2]["faults"])
        if any(counts[name] for name in ("malformed", "illegal", "late"))
    )
    name = next(name for name in ("malformed", "illegal", "late") if counts[name])
    counts[name] -= 1
    return len(lines) - 1, f"faults[{seat}].{name}"


def default_as_answer(lines: Lines) -> Found:
    """Say that the default that was played for a seat that was late was its answer."""
    fault = first(lines, "faulted", 0, fault="late")
    tick, played_for = fault - 1, lines[fault + 1]
    assert lines[tick]["kind"] == "tick" and played_for["type"] == "substituted"
    lines[tick] = {
        "type": "input",
        "kind": "answer",
        "at": lines[tick]["at"],
        "seat": played_for["seat"],
        "decision_id": played_for["decision_id"],
        "answer": played_for["action"],
    }
    del lines[fault : fault + 2]
    return None, ""


def another_secret(lines: Lines) -> Found:
    lines[-1]["secret"] = bytes(32).hex()
    return 1, "commitment.commit"


def another_commitment(lines: Lines) -> Found:
    lines[0]["commitment"]["commit"] = bytes(32).hex()
    return 1, "commitment.commit"


def another_secret_with_its_commitment(lines: Lines) -> Found:
    lines[-1]["secret"] = bytes(32).hex()
    lines[0]["commitment"]["commit"] = commit("m-0001.1", bytes(32)).hex()
    return 1, "commitment.manifest"


def another_manifest(lines: Lines) -> Found:
    lines[0]["commitment"]["manifest"] = bytes(32).hex()
    return 1, "commitment.manifest"


def another_number_of_deals(lines: Lines) -> Found:
    lines[0]["deals"] += 1
    return 1, "deals"


def another_match(lines: Lines) -> Found:
    lines[0]["match_id"] = "m-0002"
    return 1, "match_id"


def another_attempt(lines: Lines) -> Found:
    lines[0]["attempt"] = 2
    return 1, "attempt"


def another_form_of_the_rules(lines: Lines) -> Found:
    name = "max_deals" if "max_deals" in lines[0]["options"] else next(iter(lines[0]["options"]))
    value = lines[0]["options"][name]
    lines[0]["options"][name] = not value if isinstance(value, bool) else value + 1
    return 1, "options"


def other_rules(lines: Lines) -> Found:
    lines[0]["rules_version"] += 1
    return 1, "rules_version"


def other_places(lines: Lines) -> Found:
    lines[0]["entries"].reverse()
    return 1, "entries"


def another_instance(lines: Lines) -> Found:
    lines[0]["instances"][0] = "second"
    return 1, "instances"


def another_clock(lines: Lines) -> Found:
    lines[0]["clock"]["bank"] += 1
    return 1, "clock"


def another_limit_of_faults(lines: Lines) -> Found:
    lines[0]["faults"]["max_faults"] += 1
    return 1, "faults"


def a_grid(lines: Lines) -> Found:
    lines[0]["event_grid"] = 1
    return 1, "event_grid"


def drawn_and_not_repeatable(lines: Lines) -> Found:
    lines[0]["commitment"]["repeatable"] = False
    return 1, "repeatable"


def no_word_of_what_is_bound(lines: Lines) -> Found:
    del lines[0]["bound"]
    return 1, "bound"


def another_word_of_what_is_bound(lines: Lines) -> Found:
    lines[0]["bound"]["match_id"] = "00000000"
    return 1, "match_id"


def an_earlier_scheme(lines: Lines) -> Found:
    """Say that the match was played before there was more in the manifest."""
    lines[0]["commitment"]["scheme"] = "fairdeal/1"
    del lines[0]["bound"]
    return 1, "commitment.manifest"


def one_seat_less(lines: Lines) -> Found:
    del lines[0]["entries"][-1], lines[0]["instances"][-1]
    return 1, "entries"


def nobody_at_a_seat(lines: Lines) -> Found:
    del lines[first(lines, "input", 0, kind="back", seat="0")]
    return first(lines, "input", 0, kind="ready", seat="0") + 1, "seat"


FORGERIES: Final[tuple[Callable[[Lines], Found], ...]] = (
    exchange_card_in_hand,
    exchange_card_played,
    exchange_card_in_answer,
    exchange_card_in_answer_and_event,
    change_termination,
    change_scores,
    exchange_ranks,
    change_deal_score,
    cut_out_half,
    lose_last_line,
    lose_outcome,
    lose_last_input,
    move_time,
    turn_time_back,
    drop_event,
    double_event,
    double_input,
    exchange_events,
    remove_fault,
    hide_fault_in_outcome,
    default_as_answer,
    another_secret,
    another_commitment,
    another_secret_with_its_commitment,
    another_manifest,
    another_number_of_deals,
    another_match,
    another_attempt,
    another_form_of_the_rules,
    other_rules,
    other_places,
    another_instance,
    another_clock,
    another_limit_of_faults,
    a_grid,
    drawn_and_not_repeatable,
    no_word_of_what_is_bound,
    another_word_of_what_is_bound,
    an_earlier_scheme,
    one_seat_less,
    nobody_at_a_seat,
)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forgery_is_found_where_it_is(game: str, forge: Callable[[Lines], Found]) -> None:
    places: list[Found] = []
    data = edited(data_of(game), lambda lines: places.append(forge(lines)))
    (line, field), verdict = places[0], verify(data, name=NAME)
    assert verdict.status is Status.WRONG
    assert verdict.problem is not None
    assert line in (None, verdict.problem.line), verdict.problem
    assert verdict.problem.field.startswith(field), verdict.problem


# Whole files


def trailing_text(data: bytes) -> bytes:
    return data + b"more"


def trailing_zeros(data: bytes) -> bytes:
    return data + bytes(8)


def a_second_file_behind(data: bytes) -> bytes:
    return data + gzip.compress(b'{"type":"reveal","secret":""}\n')


def half_of_it(data: bytes) -> bytes:
    return data[: len(data) // 2]


def a_byte_less(data: bytes) -> bytes:
    return data[:-1]


def without_gzip(data: bytes) -> bytes:
    return gzip.decompress(data)


def no_end_of_line(data: bytes) -> bytes:
    return gzip.compress(gzip.decompress(data)[:-1])


def a_field_twice(data: bytes) -> bytes:
    return gzip.compress(gzip.decompress(data).replace(b'"attempt":1', b'"attempt":1,"attempt":1'))


def a_number_that_is_none(data: bytes) -> bytes:
    return gzip.compress(gzip.decompress(data).replace(b'"attempt":1', b'"attempt":NaN'))


def empty(data: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(
    "damage",
    [
        trailing_text,
        trailing_zeros,
        a_second_file_behind,
        half_of_it,
        a_byte_less,
        without_gzip,
        no_end_of_line,
        a_field_twice,
        a_number_that_is_none,
        empty,
    ],
    ids=lambda damage: damage.__name__,
)
def test_a_file_that_is_damaged_is_found(damage: Callable[[bytes], bytes]) -> None:
    verdict = verify(damage(data_of("euchre")), name=NAME)
    assert verdict.status is Status.WRONG


def test_records_that_were_exchanged_are_found_by_their_names() -> None:
    verdict = verify(data_of("piquet"), name="m-0002.1.jsonl.gz")
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (1, "match_id")
    assert "named after" in verdict.problem.text


def test_lines_in_another_form_of_json_say_the_same() -> None:
    lines = lines_of(data_of("hearts"))
    sorted_ones = [dict(sorted(line.items())) for line in lines]
    assert verify(packed(sorted_ones)).status is Status.VERIFIED
    spaced = gzip.decompress(packed(lines)).replace(b'":', b'" : ')
    assert verify(gzip.compress(spaced)).status is Status.VERIFIED


def test_the_first_seat_is_drawn_from_the_secret() -> None:
    """Another first seat gives other events: there is no line of its own to forge."""

    class OtherFirst(type(played("euchre").deals)):  # type: ignore[misc]
        def first(self, seats: int) -> Any:
            return (super().first(seats) + 1) % seats

    table = RecordedTable("euchre", dealing=OtherFirst)
    verdict = verify(table.encoded())
    assert verdict.status is Status.WRONG
    assert verdict.problem is not None
    assert lines_of(table.encoded())[(verdict.problem.line or 0) - 1]["type"] == "dealt"
