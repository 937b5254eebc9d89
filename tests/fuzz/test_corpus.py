"""Frames that broke something once, or that are the sharpest of their kind: each ends as it must, always.

Every file of `corpus` is a list of them: ``what`` it is, ``state`` of the session before, ``frame`` as pairs
of hex digits and how often they stand there, ``end`` of the session (a reason, bye, or fine when it goes on),
and ``refused``, the answers that are refused by reason.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.limits import Limits
from tests.fuzz import texts
from tests.fuzz.core_with_bots import ATTACKED, ATTACKER, OTHER, STRICT, Beside, CoreWithBots, setup_of
from tests.fuzz.guests import FrameBot

FILES: Final = sorted((Path(__file__).parent / "corpus").glob("*.json"))
CASES: Final = [case for file in FILES for case in json.loads(file.read_text())]
GAME: Final = "hearts"


def frame_of(case: dict[str, Any]) -> bytes:
    return b"".join(bytes.fromhex(digits) * count for digits, count in case["frame"])


def attacker(driven: CoreWithBots, state: str) -> FrameBot:
    """Return an attacker that has only dialled, that has a seat, or that is asked."""
    guest = driven.arrive(ATTACKER)
    if state == "dialled":
        return guest
    others = [driven.arrive(f"good{n}") for n in range(1, 4)]
    driven.core.create(setup_of(ATTACKED, GAME, 0, STRICT), driven.now)
    for other in (guest, *others):
        driven.send(other)
    if state == "asked":
        for other in (guest, *others):
            driven.send(other)
    return guest


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_a_frame_ends_as_it_must(case: dict[str, Any]) -> None:
    driven = CoreWithBots("corpus", Limits())
    beside = Beside(driven, GAME)
    beside.sit_down()
    guest = attacker(driven, case["state"])
    driven.refusals.clear()
    driven.core.receive(guest.session, frame_of(case), driven.now)
    driven.turn()
    session = guest.session
    if session.ended:
        assert session.ended.reason.name == case["end"]
        assert texts.is_end(session.ended.text)
    else:
        assert case["end"] == ("bye" if session.leaving else "fine")
    assert driven.refusals == Counter({f"REASON_{kind}": count for kind, count in case["refused"].items()})
    while not beside.over:
        beside.go_on()
    beside.compare()
    (finished,) = [table for table in driven.finished if table.setup.match_id == OTHER]
    assert finished.match.outcome and not finished.match.outcome.forfeited


def test_the_corpus_is_right() -> None:
    assert len({case["what"] for case in CASES}) == len(CASES) > 40
    assert {case["state"] for case in CASES} == {"dialled", "seated", "asked"}
    assert all(case.keys() == {"what", "state", "frame", "end", "refused"} for case in CASES)
