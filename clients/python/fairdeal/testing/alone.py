"""One bot in all seats of a match, straight through the rules: no sessions, events or clocks."""

from collections.abc import Callable

from fairdeal import _encode
from fairdeal.testing.asked import AskedDecision, seated_of
from fairdeal.updates import Decision, Seated
from referee.cards import Seat
from referee.codec.proto import action_of
from referee.games.actions import Action, LegalActions
from referee.games.base import Result, State, check_deck, check_legal
from referee.games.registry import game as rules_of
from referee.match import messages
from referee.match.clock import Micros
from referee.match.effects import Deals, MatchSetup
from referee.match.messages import Malformed


def play_alone(
    setup: MatchSetup,
    deals: Deals,
    act: Callable[[Decision], object],
    *,
    seed: str = "",
    on_action: Callable[[Seat, Action], None] | None = None,
) -> Result:
    """Play a match with one bot in all seats and return its result; ``act`` answers every decision.

    The bot is told decisions alone, as a referee would ask them, with clocks that stand. ``seed`` is that of
    its draws. ``on_action`` is called with each seat and its action.

    Raises:
        GameError: the game is unknown.
        BadAnswer: an answer is not legal.
        Exception: any exception of the bot.
    """
    rules = rules_of(setup.game)
    state: State = rules.new(setup.options, deals=setup.deals, first=deals.first(rules.seats))
    seated = [_seated(setup, deals, Seat(seat)) for seat in range(rules.seats)]
    asked = [0] * rules.seats
    while (result := state.result()) is None:
        if state.needs_deck:
            deck = deals.deck(state.deal_number)
            check_deck(rules, deck)
            state.deal(deck)
            continue
        seat = state.to_act()[0]
        asked[seat] += 1
        legal = state.legal(seat)
        question = messages.Decision(
            match_id=setup.match_id,
            decision_id=asked[seat],
            sequence=0,
            move_time=Micros(setup.clock.move),
            bank=Micros(setup.clock.bank),
            legal=legal,
            view=rules.view(state, seat),
        )
        decision = AskedDecision(seated[seat], question, seed)
        reply = _encode.answer(decision, act(decision))
        action = legal.actions[reply.index] if isinstance(legal, LegalActions) else action_of(reply.action)
        assert not isinstance(action, Malformed), "the SDK has checked it"
        check_legal(legal, action)
        if on_action:
            on_action(seat, action)
        state.apply(seat, action)
    return result


def _seated(setup: MatchSetup, deals: Deals, seat: Seat) -> Seated:
    rules = rules_of(setup.game)
    told = messages.Seated(
        match_id=setup.match_id,
        attempt=setup.attempt,
        game=setup.game,
        rules_version=rules.rules_version,
        options=setup.options,
        deals=setup.deals or 0,
        seat=seat,
        entries=setup.entries,
        commitment=deals.commitment,
        clock=setup.clock,
        max_faults=setup.faults.limit,
        sides=rules.sides,
    )
    return seated_of(told)
