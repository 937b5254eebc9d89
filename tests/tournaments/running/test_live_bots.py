"""Which hosted bots live, as a rule alone."""

from collections.abc import Collection
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from referee.match.clock import SECOND
from referee.match.effects import Owner
from tournaments.running.live_bots import LiveBots

KEEP: Final = 60 * SECOND


def owners(names: str) -> tuple[Owner, ...]:
    return tuple((name, "") for name in names)


def change(
    bots: LiveBots, playing: str, near: str, live: str, *, ending: int = 0, now: int = 0
) -> tuple[str, str, int | None]:
    """Return whom to start and to end; ``near`` are matches of two or more, with spaces between."""
    found = bots.change(owners(playing), map(owners, near.split()), owners(live), ending, now)
    start, end = ("".join(name for name, _instance in each) for each in (found.start, found.end))
    return start, end, found.due


def test_bots_whose_matches_are_near_are_started_those_that_play_first() -> None:
    assert change(LiveBots(KEEP, 9), "cd", "ab cb", "") == ("cdab", "", None)


def test_the_nearest_matches_go_first_and_none_is_started_in_part() -> None:
    assert change(LiveBots(KEEP, 4), "", "ab bc de", "") == ("abc", "", None)
    assert change(LiveBots(KEEP, 4), "xy", "ab cd", "xy") == ("ab", "", None)


def test_what_is_being_played_goes_on_however_few_may_live() -> None:
    bots = LiveBots(KEEP, 4)
    assert change(bots, "abcdef", "gh", "abcdef") == ("", "", None)


def test_who_is_idle_is_ended_after_a_while() -> None:
    bots = LiveBots(KEEP, 9)
    assert change(bots, "ab", "", "abcd") == ("", "", KEEP)
    assert change(bots, "ab", "", "abcd", now=KEEP - 1) == ("", "", KEEP)
    assert change(bots, "abc", "", "abcd", now=KEEP - 1) == ("", "", KEEP)
    assert change(bots, "ab", "", "abcd", now=KEEP) == ("", "d", 2 * KEEP)


def test_who_was_needed_again_is_kept_as_long_again() -> None:
    bots = LiveBots(KEEP, 9)
    change(bots, "", "", "ab")
    change(bots, "", "ab", "ab", now=KEEP - 1)
    assert change(bots, "", "", "ab", now=KEEP + 5) == ("", "", 2 * KEEP + 5)


def test_where_there_is_no_room_the_longest_idle_is_ended_first() -> None:
    bots = LiveBots(KEEP, 4)
    change(bots, "ab", "", "abc", now=1)
    change(bots, "ab", "", "abcd", now=2)
    assert change(bots, "ab", "ae", "abcd", now=3) == ("", "c", KEEP + 2)
    # it is not gone yet: nobody else has to go for that, and nobody comes before it is
    assert change(bots, "ab", "ae", "abd", ending=1, now=4) == ("", "", KEEP + 2)
    assert change(bots, "ab", "ae", "abd", now=5) == ("e", "", KEEP + 2)


def test_nobody_is_ended_for_want_of_room_that_there_is() -> None:
    assert change(LiveBots(KEEP, 4), "", "ab", "cd") == ("ab", "", KEEP)


def test_who_is_not_kept_at_all_lives_while_it_is_needed() -> None:
    bots = LiveBots(0, 9)
    assert change(bots, "ab", "cd", "abcdef") == ("", "ef", None)


@given(
    st.integers(4, 8),
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)).filter(lambda pair: pair[0] != pair[1])),
    st.data(),
)
def test_however_many_entries_there_are_few_live_and_all_is_played(
    most: int, to_do: list[tuple[int, int]], data: st.DataObject
) -> None:
    bots = LiveBots(SECOND, most)
    live: set[Owner] = set()
    ending: set[Owner] = set()
    playing: list[Collection[Owner]] = []
    left = [owners(chr(97 + a) + chr(97 + b)) for a, b in to_do]
    now = 0
    for _turn in range(20 * (len(to_do) + 1)):
        now += data.draw(st.integers(0, 2)) * SECOND
        for match in [match for match in left if live >= set(match)][: 2 - len(playing)]:
            left.remove(match)
            playing.append(match)
        busy = [owner for match in playing for owner in match]
        found = bots.change(busy, left[:2], tuple(live), len(ending), now)
        live -= set(found.end)
        ending |= set(found.end)
        live |= set(found.start) - ending
        assert not set(found.end) & set(busy)
        assert len(live | ending) <= most
        ending.clear()
        if playing:
            playing.pop(0)
        if not left:
            return
    raise AssertionError(f"{len(left)} matches never began")
