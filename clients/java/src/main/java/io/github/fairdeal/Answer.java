package io.github.fairdeal;

import com.google.protobuf.ByteString;
import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.Card;
import io.github.fairdeal.v1.CardList;
import io.github.fairdeal.v1.ChooseCards;
import io.github.fairdeal.v1.ChooseCombinations;
import io.github.fairdeal.v1.Combination;
import io.github.fairdeal.v1.CombinationList;
import io.github.fairdeal.v1.Legal;
import java.util.List;

/** The answer to a decision. Whether it is legal is the referee's to say. */
public final class Answer {
    /** No action at all, on which the referee plays the default one and counts a fault. */
    static final Answer NONE = action(Action.getDefaultInstance());

    /** The most bytes of a note, in UTF-8. */
    public static final int MAX_NOTE = 4096;

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

    /**
     * Returns the answer with a note for the record, a text and by convention JSON. It takes the place of another.
     *
     * <p>Nobody is shown it before the deals of the match are revealed, and it changes nothing. JSON has some of the
     * keys {@code thought}, {@code tokens_in}, {@code tokens_out}, {@code cost}, {@code seconds}, {@code attempts},
     * {@code finish} and {@code eval}. A note of more than {@link #MAX_NOTE} bytes is a line on the error stream and
     * not sent; the answer is.
     */
    public Answer withNote(String note) {
        return new Answer(content.toBuilder().setNote(ByteString.copyFromUtf8(note)));
    }

    /** Returns the answer as it can be sent: without a note that is too long, which is a line on the error stream. */
    Answer sendable(Decision decision) {
        int size = content.getNote().size();
        if (size <= MAX_NOTE) {
            return this;
        }
        String what = "the note is not sent: it has " + size + " bytes, and " + MAX_NOTE + " may be sent";
        Log.line("match " + decision.match().id() + ", decision " + decision.id() + ": " + what);
        return new Answer(content.toBuilder().clearNote());
    }

    /** Returns the one answer that is legal, null where there are several or none is known. */
    static Answer only(Legal legal) {
        switch (legal.getKindCase()) {
            case ACTIONS -> {
                return legal.getActions().getActionsCount() == 1 ? index(0) : null;
            }
            case CHOOSE_CARDS -> {
                ChooseCards choice = legal.getChooseCards();
                List<Card> only = only(choice.getCardsList(), choice.getMinimum(), choice.getMaximum());
                return only == null ? null : cards(only);
            }
            case CHOOSE_COMBINATIONS -> {
                ChooseCombinations choice = legal.getChooseCombinations();
                List<Combination> only =
                        only(choice.getCombinationsList(), choice.getMinimum(), choice.getMaximum());
                return only == null ? null : combinations(only);
            }
            default -> {
                return null;
            }
        }
    }

    private static <T> List<T> only(List<T> offered, int minimum, int maximum) {
        if (minimum == offered.size() && maximum == offered.size()) {
            return offered;
        }
        return maximum == 0 || offered.isEmpty() ? List.of() : null;
    }

    /** Returns the protocol's message that answers a decision. */
    public io.github.fairdeal.v1.Answer to(Decision decision) {
        return content.toBuilder().setMatchId(decision.match().id()).setDecisionId(decision.id()).build();
    }
}
