package io.github.fairdeal;

import io.github.fairdeal.FairdealException.Kind;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Runs bots at a fairdeal referee. */
public final class Fairdeal {
    // what gRPC has to say is in the exceptions; held, because a logger that nobody holds forgets its level
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private Fairdeal() {}

    /** Does what {@link #main(Bot, Options)} does, with everything from the environment or by default. */
    public static void main(Bot bot) {
        main(bot, new Options());
    }

    /**
     * Does what {@link #run(Bot, Options)} does as a whole program, which then exits: what goes wrong is one line on
     * the error stream.
     *
     * <p>The exit status is 0, 2 for a wrong setting and 1 for a session that failed.
     */
    public static void main(Bot bot, Options options) {
        main(nameOf(bot.getClass()), bot, options);
    }

    /** Does what {@link #main(Bot, Options)} does for a program of this name. */
    public static void main(String name, Bot bot, Options options) {
        GRPC.setLevel(Level.OFF);
        try {
            run(bot, options);
        } catch (FairdealException error) {
            System.err.println(name + ": " + error.getMessage());
            System.exit(error.kind() == Kind.BAD_SETTING ? 2 : 1);
        }
        System.exit(0);
    }

    /** Does what {@link #run(Bot, Options)} does, with everything from the environment or by default. */
    public static void run(Bot bot) {
        run(bot, new Options());
    }

    /**
     * Plays with a bot until its matches are over.
     *
     * <p>When the session breaks, the bot comes back by itself and its matches go on: it dials again, after 0.1 seconds
     * at first and later every five, until the referee was gone for the reconnect timeout. It answers repeated
     * decisions as before, without another call of {@code act}. The loss and the return are each a line on the error
     * stream. A session that the referee ends for good, such as one that a newer session has replaced, is not dialled
     * for again.
     *
     * <p>The first SIGINT or SIGTERM lets the bot finish its matches and take no new ones. A second one, and an interrupt
     * of the calling thread, end the run with a goodbye to the referee; a third one ends the process at once. What the
     * bot is still doing when the session is over gets three seconds.
     *
     * @throws FairdealException a setting is invalid, or the session failed
     */
    public static void run(Bot bot, Options options) {
        Settings settings = Settings.settle(options, System.getenv(), nameOf(bot.getClass()));
        Connection connection = new Connection(settings, bot);
        Signals signals = Signals.handle(connection::finish, connection::stop);
        try {
            connection.run();
        } finally {
            signals.restore();
        }
    }

    /** Returns the name of a bot's class; of a lambda or a class without a name, that of the class around it. */
    static String nameOf(Class<?> type) {
        String name = type.getName();
        name = name.substring(name.lastIndexOf('.', name.indexOf('/') < 0 ? name.length() : name.indexOf('/')) + 1);
        if (type.isHidden() || type.isSynthetic() || type.isAnonymousClass()) {
            return name.substring(0, name.indexOf('$') < 0 ? name.length() : name.indexOf('$'));
        }
        return type.getSimpleName();
    }
}
