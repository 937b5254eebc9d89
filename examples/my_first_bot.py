"""A first bot, run as `python examples/my_first_bot.py [HOST:PORT]`."""

import sys

import fairdeal


class LowestCard:
    """Plays the lowest card that it may and passes its highest ones on."""

    def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        """Answer a decision."""
        match decision.legal:
            case fairdeal.LegalChoice(cards, minimum):  # several cards at once, such as the hearts pass
                return sorted(cards, key=lambda card: card.rank)[len(cards) - minimum :]
            case fairdeal.LegalCombinations():  # further combinations to declare, in piquet
                return []
            case fairdeal.LegalActions(actions):
                plays = [action.card for action in actions if isinstance(action, fairdeal.PlayCard)]
                return min(plays, key=lambda card: card.rank) if plays else actions[0]

    def on_finished(self, finished: fairdeal.Finished) -> None:
        """Print the scores of a match."""
        print(finished.match.game, finished.match.id, finished.scores)


if __name__ == "__main__":
    fairdeal.main(LowestCard(), *sys.argv[1:2])
