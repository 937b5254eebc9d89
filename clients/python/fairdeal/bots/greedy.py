"""The house bot `greedy`: plain play by rules of thumb, a game to a module. It keeps nothing in mind."""

from fairdeal import (
    Answer,
    Decision,
    EuchreView,
    HeartsView,
    PiquetView,
    SpadesView,
    TwoHandedSpadesView,
)
from fairdeal.bots import (
    greedy_euchre,
    greedy_hearts,
    greedy_piquet,
    greedy_spades,
    greedy_two_handed_spades,
)
from fairdeal.bots.random_bot import random_answer


class Greedy:
    """Decides from the view alone, the same in the same position.

    With a probability of ``blunder``, drawn anew for each decision, it answers at random instead.

    Raises:
        ValueError: asked to play a game that is not among its ``games``.
    """

    games = ("hearts", "spades", "euchre", "piquet", "two_handed_spades")

    def __init__(self, *, blunder: float = 0.0) -> None:
        self._blunder = blunder

    def act(self, decision: Decision) -> Answer:
        """Return what the rules of thumb say, or a blunder."""
        if self._blunder and decision.chance.happens(self._blunder):
            return random_answer(decision)
        match decision.view:
            case HeartsView() as view:
                return greedy_hearts.answer(view, decision.legal, decision.match)
            case TwoHandedSpadesView() as view:
                return greedy_two_handed_spades.answer(view, decision.legal)
            case SpadesView() as view:
                return greedy_spades.answer(view, decision.legal)
            case EuchreView() as view:
                return greedy_euchre.answer(view, decision.legal)
            case PiquetView() as view:
                return greedy_piquet.answer(view, decision.legal)
        raise ValueError(f"greedy does not play {decision.match.game}; it plays {', '.join(self.games)}")
