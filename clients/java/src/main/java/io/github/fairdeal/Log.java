package io.github.fairdeal;

import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Fault;

/** Lines about a session and a bot's faults, for people, on the error stream. */
final class Log {
    private Log() {}

    static void line(String text) {
        System.err.println("fairdeal: " + text);
    }

    /** Logs the fault for which a decision was closed, if it was for one. */
    static void fault(Match match, Closed closed) {
        if (closed.getFaultValue() != Fault.FAULT_UNSPECIFIED_VALUE) {
            String fault = Names.of(closed.getFault(), "FAULT_", closed.getFaultValue());
            line(
                    "match " + match.id() + ", decision " + closed.getDecisionId() + ": " + fault
                            + ": the referee played the default action");
        }
    }
}
