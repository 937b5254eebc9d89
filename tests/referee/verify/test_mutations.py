"""Records changed in one place, at random: each change is found, has no meaning, or is listed on the page."""

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from referee.games.registry import GAMES
from referee.verify import Status, verify
from tests.choices import Choices
from tests.referee.verify.edited import NAME, data_of, known, played
from tests.referee.verify.mutate import MUTATIONS, changes

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
NUMBER: Final = 2000 if LONG else 30
PAGE: Final = Path(__file__).parents[3] / "docs" / "records.md"


@pytest.fixture(scope="module")
def unbound() -> set[str]:
    """Return the fields that the page says nothing but the hash of the file binds."""
    section = PAGE.read_text().partition("### What no hash binds")[2].partition("\n## ")[0]
    return {
        name
        for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        for name in re.findall(r"`(.+?)`", row)
    }


def is_listed(change: str, unbound: set[str]) -> bool:
    """Return whether a place is one of those, or within one; of an input all or a field can be listed."""
    kind, _, field = change.partition(".")
    line = " ".join(kind.split()[: 2 if kind.startswith("input") else 1])
    return line in unbound or any(f"{kind.split()[0]}.{field}".startswith(each) for each in unbound)


@pytest.mark.parametrize("game", GAMES)
def test_every_change_is_found_or_has_no_meaning_or_is_listed(
    game: str, unbound: set[str], figure: Callable[[str], None]
) -> None:
    data = data_of(game)
    told = known(played(game), data)
    counts: Counter[str] = Counter()
    for number in range(NUMBER):
        choices = Choices("mutation", game, number)
        mutation = choices.one(MUTATIONS)
        changed = mutation(choices, data)
        if changed == data:
            counts["the same bytes"] += 1
            continue
        again = f"{mutation.__name__}, number {number}"
        assert verify(changed, name=NAME, known=told).status is Status.WRONG, again
        if verify(changed, name=NAME).status is not Status.VERIFIED:
            counts["found"] += 1
            continue
        places = changes(data, changed)
        counts["listed" if places else "without meaning"] += 1
        assert all(is_listed(place, unbound) for place in places), (again, places)
    assert counts["found"] > NUMBER // 2
    figure(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
