package io.github.fairdeal;

import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Event;
import io.github.fairdeal.v1.Finished;
import io.github.fairdeal.v1.Notice;
import io.github.fairdeal.v1.Refused;

/**
 * What plays: something that answers decisions; a lambda will do.
 *
 * <p>One object plays every match of its session, several tables at once: keep its state by {@link
 * Match#id}. All methods are called from one thread, one call at a time. What they throw is printed with its trace,
 * costs a fault where it was {@link #act}, and the bot plays on.
 */
@FunctionalInterface
public interface Bot {
    /** Answers a decision. One that is closed before its turn comes is not asked. */
    Answer act(Decision decision) throws Exception;

    /** Called when the bot has a seat; for a void match that is played again, with a higher {@link Match#attempt}. */
    default void seated(Match match) throws Exception {}

    /** Called for an event; the referee sends events only to bots that override this. */
    default void event(Match match, Event event) throws Exception {}

    /**
     * Called when a decision is closed; unless overridden, a fault is a line on the error stream, at once, and so is
     * that the referee did not keep a note.
     */
    default void closed(Match match, Closed closed) throws Exception {
        Log.closed(match, closed);
    }

    /**
     * Called when an answer is refused or, with decision 0, when the referee no longer knows the match;
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

    /** Called when a match is over, also for void matches, which are played again. */
    default void finished(Match match, Finished finished) throws Exception {}

    /** Called for a notice about the session itself. */
    default void notice(Notice notice) throws Exception {}
}
