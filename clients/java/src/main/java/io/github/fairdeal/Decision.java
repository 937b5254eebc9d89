package io.github.fairdeal;

import io.github.fairdeal.v1.Legal;
import io.github.fairdeal.v1.View;
import java.time.Duration;

/** A question to the bot. */
public final class Decision {
    private final Match match;
    private final io.github.fairdeal.v1.Decision message;
    private final String seed;
    private Chance chance;

    /** Makes a decision from the protocol's message; {@code seed} is what its generator is made from. */
    public Decision(Match match, io.github.fairdeal.v1.Decision message, String seed) {
        this.match = match;
        this.message = message;
        this.seed = seed;
    }

    /** Returns the match, in which the bot's seat is {@link Match#seat}. */
    public Match match() {
        return match;
    }

    /** Returns the number of the decision, which counts those of this seat in this match from 1. */
    public int id() {
        return message.getDecisionId();
    }

    /** Returns the legal answers. */
    public Legal legal() {
        return message.getLegal();
    }

    /** Returns all that the seat knows. */
    public View view() {
        return message.getView();
    }

    /** Returns the time for this decision. */
    public Duration moveTime() {
        return Durations.of(message.getMoveTime());
    }

    /** Returns what is left of the time that the match has on top. */
    public Duration bank() {
        return Durations.of(message.getBank());
    }

    /** Returns this decision's own generator: the same seed, match, seat and decision give the same draws. */
    public Chance chance() {
        if (chance == null) {
            chance = new Chance(seed, match.id(), match.seat(), message.getDecisionId());
        }
        return chance;
    }

    /** Returns the protocol's message. */
    public io.github.fairdeal.v1.Decision message() {
        return message;
    }

    @Override
    public String toString() {
        return "Decision[match=" + match.id() + ", id=" + id() + ", seat=" + match.seat() + "]";
    }
}
