"""The house bot `random`: any legal answer, all equally likely. It plays every game."""

from fairdeal import Answer, Decision, LegalChoice, LegalCombinations


class Random:
    """Draws its answers from the decision's generator."""

    games = ()

    def act(self, decision: Decision) -> Answer:
        """Return one of the legal answers."""
        return random_answer(decision)


def random_answer(decision: Decision) -> Answer:
    """Return one of the legal answers, drawn from the decision's generator."""
    legal = decision.legal
    if isinstance(legal, LegalChoice):
        return decision.chance.choose(legal.cards, legal.minimum, legal.maximum)
    if isinstance(legal, LegalCombinations):
        return decision.chance.choose(legal.combinations, legal.minimum, legal.maximum)
    return decision.chance.choice(legal.actions)
