package io.github.fairdeal.bots;

import io.github.fairdeal.Answer;
import io.github.fairdeal.Bot;
import io.github.fairdeal.Chance;
import io.github.fairdeal.Decision;
import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.CardList;
import io.github.fairdeal.v1.ChooseCards;
import io.github.fairdeal.v1.ChooseCombinations;
import io.github.fairdeal.v1.Legal;

/** Any legal answer, all equally likely, drawn from the decision's generator. It plays every game. */
public final class RandomBot implements Bot {
    @Override
    public Answer act(Decision decision) {
        Legal legal = decision.legal();
        Chance chance = decision.chance();
        if (legal.hasChooseCards()) {
            ChooseCards choice = legal.getChooseCards();
            // by number, so that cards that this version does not know are no less likely
            CardList.Builder chosen =
                    CardList.newBuilder()
                            .addAllCardsValue(
                                    chance.choose(
                                            choice.getCardsValueList(), choice.getMinimum(), choice.getMaximum()));
            return Answer.action(Action.newBuilder().setChooseCards(chosen).build());
        }
        if (legal.hasChooseCombinations()) {
            ChooseCombinations choice = legal.getChooseCombinations();
            return Answer.combinations(
                    chance.choose(choice.getCombinationsList(), choice.getMinimum(), choice.getMaximum()));
        }
        return Answer.index((int) chance.draw(legal.getActions().getActionsCount()));
    }
}
