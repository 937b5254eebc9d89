"""Golden playthroughs: what follows from their inputs is word for word what their files say.

``FAIRDEAL_REGENERATE=1 python -m pytest tests/playthroughs`` writes them anew from their heads and inputs.
"""

import os
from pathlib import Path

import pytest

from tests.playthroughs.conftest import Playthrough

GOLDEN = Path(__file__).parents[1] / "golden" / "playthroughs"
FILES = sorted(path.name for path in GOLDEN.glob("*.txt"))


@pytest.mark.parametrize("name", FILES)
def test_a_playthrough_is_the_golden_one(name: str, playthrough: type[Playthrough]) -> None:
    path = GOLDEN / name
    before = path.read_text()
    text = playthrough(before).text
    if os.environ.get("FAIRDEAL_REGENERATE") == "1" and text != before:
        path.write_text(text)
        pytest.fail(f"{path} was written anew: read it, and run again without FAIRDEAL_REGENERATE")
    assert text == before


def test_the_files_stay_small() -> None:
    sizes = {name: len((GOLDEN / name).read_text().splitlines()) for name in FILES}
    assert {name: size for name, size in sizes.items() if size > 700} == {}
    assert sum((GOLDEN / name).stat().st_size for name in FILES) < 1_500_000


BEGUN = "shows nothing\ngame hearts\nfirst 0\n\n> deal by a\n"


@pytest.mark.parametrize(
    "line",
    [
        "> deal 2C 2C",
        "> deal by b",
        "> deal XX",
        "> 0 choose_cards 2C",
        "> 0 choose_cards 2C 2C 2C",
        "> 0 play_card 2C",
        "> 7 choose_cards 2C",
        "> play 2C",
        "> 1 bid 3",
        "> pause",
    ],
)
def test_an_input_that_cannot_be_given_is_named(line: str, playthrough: type[Playthrough]) -> None:
    with pytest.raises(ValueError, match=f"{line!r} in deal 1: "):
        playthrough(f"{BEGUN}{line}\n")


def test_a_playthrough_that_stops_short_of_the_end_is_none(playthrough: type[Playthrough]) -> None:
    with pytest.raises(AssertionError, match="the inputs end before the match does"):
        _ = playthrough(BEGUN).result
