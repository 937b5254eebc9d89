"""When the standings are fitted whole, and when a fit goes on from the last one."""

import json
import subprocess
import sys
from collections import Counter
from threading import Lock

import pytest

from referee.core.steps import at_once
from tests.draws import draw
from tests.results import Match, drawn, played
from tests.tournaments.standings_plans import TWO
from tests.workspace import ALONE
from tournaments.ratings import RatingParameters
from tournaments.standings import Standings, fit, fitter
from tournaments.standings.fitter import Fitter
from tournaments.standings.orderings import Ordering, Rated
from tournaments.standings.shapes import Skills

A, B = Ordering.of([("a",), ("b",)], (1, 2)), Ordering.of([("a",), ("b",)], (2, 1))


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which is added how many matches each fit takes."""
    found: list[int] = []
    whole_fit = fit.fit

    def noted(orderings: Counter[Ordering], *rest: object) -> fit.Fit:
        found.append(sum(orderings.values()))
        return whole_fit(orderings, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(fit, "fit", noted)
    return found


def clean(serial: int) -> Match:
    return played("ab" if draw(2, serial) else "bc", (1, 2), serial=serial)


def rated(*matches: Match) -> Rated:
    standings = Standings(TWO)
    for match in matches:
        standings.add(*match)
    return standings.rated


def counted(**times: tuple[int, int]) -> Rated:
    """Return matches that ``A`` or ``B`` won: how many, and how many of them with faults."""
    found = Rated()
    for name, (number, unclean) in times.items():
        found.add({"a": A, "b": B}[name], number, unclean)
    return found


def shared(*decks: str) -> Rated:
    """Return matches that ``A`` won, half of them with faults, two of each deck."""
    found = Rated()
    for deck in decks:
        found.add(A, 2, 1, deck)
    return found


def fitted(fitter: Fitter, *matches: Match, whole: bool = False) -> Skills:
    return fitter.fit(rated(*matches), RatingParameters(), 0.1, whole=whole)


def test_the_same_standings_are_fitted_once(fits: list[int]) -> None:
    standings = Standings(TWO)
    for serial in range(1, 201):
        standings.add(*drawn(TWO, serial))
    first = standings.report()
    of_all, of_clean = fits
    assert of_clean < of_all == 200
    assert standings.report() == first
    assert len(fits) == 2


def test_a_fit_goes_on_with_the_new_matches_alone_until_it_is_asked_for_whole(fits: list[int]) -> None:
    fitter = Fitter()
    fitted(fitter, *map(clean, range(1, 201)))
    assert fits == [200]  # all of them are clean
    assert fitter.is_whole
    fitted(fitter, *map(clean, range(201, 204)))
    fitted(fitter)
    soon = fitted(fitter, played("ab", (2, 1), late=(1, 0), serial=204))
    assert fits[1:] == [3, 1, 0]  # the last one of those that are clean
    fitted(fitter, clean(205))
    assert fits[4:] == [1, 1]
    assert not fitter.is_whole
    whole = fitted(fitter, whole=True)
    assert fits[6:] == [205, 204]
    assert fitter.is_whole
    for name, skill in whole.of_clean.items():
        assert soon.of_clean[name].mu == pytest.approx(skill.mu, abs=0.02)
    assert fitted(fitter, whole=True) == whole
    assert fits[8:] == []


def test_when_the_matches_have_doubled_all_are_fitted(fits: list[int]) -> None:
    fitter = Fitter()
    for first in range(1, 101, 20):
        fitted(fitter, *map(clean, range(first, first + 20)))
    assert fits == [20, 20, 60, 20, 20]


def test_whole_fits_do_not_depend_on_what_came_first() -> None:
    matches = [drawn(TWO, serial) for serial in range(1, 101)]
    one, other = Fitter(), Fitter()
    fitted(one, *matches[:50])
    fitted(one, *matches[50:60])
    for match in matches[60:]:
        fitted(other, match)
    assert fitted(one, *matches[60:], whole=True) == fitted(other, *matches[:60], whole=True)


def shown(rated: Rated | None) -> tuple[object, ...] | None:
    return rated and (rated.matches, rated.times, rated.unclean, rated.clean, rated.decks, rated.clean_decks)


@pytest.mark.parametrize(
    ("now", "known", "new"),
    [
        (counted(a=(3, 1)), counted(), counted(a=(3, 1))),
        (counted(a=(3, 1)), counted(a=(1, 0)), counted(a=(2, 1))),
        (counted(a=(3, 1), b=(1, 0)), counted(a=(3, 1)), counted(b=(1, 0))),
        (counted(a=(3, 1)), counted(a=(3, 1)), counted()),
        (counted(a=(2, 0)), counted(a=(3, 0)), None),
        (counted(a=(2, 0)), counted(b=(1, 0)), None),
        (counted(a=(2, 1)), counted(a=(2, 0)), None),
        (counted(a=(3, 0)), counted(a=(2, 1)), None),
        (shared("x", "y", "y"), shared("y"), shared("x", "y")),
        (shared("x", "y"), shared("y", "y"), None),
        (shared("x"), counted(a=(1, 0)), None),
    ],
)
def test_what_is_new_is_found_unless_something_is_withdrawn(
    now: Rated, known: Rated, new: Rated | None
) -> None:
    found = at_once(now.going_beyond(known))
    assert shown(found) == shown(new)
    if found:
        known.extend(found)
        assert shown(known) == shown(now)


def test_copies_change_by_themselves_and_only_where_they_differ_is_compared() -> None:
    one = counted(a=(2000, 300), b=(100, 0))
    other = one.copy()
    other.add(A)
    one.add(B, 3, 1)
    assert shown(other) == shown(counted(a=(2001, 300), b=(100, 0)))
    assert shown(one) == shown(counted(a=(2000, 300), b=(103, 1)))
    assert at_once(one.going_beyond(other)) is None
    one.add(A)
    assert len(list(one.going_beyond(other))) == 3  # steps: what is not shared is in the last chunk of each
    assert shown(at_once(one.going_beyond(other))) == shown(counted(b=(3, 1)))


def test_what_is_dumped_is_loaded_again() -> None:
    rated, loaded = counted(a=(2000, 300), b=(100, 0)), Rated()
    rated.extend(shared("x", "y", "x"))
    for line in "\n".join(at_once(rated.dumping("ab"))).splitlines():
        loaded.load(json.loads(line), "ab")
    assert shown(loaded) == shown(rated)
    # those that A won, without and with faults, also by deck, and those that B won
    assert rated.kinds == 7


@pytest.mark.process
def test_the_program_ends_with_its_input_in_the_midst_of_a_fit() -> None:
    """As when the process that asks is killed, or closed."""
    endless = (
        "import threading; from tournaments.standings import fitter;"
        "fitter.Fitter.fit = lambda *_given, **_how: print('fits', flush=True) or threading.Event().wait();"
        "fitter.main()"
    )
    asked = {"rating": {}, "draws": 0.0, "names": [], "anew": True, "whole": True}
    with subprocess.Popen(
        [sys.executable, "-c", endless], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdin and program.stdout
            program.stdin.write(f"{json.dumps(asked)}\n\n")
            program.stdin.flush()
            assert program.stdout.readline() == "fits\n"
            program.stdin.close()
            assert program.wait(ALONE) == 0
        finally:
            program.kill()


def test_it_says_that_it_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    class Told(list[str]):
        write = list.append

        def flush(self) -> None:
            if len(self) == 2:
                raise BrokenPipeError

    monkeypatch.setattr(fitter, "BEAT", 0)
    monkeypatch.setattr(sys, "stdout", told := Told())
    with pytest.raises(BrokenPipeError):
        fitter._beat(Lock())
    assert told == ["\n", "\n"]
