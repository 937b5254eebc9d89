package io.github.fairdeal;

/** Lines about a session and a bot's faults, for people, on the error stream. */
final class Log {
    private Log() {}

    static void line(String text) {
        System.err.println("fairdeal: " + text);
    }
}
