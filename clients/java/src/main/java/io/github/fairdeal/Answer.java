package io.github.fairdeal;

import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.Card;
import io.github.fairdeal.v1.CardList;
import io.github.fairdeal.v1.Combination;
import io.github.fairdeal.v1.CombinationList;
import java.util.List;

/** The answer to a decision. Whether it is legal is the referee's to say. */
public final class Answer {
    /** No action at all, on which the referee plays the default one and counts a fault. */
    static final Answer NONE = action(Action.getDefaultInstance());

    private final io.github.fairdeal.v1.Answer content;

    private Answer(io.github.fairdeal.v1.Answer.Builder content) {
        this.content = content.build();
    }

    /**
     * Chooses from the decision's list of actions, by position from 0.
     *
     * @throws IllegalArgumentException it is negative
     */
    public static Answer index(int index) {
        if (index < 0) {
            throw new IllegalArgumentException("index " + index + ": must be 0 or more");
        }
        return new Answer(io.github.fairdeal.v1.Answer.newBuilder().setIndex(index));
    }

    /** Takes an action. */
    public static Answer action(Action action) {
        return new Answer(io.github.fairdeal.v1.Answer.newBuilder().setAction(action));
    }

    /** Chooses cards, where the decision is {@code choose_cards}. */
    public static Answer cards(Iterable<Card> cards) {
        return action(Action.newBuilder().setChooseCards(CardList.newBuilder().addAllCards(cards)).build());
    }

    /** Chooses cards, where the decision is {@code choose_cards}. */
    public static Answer cards(Card... cards) {
        return cards(List.of(cards));
    }

    /** Chooses combinations, possibly none, where the decision is {@code choose_combinations}. */
    public static Answer combinations(Iterable<Combination> combinations) {
        CombinationList.Builder chosen = CombinationList.newBuilder().addAllCombinations(combinations);
        return action(Action.newBuilder().setChooseCombinations(chosen).build());
    }

    /** Chooses combinations, possibly none, where the decision is {@code choose_combinations}. */
    public static Answer combinations(Combination... combinations) {
        return combinations(List.of(combinations));
    }

    /** Returns the protocol's message that answers a decision. */
    public io.github.fairdeal.v1.Answer to(Decision decision) {
        return content.toBuilder().setMatchId(decision.match().id()).setDecisionId(decision.id()).build();
    }
}
