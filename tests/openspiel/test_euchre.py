"""Euchre played in OpenSpiel too: every call it knows, who plays, what is legal, points."""

from collections.abc import Callable
from typing import Any

from referee.games.actions import AloneChoice, Choose, ChooseCards, LegalActions
from referee.games.euchre.events import Phase
from referee.games.euchre.rules import CARDS
from referee.games.events import DealScored
from referee.games.partners import SIDES
from tests.openspiel.conftest import EuchreTwin


def test_openspiel_plays_euchre_alike(
    euchre: type[EuchreTwin], draw: Callable[..., int], shuffled: Callable[..., tuple[Any, ...]], deals: int
) -> None:
    """Only what a lone defender gets for three or four tricks differs, and that points are a zero sum."""
    lone = void = decisions = 0
    for deal in range(5 * deals):
        key = ("euchre", deal)
        stick = deal % 3 > 0
        match = euchre.match(
            deals=1,
            first=deal % 4,
            stick_the_dealer=stick,
            dealer_may_discard_upcard=False,
            maker_partner_may_go_alone=False,
        )
        twin = euchre(match, shuffled(CARDS, *key), stick_the_dealer=stick)
        while not twin.theirs.is_terminal():
            decisions += 1
            (seat,) = match.to_act()
            assert seat == twin.their_seat
            legal = match.legal(seat)
            if isinstance(legal, Choose):
                actions: list[Any] = [ChooseCards((c,)) for c in legal.cards]
            else:
                assert isinstance(legal, LegalActions)
                actions = list(legal.actions)
            theirs = twin.theirs.legal_actions()
            assert sorted(n for action in actions for n in twin.actions_of(action)) == theirs
            passes = 4 if match.phase in (Phase.UPCARD, Phase.TRUMP) else 1
            given = draw(len(actions) * passes, *key, decisions)
            twin.act(actions[min(given, len(actions) - 1)])
        *_before, scored = twin.events
        assert isinstance(scored, DealScored)
        returns = [twin.theirs.returns()[side[0]] for side in SIDES]
        gained = [a - b for a, b in (scored.points, scored.points[::-1])]
        if match.maker is None:
            void += 1
            assert not stick and returns == gained == [0, 0]
            continue
        defenders = 1 - match.maker % 2
        loners = [said.seat for said in match.alone if said.choice is AloneChoice.ALONE]
        if any(seat % 2 == defenders for seat in loners) and match.taken[defenders] in (3, 4):
            lone += 1
            assert (gained[defenders], returns[defenders]) == (2, 4)
        else:
            assert returns == gained
    assert lone and void
