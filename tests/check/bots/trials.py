"""Bots that decide wrongly, too late or not at all, though nothing has happened to them."""

from frames import Good, phase, to

from fairdeal.v1 import actions_pb2 as actions
from fairdeal.v1 import play_service_pb2 as pb


def illegal_at(kind: str) -> type[Good]:
    """Return a bot that answers decisions of a kind by an action that is not there."""

    class Illegal(Good):
        def answer(self, decision: pb.Decision) -> pb.Answer | None:
            return to(decision, index=1000) if phase(decision) == kind else super().answer(decision)

    return Illegal


class NoAnswers(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return None


class SleepsAfterOne(Good):
    """Answers one decision, and then none any more."""

    has_answered = False

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        if self.has_answered:
            return None
        self.has_answered = True
        return super().answer(decision)


class AllIllegal(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return to(decision, index=1000)


class DiesAtThird(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        if decision.decision_id == 3:
            raise SystemExit("three is too many")
        return super().answer(decision)


class DiesInHearts(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        if phase(decision) == "HEARTS_PHASE_PLAY":
            raise SystemExit("no heart for this")
        return super().answer(decision)


class Malformed(Good):
    """Bids without saying what."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return to(decision) if phase(decision).endswith("_BID") else super().answer(decision)


class OmitsEmpty(Good):
    """Leaves out what is empty."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        answer = super().answer(decision)
        assert answer
        if answer.action.WhichOneof("kind") == "choose_combinations":
            return to(decision, action=actions.Action())
        return answer


class ChoosesTwice(Good):
    """Passes one card three times."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        answer = super().answer(decision)
        assert answer
        if len(answer.action.choose_cards.cards) == 3:
            answer.action.choose_cards.cards[:] = 3 * answer.action.choose_cards.cards[:1]
        return answer


class ShortMemory(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return super().answer(decision) if decision.decision_id <= 200 else None


class Slow(Good):
    """Thinks too long once, where there is little time: until it has run out, however busy the machine is."""

    def __init__(self, games: list[str]) -> None:
        super().__init__(games)
        self.thoughts: dict[str, pb.Answer] = {}  # by match

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        answer = super().answer(decision)
        if answer and decision.decision_id == 5 and decision.move_time.ToMilliseconds() < 500:
            self.thoughts[decision.match_id] = answer
            return None
        return answer

    def hear_closed(self, closed: pb.Closed) -> None:
        if answer := self.thoughts.pop(closed.match_id, None):
            self.say(pb.PlayRequest(frames_received=self.acknowledge(), answers=[answer]))


VICES: dict[str, type[Good]] = {
    "moon": illegal_at("HEARTS_PHASE_MOON"),
    "blind": illegal_at("SPADES_PHASE_BLIND"),
    "alone": illegal_at("EUCHRE_PHASE_ALONE"),
    "leftovers": illegal_at("PIQUET_PHASE_LEFTOVERS"),
    "draft": illegal_at("TWO_HANDED_SPADES_PHASE_DRAFT"),
    "no_answers": NoAnswers,
    "sleeps_after_one": SleepsAfterOne,
    "all_illegal": AllIllegal,
    "dies_at_third": DiesAtThird,
    "dies_in_hearts": DiesInHearts,
    "malformed": Malformed,
    "omits_empty": OmitsEmpty,
    "chooses_twice": ChoosesTwice,
    "short_memory": ShortMemory,
    "slow": Slow,
}
