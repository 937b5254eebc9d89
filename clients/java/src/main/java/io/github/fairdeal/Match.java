package io.github.fairdeal;

import io.github.fairdeal.v1.Seated;

/** A match that the bot has a seat in; {@code seated} is all that the referee told about it. */
public record Match(Seated seated) {
    /** Returns the match's id. */
    public String id() {
        return seated.getMatchId();
    }

    /** Returns which attempt at the match it is, from 1. */
    public int attempt() {
        return seated.getAttempt();
    }

    /** Returns the game's name. */
    public String game() {
        return seated.getGame();
    }

    /** Returns the bot's seat, counted from 0. */
    public int seat() {
        return seated.getSeatValue() - 1;
    }
}
