"""The other seats: sessions in this process, without a network, that play as a check wants them to."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from fairdeal.testing.scripted import first_legal
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.codec.proto import action_of
from referee.games.registry import GAMES
from referee.server.runtime import Referee

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
        """Say goodbye and leave."""
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
    """Return how the others play where the bot has a seat, from 0, so that it is asked much."""
    wish = GAMES[game].check_plan.wish
    if wish is None:
        return first_legal

    def policy(decision: pb.Decision) -> pb.Answer:
        wished = wish(getattr(decision.view, game), Seat(bot))
        for index, action in enumerate(decision.legal.actions.actions if wished else ()):
            if action_of(action) == wished:
                return pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, index=index)
        return first_legal(decision)

    return policy
