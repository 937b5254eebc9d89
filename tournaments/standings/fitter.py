"""The process that fits the matches of one tournament, again and again with more of them; `Fits` starts it.

What it is asked is a line of JSON with the terms of the fit, then a line for each ordering that is new to it,
and an empty line. It answers with a line that tells how many skills there are, and then a line for each.
Empty lines before an answer say that it is still there.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep
from typing import Final

from tournaments.ratings import RatingParameters
from tournaments.standings.certainty import skills_of_both
from tournaments.standings.fit import Fit, fit_both
from tournaments.standings.frames import BEAT
from tournaments.standings.orderings import Rated
from tournaments.standings.shapes import Skills

_NICE: Final = 15  # whoever plays goes first


class Fitter:
    """The matches so far, and their last fits.

    These are whole (of all matches at once) or went on from earlier ones with the new matches alone. That
    takes about a second, but depends a little on which matches came first.
    """

    def __init__(self) -> None:
        self.is_whole = False
        self._rated = Rated()
        self._fits: tuple[Fit, Fit] | None = None
        self._whole_of = 0  # matches

    def fit(self, new: Rated, parameters: RatingParameters, draws: float, *, whole: bool) -> Skills:
        """Return the skills by the fits of the matches so far and of new ones.

        They are ``whole``, or go on from the last fits until the matches have doubled.
        """
        self._rated.extend(new)
        if self._fits is None or whole or self._rated.matches > 2 * self._whole_of:
            if new.matches or not self.is_whole:
                self._fits = fit_both(self._rated, parameters, draws)
                self.is_whole, self._whole_of = True, self._rated.matches
        elif new.matches:
            self._fits = fit_both(new, parameters, draws, self._fits)
            self.is_whole = False
        assert self._fits is not None
        return skills_of_both(self._fits)


def answers(lines: Iterator[str]) -> Iterator[str]:
    """Yield the answer to each question that the lines ask, as text of several lines."""
    fitter = Fitter()
    for line in lines:
        asked = json.loads(line)
        new = Rated()
        for ordering in iter(partial(next, lines), "\n"):
            new.load(json.loads(ordering), asked["names"])
        if asked["anew"]:
            fitter = Fitter()
        found = fitter.fit(new, RatingParameters(**asked["rating"]), asked["draws"], whole=asked["whole"])
        both = found.of_all, found.of_clean
        told: list[object] = [{"is_whole": fitter.is_whole, "skills": [len(each) for each in both]}]
        told += [{"name": name, **asdict(skill)} for each in both for name, skill in each.items()]
        yield "".join(f"{json.dumps(each)}\n" for each in told)


def main() -> None:
    """Answer what standard input asks, and end with it: nobody wants the fit that is being made then."""
    os.nice(_NICE)
    lines: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read, args=(sys.stdin, lines), daemon=True).start()
    writing = Lock()
    Thread(target=_beat, args=(writing,), daemon=True).start()
    for answer in answers(iter(lines.get, None)):
        _write(writing, answer)


def _write(writing: Lock, text: str) -> None:
    with writing:
        sys.stdout.write(text)
        sys.stdout.flush()


def _beat(writing: Lock) -> None:
    while True:
        sleep(BEAT)
        _write(writing, "\n")


def _read(given: Iterable[str], lines: SimpleQueue[str]) -> None:
    for line in given:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
