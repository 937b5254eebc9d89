"""The decisions that the bot was asked, and the text about a fault in an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.match.faults import Fault
from tournaments.check.catalogue import ACTIONS, PLAY, SESSIONS
from tournaments.check.results import Finding
from tournaments.check.shorten import shown

_PLACES: Final[Mapping[Fault, str]] = {
    Fault.MALFORMED: f"{PLAY}: Answer",
    Fault.ILLEGAL: f"{ACTIONS}: Legal",
    Fault.LATE: f"{SESSIONS}: Time",
    Fault.DISCONNECTED: f"{SESSIONS}: Sessions",
}


@dataclass(slots=True)
class Asked:
    """A decision that the bot was asked, and its answer."""

    game: str
    decision: pb.Decision
    answer: pb.Answer | None = None

    @property
    def kind(self) -> str:
        """Return the kind of decision, by the game's name for it."""
        game = self.decision.view.WhichOneof("game")
        assert game is not None
        view = getattr(self.decision.view, game)
        number = view.phase
        name: str = view.DESCRIPTOR.fields_by_name["phase"].enum_type.values_by_number[number].name
        return name.partition("_PHASE_")[2].lower()

    @property
    def is_choice(self) -> bool:
        """Return whether the decision asks for several cards or combinations."""
        return bool(self.decision.legal.WhichOneof("kind") != "actions")

    @property
    def size(self) -> int:
        """Return how many there are to choose several from; 0 for decisions of other kinds."""
        legal = self.decision.legal
        return len(legal.choose_cards.cards) + len(legal.choose_combinations.combinations)

    @property
    def question(self) -> str:
        """Return the question as short JSON, without the view."""
        short = pb.Decision(
            match_id=self.decision.match_id,
            decision_id=self.decision.decision_id,
            legal=self.decision.legal,
        )
        return shown(short, "decision")

    @property
    def expected(self) -> str:
        """Return which answers are allowed."""
        legal = self.decision.legal
        kind = legal.WhichOneof("kind")
        if kind == "actions":
            most = len(legal.actions.actions) - 1
            return f"one of the actions listed, by itself or by its index, 0 to {most}"
        choice = legal.choose_cards if kind == "choose_cards" else legal.choose_combinations
        few, most = choice.minimum, choice.maximum
        what = "cards" if kind == "choose_cards" else "combinations"
        number = str(few) if few == most else f"{few} to {most}"
        return (
            f"an action {kind} that is present, even if empty, with {number} of the {what} listed, none twice"
        )

    def finding(self, fault: Fault) -> Finding:
        """Return the finding for a fault."""
        where = f"{self.game}, a decision of the kind {self.kind!r}"
        if fault in (Fault.MALFORMED, Fault.ILLEGAL):
            word = "is not an action" if fault is Fault.MALFORMED else "is not legal"
            what = f"{where}: the answer {word}"
        elif fault is Fault.LATE:
            what = f"{where}: no answer within {_seconds(self.decision):g} s"
        else:
            what = f"{where}: the time ran out while the bot had no session"
        came = shown(self.answer, "answer") if self.answer else "nothing"
        return Finding(what=what, place=_PLACES[fault], sent=self.question, came=came, expected=self.expected)


def _seconds(decision: pb.Decision) -> float:
    """Return how long a decision may take in all."""
    seconds: float = (decision.move_time.ToMicroseconds() + decision.bank.ToMicroseconds()) / 1_000_000
    return seconds
