package io.github.fairdeal;

import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Event;
import io.github.fairdeal.v1.Finished;
import io.github.fairdeal.v1.Notice;
import io.github.fairdeal.v1.Refused;

/**
 * What plays: something that answers decisions; a lambda will do.
 *
 * <p>One object plays every match of its session, several tables at once: what it remembers it keeps by {@link
 * Match#id}. All methods are called from one thread, one call at a time. What they throw is printed with its trace,
 * costs a fault where it was {@link #act}, and the bot plays on.
 */
@FunctionalInterface
public interface Bot {
    /** Answers a decision. One that is closed before its turn comes is not asked. */
    Answer act(Decision decision) throws Exception;

    /** Takes note of a seat; a void match that is played again is told anew, its {@link Match#attempt} one higher. */
    default void seated(Match match) throws Exception {}

    /** Takes note of an event; the referee sends events only to bots that override this. */
    default void event(Match match, Event event) throws Exception {}

    /** Takes note that a decision is closed; unless overridden, a fault is a line on the error stream, at once. */
    default void closed(Match match, Closed closed) throws Exception {
        Log.fault(match, closed);
    }

    /**
     * Takes note that an answer is refused or, with decision 0, that the referee does not know the match any more;
     * unless overridden, a line on the error stream. The match is null where the bot has no seat in it.
     */
    default void refused(Match match, Refused refused) throws Exception {
        String reason = Names.of(refused.getReason(), "REASON_", refused.getReasonValue());
        String what =
                refused.getDecisionId() == 0
                        ? ": the referee does not go on with it: "
                        : ", decision " + refused.getDecisionId() + ": the answer was refused: ";
        Log.line("match " + refused.getMatchId() + what + reason + " " + refused.getText());
    }

    /** Takes note that a match is over; void ones, which are played again, are told too. */
    default void finished(Match match, Finished finished) throws Exception {}

    /** Takes note of something about the session itself. */
    default void notice(Notice notice) throws Exception {}
}
