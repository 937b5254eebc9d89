"""The other seats: sessions in this process, without a network, that play as a check wants them to."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from fairdeal.v1 import actions_pb2 as actions
from fairdeal.v1 import play_service_pb2 as pb
from fairdeal.v1 import views_pb2 as views
from referee.server.driver import Referee
from referee.testing.scripted import first_legal

_TABLES: Final = 256

Policy = Callable[[pb.Decision], pb.Answer]


class Opponent:
    """A session of an entry, which takes every seat and answers by the policy of the match."""

    def __init__(
        self,
        referee: Referee,
        entry: str,
        token: str,
        policies: Mapping[str, Policy],
        *,
        instance: str = "",
    ) -> None:
        self._referee = referee
        self._policies = policies
        self._frames = 0
        self._is_due = False
        self._session = referee.connect(token, self._wake)
        self._say(
            pb.PlayRequest(hello=pb.Hello(versions=[1], entry=entry, instance=instance, tables=_TABLES))
        )

    def leave(self) -> None:
        """Say goodbye and be gone."""
        self._say(pb.PlayRequest(frames_received=self._frames, bye=pb.Bye()))
        self._referee.disconnect(self._session)

    def _wake(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._play)

    def _play(self) -> None:
        self._is_due = False
        while (frame := self._session.next_frame()) is not None:
            self._frames += 1
            request = pb.PlayRequest(frames_received=self._frames)
            for update in pb.PlayResponse.FromString(frame).updates:
                if update.HasField("seated"):
                    request.ready.add(match_id=update.seated.match_id)
                elif update.HasField("decision"):
                    policy = self._policies.get(update.decision.match_id, first_legal)
                    request.answers.append(policy(update.decision))
            self._say(request)

    def _say(self, request: pb.PlayRequest) -> None:
        self._referee.receive(self._session, request.SerializeToString())


def policy_of(game: str, bot: int) -> Policy:
    """Return how the others play where the bot has a seat, from 0, so that it is asked much.

    In euchre the upcard is accepted when the bot deals, so that it discards, and passed otherwise; trump is
    passed, and nobody plays alone.
    """
    return (lambda decision: _in_euchre(decision, bot)) if game == "euchre" else first_legal


def _in_euchre(decision: pb.Decision, bot: int) -> pb.Answer:
    view = decision.view.euchre
    if view.phase == views.EUCHRE_PHASE_UPCARD and view.dealer != bot + 1:
        return _wanted(decision, "upcard_call", actions.UPCARD_CALL_PASS)
    if view.phase == views.EUCHRE_PHASE_TRUMP:
        return _wanted(decision, "trump_call", actions.TRUMP_CALL_PASS)
    if view.phase == views.EUCHRE_PHASE_ALONE:
        return _wanted(decision, "alone", actions.ALONE_CHOICE_TOGETHER)
    return first_legal(decision)


def _wanted(decision: pb.Decision, kind: str, value: int) -> pb.Answer:
    """Return an action as the answer, the first legal one when it is not legal."""
    for index, action in enumerate(decision.legal.actions.actions):
        if action.WhichOneof("kind") == kind and getattr(action, kind) == value:
            return pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, index=index)
    return first_legal(decision)
