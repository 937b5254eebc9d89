package io.github.fairdeal;

/**
 * One thing that the bot is told.
 *
 * @param match the match it belongs to; null where the session knows none
 * @param decision the question; null unless the message is one
 * @param message the protocol's message
 */
record Update(Match match, Decision decision, io.github.fairdeal.v1.Update message) {
    Update(Match match, io.github.fairdeal.v1.Update message) {
        this(match, null, message);
    }
}
