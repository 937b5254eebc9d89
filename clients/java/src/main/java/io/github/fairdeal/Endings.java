package io.github.fairdeal;

import io.github.fairdeal.FairdealException.Kind;
import io.grpc.Metadata;
import io.grpc.Status;
import java.security.GeneralSecurityException;
import java.util.Set;

/** What the end of a stream means for the bot. */
final class Endings {
    private static final Metadata.Key<String> REASON =
            Metadata.Key.of("fairdeal-reason", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> INCIDENT =
            Metadata.Key.of("fairdeal-incident", Metadata.ASCII_STRING_MARSHALLER);

    // what another attempt cannot mend
    private static final Set<String> FINAL_REASONS =
            Set.of(
                    "MISSING_TOKEN",
                    "WRONG_SEAT",
                    "WRONG_ROLE",
                    "UNSUPPORTED_VERSION",
                    "PROTOCOL_VIOLATION",
                    "MESSAGE_TOO_LARGE",
                    "REPLACED");

    // what gRPC says, perhaps with its handlers, where only the cause knows more
    private static final String IO_EXCEPTION = "io exception";

    private static final String NO_HTTP2 = "http2 exception"; // of a server that speaks something else
    private static final String NO_TLS = "not an SSL/TLS record"; // with what came instead, in hexadecimal

    private Endings() {}

    /** Returns what an error means for a bot, which the referee has welcomed or not. */
    static FairdealException meaning(Status status, Metadata trailers, Settings settings, boolean isWelcomed) {
        String address = settings.address();
        String reason = trailers == null ? null : trailers.get(REASON);
        String incident = trailers == null ? null : trailers.get(INCIDENT);
        String text = text(status);
        if (reason != null) {
            return FairdealException.rejected(
                    "the referee at " + address + " ended the session: " + text + " (" + reason + ")",
                    reason,
                    incident == null ? "" : incident);
        }
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            return new FairdealException(
                    Kind.CANNOT_CONNECT, address + " answers, but it is no referee: " + text);
        }
        boolean isUnreached = status.getCode() == Status.Code.UNAVAILABLE || text.startsWith(NO_HTTP2);
        if (isUnreached && !isWelcomed) {
            return FairdealException.notThere("no referee answers at " + address + ": " + text, text);
        }
        return new FairdealException(
                Kind.CONNECTION_LOST, "the session with the referee at " + address + " broke: " + text);
    }

    /** Tells whether a bot that plays, or one that does not, has no reason to dial again. */
    static boolean isFinal(FairdealException broken, boolean isPlaying) {
        return FINAL_REASONS.contains(broken.reason())
                || (broken.reason().equals("SHUTTING_DOWN") && !isPlaying);
    }

    /** Returns what gRPC says in one line: of what went wrong below it, the deepest cause says most. */
    private static String text(Status status) {
        String description = status.getDescription() == null ? "" : status.getDescription();
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String text = description.startsWith(IO_EXCEPTION) ? "" : description;
        if (cause != null && cause.getMessage() != null && !text.contains(cause.getMessage())) {
            text = text.isEmpty() ? cause.getMessage() : text + ": " + cause.getMessage();
        }
        if (text.startsWith(NO_TLS)) {
            text = "it does not speak TLS";
        }
        // such as "Path does not chain with any of the trust anchors", which says not of what
        if (cause instanceof GeneralSecurityException) {
            text = "its certificate is not trusted: " + text;
        }
        return text.isBlank() ? status.getCode().name() : text.strip().replaceAll("\\s+", " ");
    }

    /** Returns what to look at when a server hangs up without a word, as one that wants TLS does. */
    static String hint(Settings settings, String why) {
        if (!why.contains("closed") && !why.contains("certificate_required") && !why.contains("reset")) {
            return "";
        }
        if (settings.tls() == null) {
            return "; if it speaks TLS, give ca (FAIRDEAL_CA)";
        }
        if (settings.tls().cert() == null) {
            return "; if it wants a certificate, give cert and key (FAIRDEAL_CERT, FAIRDEAL_KEY)";
        }
        return "";
    }
}
