package io.github.fairdeal;

import java.util.OptionalDouble;
import java.util.function.DoubleSupplier;

/**
 * When a bot dials again: a schedule without a clock of its own; all times are seconds.
 *
 * <p>The delays between attempts double. Each is shortened by up to a half, so that bots that were cut off together do
 * not come back together.
 */
final class Backoff {
    static final double FIRST_DELAY = 0.1;
    static final double LONGEST_DELAY = 5.0;

    /** A session that lasted this long restarts the schedule; one that breaks at once keeps it slow. */
    static final double LASTING = 10.0;

    private final double longest;
    private final DoubleSupplier random;
    private double until;
    private double delay = FIRST_DELAY;

    /** Makes a schedule whose delays grow up to {@code longest}; {@code random} returns numbers from 0 to 1. */
    Backoff(double now, double timeout, double longest, DoubleSupplier random) {
        this.until = now + timeout;
        this.longest = longest;
        this.random = random;
    }

    /** Records the loss of a session that lasted so long; the time for dialling again begins now. */
    void restart(double now, double timeout, double lasted) {
        until = now + timeout;
        if (lasted >= LASTING) {
            delay = FIRST_DELAY;
        }
    }

    /** Returns how long to wait until the next attempt, nothing when the time for attempts is over. */
    OptionalDouble nextDelay(double now) {
        double next = delay * (1 - random.getAsDouble() / 2);
        if (now + next >= until) {
            return OptionalDouble.empty();
        }
        delay = Math.min(2 * delay, longest);
        return OptionalDouble.of(next);
    }

    /** Returns how much time is left for attempts. */
    double left(double now) {
        return Math.max(0, until - now);
    }
}
