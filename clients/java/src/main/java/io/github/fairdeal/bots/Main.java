package io.github.fairdeal.bots;

import io.github.fairdeal.Answer;
import io.github.fairdeal.Bot;
import io.github.fairdeal.Decision;
import io.github.fairdeal.Fairdeal;
import io.github.fairdeal.Match;
import io.github.fairdeal.v1.Finished;
import java.util.Locale;
import java.util.stream.Collectors;

/** The random bot from a terminal; exit status 0, 1 when the session failed, 2 for a wrong setting. */
public final class Main {
    private Main() {}

    /** Runs the random bot, and exits. */
    public static void main(String[] arguments) {
        Arguments given = null;
        try {
            given = Arguments.parse(arguments, System.getenv());
        } catch (IllegalArgumentException error) {
            System.err.println(Arguments.NAME + ": " + error.getMessage());
            System.exit(2);
        }
        if (given.isHelp()) {
            System.out.print(Arguments.HELP);
            return;
        }
        Fairdeal.main(Arguments.NAME, given.isTelling() ? new Telling() : new RandomBot(), given.options());
    }

    /** A random bot that says what it plays. */
    private static final class Telling implements Bot {
        private final RandomBot bot = new RandomBot();

        @Override
        public Answer act(Decision decision) {
            return bot.act(decision);
        }

        @Override
        public void seated(Match match) {
            String names =
                    match.seated().getEntriesCount() == 0
                            ? ""
                            : " with " + String.join(", ", match.seated().getEntriesList());
            System.out.println(match.id() + ": " + match.game() + ", seat " + match.seat() + names);
        }

        @Override
        public void finished(Match match, Finished finished) {
            String how = finished.getTermination().name().replace("TERMINATION_", "").toLowerCase(Locale.ROOT);
            String scores =
                    finished.getScoresList().stream().map(String::valueOf).collect(Collectors.joining(", "));
            System.out.println(
                    match.id() + ": " + how + (scores.isEmpty() ? "" : ", scores by side: " + scores));
        }
    }
}
