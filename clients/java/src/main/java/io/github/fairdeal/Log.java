package io.github.fairdeal;

import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Fault;

/** Lines about a session and a bot's faults, for people, on the error stream. */
final class Log {
    private Log() {}

    static void line(String text) {
        System.err.println("fairdeal: " + text);
    }

    /** Logs the fault for which a decision was closed, if it was for one, and that its note was dropped. */
    static void closed(Match match, Closed closed) {
        String where = "match " + match.id() + ", decision " + closed.getDecisionId() + ": ";
        if (closed.getFaultValue() != Fault.FAULT_UNSPECIFIED_VALUE) {
            String fault = Names.of(closed.getFault(), "FAULT_", closed.getFaultValue());
            line(where + fault + ": the referee played the default action");
        }
        if (closed.getNoteDropped()) {
            line(where + "the referee did not keep the note: it is too long, or too many came");
        }
    }
}
