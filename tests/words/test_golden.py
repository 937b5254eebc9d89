"""The text of every game, phase and profile, word for word.

``FAIRDEAL_REGENERATE=1 python -m pytest tests/words/test_golden.py`` writes the files anew.
"""

import hashlib
import os
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal import Decision
from fairdeal.words import GAMES, PROFILES, TEXT_HASH, Profile, rules, situation, words
from referee.games.base import Game
from referee.games.options import Option, OptionValue
from referee.games.registry import GAMES as PLAYED
from tests.words.asked import asked, position, sample

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "words"
CASES: Final = [(name, profile) for name in PLAYED for profile in PROFILES]


def other(option: Option) -> OptionValue:
    """Return a value of an option that is not its default."""
    if isinstance(option.default, bool):
        return not option.default
    return option.choices[-1] if option.choices else int(option.default) + 1


def altered(game: Game[Any]) -> Decision:
    """Return a decision of a match whose options all differ from their defaults."""
    _game, state = position(game.name, next(iter(game.phases)))
    options = game.bind({option.name: other(option) for option in game.options})
    return asked(game, state, state.to_act()[0], options, deals=4)


def text_of(name: str, profile: Profile) -> str:
    """Return the rules as they are by default and otherwise, and a situation of each phase."""
    game = PLAYED[name]
    phases = {phase: sample(name, phase) for phase in game.phases}
    first = next(iter(phases.values()))
    parts = [f"=== rules\n{rules(first, profile)}", f"=== other rules\n{rules(altered(game), profile)}"]
    parts += [f"=== {phase}\n{situation(decision, profile)}" for phase, decision in phases.items()]
    return "\n".join(parts)


@pytest.mark.parametrize(("name", "profile"), CASES)
def test_the_text_is_the_golden_one(name: str, profile: Profile) -> None:
    path = GOLDEN / f"{name}_{profile}.txt"
    text = text_of(name, profile)
    before = path.read_text() if path.exists() else ""
    if os.environ.get("FAIRDEAL_REGENERATE") == "1" and text != before:
        path.write_text(text)
        pytest.fail(f"{path} was written anew: read it, and run again without FAIRDEAL_REGENERATE")
    assert text == before


def test_the_hash_is_that_of_the_golden_texts() -> None:
    whole = hashlib.sha256()
    for path in sorted(GOLDEN.glob("*.txt")):
        whole.update(path.name.encode() + b"\0" + path.read_bytes())
    told = "the texts have changed: raise fairdeal.words.VERSION and set TEXT_HASH"
    assert whole.hexdigest()[:16] == TEXT_HASH, told


def test_every_game_has_words() -> None:
    assert set(GAMES) == set(PLAYED)


@pytest.mark.parametrize(("name", "profile"), CASES)
def test_the_rules_come_first_and_are_the_same_at_each_decision(name: str, profile: Profile) -> None:
    texts = set()
    for phase in PLAYED[name].phases:
        for at in (0.0, 0.9):
            decision = sample(name, phase, "prefix", at=at)
            texts.add(rules(decision, profile))
            assert words(decision, profile).startswith(rules(decision, profile))
            assert words(decision, profile).endswith(situation(decision, profile))
    assert len(texts) == 1


@pytest.mark.parametrize("name", PLAYED)
def test_every_option_shows_in_the_rules(name: str) -> None:
    game, state = position(name, next(iter(PLAYED[name].phases)))
    seat = state.to_act()[0]
    usual = rules(asked(game, state, seat, game.bind({})))
    for option in game.options:
        changed = asked(game, state, seat, game.bind({option.name: other(option)}))
        assert rules(changed) != usual, option.name
