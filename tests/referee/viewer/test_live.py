"""A match as the public may see it while it is played: nothing that is hidden, and no step too early."""

import json
import re

import pytest

from referee.codec.json import plain, tagged
from referee.games.registry import GAMES
from referee.match.effects import Append, Input
from referee.verify import Past, trusted
from referee.viewer.live import SeenMatch, Step
from tests.noninterference.trace import NO_EVENTS
from tests.tournaments.kept import KEPT

CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


@pytest.fixture(scope="module", params=GAMES)
def match(request: pytest.FixtureRequest) -> Past:
    (file,) = (KEPT / f"{request.param}-finished").rglob("*.jsonl.gz")
    return trusted(file.read_bytes())


def live(match: Past) -> SeenMatch:
    return SeenMatch(match.lines[0], match.header.setup, match.game, match.deals)


def steps(match: Past) -> list[Step]:
    shown = live(match)
    return [step for _line, given in match.inputs() for step in shown.take(given)]


def said(step: Step) -> str:
    return json.dumps([plain(step.view), step.text])


def test_it_names_no_card_before_the_public_was_told_of_it(match: Past) -> None:
    shown, known, named = live(match), set[str](), 0
    for _line, _given, _held, effects in match.steps():
        entries = [effect.entry for effect in effects if isinstance(effect, Append)]
        for event in entries:
            if not isinstance(event, NO_EVENTS) and (told := match.game.project(event, None)) is not None:
                known |= {*CARD.findall(json.dumps(tagged(told)))}
        for given in entries:
            if isinstance(given, Input):
                for step in shown.take(given):
                    found = {*CARD.findall(said(step))}
                    assert found <= known
                    named += len(found)
    assert named > 100


def test_it_tells_every_card_that_was_played_and_then_that_nobody_is_to_act(match: Past) -> None:
    seen = steps(match)
    played = {line["card"] for line in match.lines if line["type"] == "card_played"}
    assert played <= {card for step in seen for text in step.text for card in CARD.findall(text)}
    assert [step.to_act for step in seen if not step.to_act][-1:] == [seen[-1].to_act]
    assert len([step for step in seen if step.to_act]) > 20


def test_each_deal_begins_anew_and_is_shown_to_its_end(match: Past) -> None:
    seen = steps(match)
    begins = [at for at, step in enumerate(seen) if step.begins_deal]
    assert [seen[at].view.deal for at in begins] == [*range(1, len(begins) + 1)]
    full = len(seen[-1].view.tricks)
    assert [len(seen[at - 1].view.tricks) for at in begins[1:]] == [full] * (len(begins) - 1)


def test_that_some_have_chosen_what_to_pass_is_not_shown() -> None:
    (file,) = (KEPT / "hearts-finished").rglob("*.jsonl.gz")
    match = trusted(file.read_bytes())
    shown = live(match)
    new = [(given.kind, shown.take(given)) for _line, given in match.inputs()]
    passing = [at for at, (_kind, seen) in enumerate(new) for step in seen if len(step.to_act) == 4]
    assert passing
    for at in passing:
        assert [(kind, len(seen)) for kind, seen in new[at + 1 : at + 5]] == [("answer", 0)] * 3 + [
            ("answer", 1)
        ]
