"""Options of every game, given wrong: refused with the remedy."""

from typing import Final

import pytest

from referee.games.errors import BadOption
from referee.games.options import Option
from referee.games.registry import GAMES

WRONG: Final[dict[str, tuple[object, ...]]] = {
    "number": (None, True, 50.0, "50", "", [], {}, float("nan"), 10**30, -(10**30)),
    "flag": (None, 0, 1, "true", "", [], {}),
    "word": (None, True, 0, "", "nonsense", ["choose"], {}, "CHOOSE", " choose"),
}


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name in GAMES for option in GAMES[name].options],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_value_of_the_wrong_type_or_out_of_bounds_is_refused(name: str, option: Option) -> None:
    wrong = list(WRONG[option.kind])
    if option.kind == "number":
        assert option.minimum is not None and option.maximum is not None
        wrong += [option.minimum - 1, option.maximum + 1]
        for bound in (option.minimum, option.maximum):  # both are still allowed
            assert GAMES[name].bind({option.name: bound})[option.name] == bound
    for value in wrong:
        with pytest.raises(BadOption) as caught:
            GAMES[name].bind({option.name: value})
        assert option.name in str(caught.value) and option.bounds in str(caught.value)


@pytest.mark.parametrize("name", GAMES)
def test_an_option_of_no_game_or_another_one_is_refused_by_name(name: str) -> None:
    own = {option.name for option in GAMES[name].options}
    others = {option.name for game in GAMES.values() for option in game.options} - own
    for unknown in ("", "Target", "max-deals", *others):
        with pytest.raises(BadOption, match=f"{unknown}: no such option"):
            GAMES[name].bind({unknown: 1})
