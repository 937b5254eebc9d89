package io.github.fairdeal;

import java.time.Duration;

/** Durations as the protocol, as Java and as people write them. */
final class Durations {
    private Durations() {}

    static Duration of(com.google.protobuf.Duration message) {
        return Duration.ofSeconds(message.getSeconds(), message.getNanos());
    }

    static double seconds(Duration duration) {
        return duration.getSeconds() + duration.getNano() / 1e9;
    }

    /** Returns a number of seconds in words, such as "60 s" or "0.5 s". */
    static String text(Duration duration) {
        double seconds = seconds(duration);
        return (seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds)) + " s";
    }
}
