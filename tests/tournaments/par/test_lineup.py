"""The bots that give pars: their signatures are what they play, and a tournament names them."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from fairdeal.bots import make
from tests.tournaments.config_files import PAIR, problems, write
from tournaments import schedule
from tournaments.par.lineup import BOTS, SIGNATURES, named
from tournaments.par.play import signature
from tournaments.plan.changes import changes
from tournaments.plan.plan import ParBot, Plan
from tournaments.store import Store, StoreError
from tournaments.tournament_file.reader import load

PAR = "[par]\n"


def plan_of(folder: Path, text: str) -> Plan:
    return load(write(folder, text))


def test_the_signatures_are_of_how_the_bots_play() -> None:
    """A bot that plays otherwise has another signature; FAIRDEAL_REGENERATE=1 writes them anew."""
    played = {bot: {game: signature(bot, game) for game in sorted(make(bot).games)} for bot in BOTS}
    if os.environ.get("FAIRDEAL_REGENERATE") == "1":
        SIGNATURES.write_text(json.dumps(played, indent=2) + "\n", encoding="utf-8")
    assert json.loads(SIGNATURES.read_text(encoding="utf-8")) == played


def test_a_file_names_the_bot_and_its_signature(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PAIR + PAR)
    assert plan.par == named("greedy", "two_handed_spades")
    assert plan.par is not None and len(plan.par.signature) == 12
    assert plan.describe()["par"] == {"bot": "greedy", "signature": plan.par.signature}
    assert plan_of(tmp_path, f'{PAIR}{PAR}bot = "greedy"\n') == plan
    assert "par" not in plan_of(tmp_path, PAIR).describe()


def test_bots_without_a_par_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (told,) = problems(write(tmp_path, f'{PAIR}{PAR}bot = "random"\n'))
    assert told.startswith('9: par.bot: "random": no such house bot that gives a par')
    (told,) = problems(write(tmp_path, f'{PAIR}{PAR}bott = "greedy"\n'))
    assert told.startswith("9: par.bott: no such key")
    (told,) = problems(write(tmp_path, f"match = {{ deals = 1, duplicate = true }}\n{PAIR}{PAR}"))
    assert told == "9: par: and duplicate sets both take the luck of the deal out: keep one"
    monkeypatch.setattr("tournaments.par.lineup._KNOWN", {"greedy": {}})
    (told,) = problems(write(tmp_path, PAIR + PAR))
    assert told == "8: par.bot: greedy gives no par for two_handed_spades: leave [par] out"


def test_it_may_be_named_later_but_not_changed(tmp_path: Path) -> None:
    without, with_par = plan_of(tmp_path, PAIR), plan_of(tmp_path, PAIR + PAR)
    assert list(changes(without.describe(), with_par.describe())) == []
    (change,) = changes(with_par.describe(), without.describe())
    assert str(change) == 'par.bot is left out, was "greedy"'
    other = replace(with_par, par=ParBot("random", "0" * 12))
    (change,) = changes(with_par.describe(), other.describe())
    assert str(change) == 'par.bot is "random", was "greedy"'
    newer = replace(with_par, par=ParBot("greedy", "0" * 12))
    assert list(changes(with_par.describe(), newer.describe())) == []


def test_the_store_remembers_what_was_named_before_the_first_card(tmp_path: Path) -> None:
    with_par = plan_of(tmp_path, PAIR + PAR)
    newer = replace(with_par, par=ParBot("greedy", "0" * 12))
    for plan in (newer, with_par):  # until it begins it is what the plan says
        with Store.open(plan) as store:
            assert store.named_par() == plan.par
    with Store.open(with_par) as store:
        store.issue(schedule.next(with_par, store.issued(), {}))
    with Store.open(newer) as store:
        assert store.named_par() == with_par.par
    with pytest.raises(StoreError, match=r"par\.bot is left out"):
        Store.open(plan_of(tmp_path, PAIR))


def test_a_par_that_was_named_later_is_known_to_be(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PAIR)
    with Store.open(plan) as store:
        store.issue(schedule.next(plan, store.issued(), {}))
    with_par = plan_of(tmp_path, PAIR + PAR)
    with Store.read(with_par) as store:
        assert store.named_par() is None
    with Store.open(with_par) as store:
        assert store.named_par() is None
    Store.open(plan).close()  # and may be left out again
