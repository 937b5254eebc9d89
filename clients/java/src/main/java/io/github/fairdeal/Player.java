package io.github.fairdeal;

import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;

/** Calls a bot's methods, one at a time and on one thread, in the order of what it is told. */
final class Player implements Runnable {
    /** Answers wait so long for others to share their frame, as long as there is more to be done. */
    static final long SHARE_NANOS = Duration.ofMillis(5).toNanos();

    /** Where the decisions come from; called from the bot's thread. */
    interface Table {
        /** Returns whether a decision still waits for its answer. */
        boolean isAsked(Decision decision);

        /** Takes the answer to a decision. */
        void answer(Decision decision, Answer answer);

        /** Sends the answers taken. */
        void send();
    }

    private static final List<Update> END = new ArrayList<>();

    private final Bot bot;
    private final Table table;
    private final LongSupplier clock;
    private final boolean playForced;
    private final boolean hearsClosed; // by a hook of its own
    private final BlockingQueue<List<Update>> told = new LinkedBlockingQueue<>();

    /** Makes a player; {@code clock} returns nanoseconds, and with {@code playForced} the bot is asked less. */
    Player(Bot bot, Table table, LongSupplier clock, boolean playForced) {
        this.bot = bot;
        this.table = table;
        this.clock = clock;
        this.playForced = playForced;
        this.hearsClosed = overrides(bot, "closed", Closed.class);
    }

    /** Returns whether the bot is to be told events. */
    static boolean wantsEvents(Bot bot) {
        return overrides(bot, "event", Event.class);
    }

    private static boolean overrides(Bot bot, String hook, Class<?> told) {
        try {
            return bot.getClass().getMethod(hook, Match.class, told).getDeclaringClass() != Bot.class;
        } catch (NoSuchMethodException error) {
            throw new AssertionError("every bot has the method", error);
        }
    }

    /** Passes the updates of a frame to the bot; faults and lost notes are a line at once: it may be busy for ever. */
    void tell(List<Update> updates) {
        for (Update update : updates) {
            if (update.message().hasClosed() && !hearsClosed) {
                Log.closed(update.match(), update.message().getClosed());
            }
        }
        if (!updates.isEmpty()) {
            told.add(updates);
        }
    }

    /** Ends the thread after what was told so far. */
    void end() {
        told.add(END);
    }

    @Override
    public void run() {
        boolean isHeld = false;
        long since = 0; // when what is held back was begun
        for (List<Update> updates = next(); updates != END; updates = next()) {
            for (int i = 0; i < updates.size(); i++) {
                if (!isHeld) {
                    isHeld = true;
                    since = clock.getAsLong();
                }
                play(updates.get(i));
                boolean isMore = i + 1 < updates.size() || isMoreTold();
                if (!isMore || clock.getAsLong() - since >= SHARE_NANOS) {
                    table.send();
                    isHeld = false;
                }
            }
        }
    }

    private boolean isMoreTold() {
        List<Update> next = told.peek();
        return next != null && next != END;
    }

    private List<Update> next() {
        for (;;) {
            try {
                return told.take();
            } catch (InterruptedException error) {
                // the bot has interrupted itself, for nobody else has the thread; it plays on
            }
        }
    }

    private void play(Update update) {
        try {
            if (update.decision() == null) {
                tell(update);
            } else if (table.isAsked(update.decision())) {
                Answer answer = playForced ? Answer.only(update.decision().legal()) : null;
                if (answer == null) {
                    answer = bot.act(update.decision());
                }
                if (answer == null) {
                    throw new NullPointerException("act returned null");
                }
                table.answer(update.decision(), answer.sendable(update.decision()));
            }
        } catch (Throwable error) { // an error too is the bot's, and costs a fault
            error.printStackTrace();
            if (update.decision() != null) {
                table.answer(update.decision(), Answer.NONE);
            }
        }
    }

    private void tell(Update update) throws Exception {
        switch (update.message().getKindCase()) {
            case SEATED -> bot.seated(update.match());
            case HAPPENED -> bot.event(update.match(), update.message().getHappened().getEvent());
            case CLOSED -> {
                if (hearsClosed) {
                    bot.closed(update.match(), update.message().getClosed());
                }
            }
            case REFUSED -> bot.refused(update.match(), update.message().getRefused());
            case FINISHED -> bot.finished(update.match(), update.message().getFinished());
            case NOTICE -> bot.notice(update.message().getNotice());
            default -> {} // nothing that the bot is told
        }
    }
}
