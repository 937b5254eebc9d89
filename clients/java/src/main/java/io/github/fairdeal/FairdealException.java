package io.github.fairdeal;

/** What ended a session other than its own end; the message is one line for people. */
public final class FairdealException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What went wrong. */
    public enum Kind {
        /** An address, a number or another setting is invalid; nothing was dialled. */
        BAD_SETTING,
        /** No referee answers at the address. */
        CANNOT_CONNECT,
        /** The session broke, and the referee was not back in time. */
        CONNECTION_LOST,
        /** The referee sent something invalid. */
        PROTOCOL_ERROR,
        /** The referee refused the session or ended it; {@link FairdealException#reason} says why. */
        REJECTED,
        /** A newer session of the same entry and instance took over. */
        REPLACED
    }

    private final Kind kind;
    private final String reason;
    private final String incident;
    private final String absence;

    FairdealException(Kind kind, String message) {
        this(kind, message, "", "", null);
    }

    private FairdealException(Kind kind, String message, String reason, String incident, String absence) {
        super(message);
        this.kind = kind;
        this.reason = reason;
        this.incident = incident;
        this.absence = absence;
    }

    /** Returns the referee's own refusal or end of a session. */
    static FairdealException rejected(String message, String reason, String incident) {
        Kind kind = reason.equals("REPLACED") ? Kind.REPLACED : Kind.REJECTED;
        return new FairdealException(kind, message, reason, incident, null);
    }

    /** Returns that nobody answers at an address just now; {@code why} is what the network says. */
    static FairdealException notThere(String message, String why) {
        return new FairdealException(Kind.CANNOT_CONNECT, message, "", "", why);
    }

    /** Returns what went wrong. */
    public Kind kind() {
        return kind;
    }

    /** Returns the referee's stable reason, such as "MISSING_TOKEN"; empty where it gave none. */
    public String reason() {
        return reason;
    }

    /** Returns what the network says where nobody answers just now, null where that is not what is wrong. */
    String absence() {
        return absence;
    }

    /** Returns the number under which the referee's log has it; empty where it gave none. */
    public String incident() {
        return incident;
    }
}
