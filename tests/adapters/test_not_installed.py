"""What is imported when, and what is said when a package is not there."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal.adapters import NotInstalled
from fairdeal.adapters._extras import load

THIRD_PARTY: Final = ("pyspiel", "open_spiel", "pettingzoo", "gymnasium", "numpy", "kaggle_environments")
OURS: Final = ("referee", "tournaments")
MODULES: Final = "from fairdeal.adapters import kaggle, openspiel, pettingzoo\n"


def test_importing_the_adapters_loads_nothing_else(run_without: Callable[..., Any]) -> None:
    code = "import json, sys\nprint(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    assert not set(run_without([], MODULES + code)) & {*THIRD_PARTY, *OURS}


def test_importing_the_sdk_loads_no_adapters(run_without: Callable[..., Any]) -> None:
    code = """
import fairdeal, json, sys
print(json.dumps([name for name in sys.modules if name.startswith("fairdeal.adapters")]))
"""
    assert run_without([], code) == []


@pytest.mark.parametrize(
    ("packages", "call", "text"),
    [
        (
            ["pyspiel"],
            "openspiel.bot(lambda game, player: None)",
            "fairdeal.adapters.openspiel needs pyspiel: pip install 'fairdeal[openspiel]'",
        ),
        (
            ["pettingzoo"],
            "pettingzoo.env('hearts')",
            "fairdeal.adapters.pettingzoo needs pettingzoo: pip install 'fairdeal[pettingzoo]'",
        ),
        (
            ["numpy"],
            "pettingzoo.bot(lambda observation: 0)",
            "fairdeal.adapters.pettingzoo needs numpy: pip install 'fairdeal[pettingzoo]'",
        ),
    ],
)
def test_what_is_not_installed_is_named_with_its_remedy(
    packages: list[str], call: str, text: str, run_without: Callable[..., Any]
) -> None:
    code = f"""
import json
import fairdeal
{MODULES}
try:
    {call}
except fairdeal.FairdealError as error:
    print(json.dumps([type(error).__name__, isinstance(error, ImportError), error.name, str(error)]))
"""
    assert run_without(packages, code) == ["NotInstalled", True, packages[0], text]


def test_an_agent_needs_nothing(run_without: Callable[..., Any]) -> None:
    code = MODULES + "print(int(callable(kaggle.bot(lambda observation: 0))))"
    assert run_without(THIRD_PARTY, code) == 1


def test_actions_and_layout_are_told_without_any_other_package(run_without: Callable[..., Any]) -> None:
    told = "[pettingzoo.action_names('euchre')[0], len(pettingzoo.layout('euchre'))]"
    name, fields = run_without(THIRD_PARTY, f"{MODULES}import json\nprint(json.dumps({told}))")
    assert name == "9C"
    assert fields > 10


def test_a_package_that_is_broken_is_not_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text("import what_it_needs_itself\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="what_it_needs_itself") as caught:
        load("half_installed", "pettingzoo")
    assert not isinstance(caught.value, NotInstalled)
