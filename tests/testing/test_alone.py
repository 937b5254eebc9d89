"""One bot in all seats, without a referee: the same match as with one."""

import pytest

import fairdeal
from fairdeal.bots import make
from fairdeal.testing import play, play_alone
from referee.cards import Seat
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.actions import Action
from referee.games.registry import GAMES
from referee.match.effects import Input


@pytest.mark.parametrize("game", GAMES)
def test_it_is_the_match_that_a_referee_would_play(game: str) -> None:
    bot = make("greedy", blunder=0.3)  # so that its draws count, too
    played = play(game, [bot] * GAMES[game].seats, seed="spring", deals=2)
    deals = MatchDeals(played.setup, GAMES[game], SeededKeys("spring"))
    seats: list[Seat] = []
    result = play_alone(
        played.setup, deals, bot.act, seed="spring", on_action=lambda seat, _action: seats.append(seat)
    )
    assert (result.scores, result.ranks) == (played.outcome.scores, played.outcome.ranks)
    answers = [each for each in played.log if isinstance(each, Input) and each.kind == "answer"]
    assert sorted(seats) == sorted(each.seat for each in answers if each.seat is not None)


def test_a_wrong_answer_is_refused() -> None:
    played = play("hearts", [make("random")] * 4, seed="spring", deals=1)
    deals = MatchDeals(played.setup, GAMES["hearts"], SeededKeys("spring"))
    asked: list[fairdeal.Decision] = []

    def act(decision: fairdeal.Decision) -> object:
        asked.append(decision)
        return fairdeal.Card("2C")  # where three cards are to be passed

    actions: list[Action] = []
    with pytest.raises(fairdeal.BadAnswer):
        play_alone(played.setup, deals, act, on_action=lambda _seat, action: actions.append(action))
    assert (len(asked), actions) == (1, [])
