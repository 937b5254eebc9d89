package io.github.fairdeal.bots;

import io.github.fairdeal.Options;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The random bot's command line. */
record Arguments(Options options, boolean isTelling, boolean isHelp) {
    static final String NAME = "fairdeal-random-bot";
    static final String HELP =
            """
            usage: fairdeal-random-bot [OPTION]...

            Play at a referee with a bot that answers at random.

              --connect ADDRESS            the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS
              --game GAME                  the game to play; by default every game
              --matches N                  how many matches to play, 0 for no limit; by default 1, or no limit
                                           where the address is in the environment
              --tables N                   how many at once; by default 64
              --seed SEED                  what the bot draws from; by default FAIRDEAL_SEED
              --entry ENTRY                the entry that plays; by default FAIRDEAL_ENTRY or "random"
              --instance INSTANCE          tells several sessions of one entry apart
              --connect-timeout SECONDS    how long to wait for the referee; by default 30
              --reconnect-timeout SECONDS  how long to dial a lost referee again, 0 for never; by
                                           default 60
              --help                       shows this
            """;

    /** The longest time that can be set: beyond it, nobody waits. */
    private static final double MOST_SECONDS = 1e9;

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException it is invalid; the text names what
     */
    static Arguments parse(String[] line, Map<String, String> environment) {
        Options options = new Options();
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < line.length; i++) {
            String[] parts = line[i].split("=", 2);
            String name = parts[0];
            if (name.equals("--help") || name.equals("-h")) {
                return new Arguments(options, false, true);
            }
            String value = parts.length == 2 ? parts[1] : i + 1 < line.length ? line[i + 1] : null;
            apply(options, name, value);
            given.put(name, value);
            i += parts.length == 2 ? 0 : 1;
        }
        boolean isAddressed = given.containsKey("--connect");
        if (!given.containsKey("--matches")) {
            options.matches(!isAddressed && environment.containsKey("FAIRDEAL_ADDRESS") ? 0 : 1);
        }
        if (!given.containsKey("--entry") && !environment.containsKey("FAIRDEAL_ENTRY")) {
            options.entry("random");
            if (!given.containsKey("--instance") && !environment.containsKey("FAIRDEAL_INSTANCE")) {
                // so that several do not replace each other
                options.instance(Integer.toHexString(ThreadLocalRandom.current().nextInt()));
            }
        }
        return new Arguments(options, isAddressed, false);
    }

    private static void apply(Options options, String name, String value) {
        switch (name) {
            case "--connect" -> options.address(text(name, value));
            case "--game" -> options.games(text(name, value));
            case "--matches" -> options.matches(number(name, value));
            case "--tables" -> options.tables(number(name, value));
            case "--seed" -> options.seed(text(name, value));
            case "--entry" -> options.entry(text(name, value));
            case "--instance" -> options.instance(text(name, value));
            case "--connect-timeout" -> options.connectTimeout(seconds(name, value));
            case "--reconnect-timeout" -> options.reconnectTimeout(seconds(name, value));
            default -> throw new IllegalArgumentException("unrecognized argument: " + name + "; see --help");
        }
    }

    private static String text(String name, String value) {
        if (value == null) {
            throw new IllegalArgumentException("argument " + name + ": expected one argument");
        }
        return value;
    }

    private static int number(String name, String value) {
        try {
            return Integer.parseInt(text(name, value));
        } catch (NumberFormatException error) {
            throw new IllegalArgumentException("argument " + name + ": invalid int value: '" + value + "'");
        }
    }

    private static Duration seconds(String name, String value) {
        try {
            double seconds = Double.parseDouble(text(name, value));
            if (!Double.isNaN(seconds)) {
                return Duration.ofNanos((long) (Math.min(seconds, MOST_SECONDS) * 1e9));
            }
        } catch (NumberFormatException error) {
            // told below, like what is not a number
        }
        throw new IllegalArgumentException("argument " + name + ": invalid float value: '" + value + "'");
    }
}
