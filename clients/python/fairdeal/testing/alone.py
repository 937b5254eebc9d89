"""A match straight through the rules, without sessions, events and clocks, and one bot in all its seats."""

from collections.abc import Callable, Generator

from fairdeal import _encode
from fairdeal.actions import Noted
from fairdeal.testing.asked import AskedDecision, seated_of
from fairdeal.updates import Decision, Seated
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.codec.proto import action_of
from referee.games.actions import Action, Legal, LegalActions
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
    questions = questions_of(setup, deals, seed=seed, on_action=on_action)
    decision = next(questions)
    while True:
        said = act(decision)
        try:
            decision = questions.send(said)
        except StopIteration as over:
            result: Result = over.value
            return result


def questions_of(
    setup: MatchSetup,
    deals: Deals,
    *,
    seed: str = "",
    on_action: Callable[[Seat, Action], None] | None = None,
) -> Generator[AskedDecision, object, Result]:
    """Yield the decisions of a match one by one, for the answer to each, and return its result.

    For a decision that is given up the referee's default action is played.

    Raises:
        GameError: the game is unknown.
        BadAnswer: an answer is not legal.
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
        legal, view = state.legal(seat), rules.view(state, seat)
        question = messages.Decision(
            match_id=setup.match_id,
            decision_id=asked[seat],
            sequence=0,
            move_time=Micros(setup.clock.move),
            bank=Micros(setup.clock.bank),
            legal=legal,
            view=view,
        )
        decision = AskedDecision(seated[seat], question, seed)
        said = yield decision
        if isinstance(said, Noted) and said.answer is None:
            action = rules.default(view, legal)
        else:
            action = _action(legal, _encode.answer(decision, said))
        check_legal(legal, action)
        if on_action:
            on_action(seat, action)
        state.apply(seat, action)
    return result


def _action(legal: Legal, reply: pb.Answer) -> Action:
    if isinstance(legal, LegalActions):
        return legal.actions[reply.index]
    action = action_of(reply.action)
    assert not isinstance(action, Malformed), "the SDK has checked it"
    return action


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
