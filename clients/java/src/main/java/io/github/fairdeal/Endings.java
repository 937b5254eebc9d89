package io.github.fairdeal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.github.fairdeal.FairdealException.Kind;
import io.grpc.Metadata;
import io.grpc.Status;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;

/** What the end of a stream means for the bot. */
final class Endings {
    private static final Metadata.Key<String> REASON =
            Metadata.Key.of("fairdeal-reason", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> INCIDENT =
            Metadata.Key.of("fairdeal-incident", Metadata.ASCII_STRING_MARSHALLER);

    // reasons that another attempt cannot change
    private static final Set<String> FINAL_REASONS =
            Set.of(
                    "MISSING_TOKEN",
                    "WRONG_SEAT",
                    "WRONG_ROLE",
                    "ENDED_BY_ORGANISER",
                    "UNSUPPORTED_VERSION",
                    "PROTOCOL_VIOLATION",
                    "MESSAGE_TOO_LARGE",
                    "REPLACED");

    // reasons that may soon be gone, so that even a bot that was not welcomed yet dials again
    private static final Set<String> BUSY_REASONS = Set.of("RATE_LIMITED", "TOO_MANY_SESSIONS");

    // what gRPC says, perhaps with its handlers, where only the cause knows more
    private static final String IO_EXCEPTION = "io exception";

    private static final String NO_HTTP2 = "http2 exception"; // of a server that speaks something else
    private static final String NO_TLS = "not an SSL/TLS record"; // with what came instead, in hexadecimal

    private static final List<String> HANGING_UP = List.of("closed", "certificate_required", "reset");

    // how an error looks when nothing listens at the address
    private static final List<String> NOBODY_THERE =
            List.of("refused", "unreachable", "No route", "No such file", "timed out", "Unable to resolve host");

    private static final String AS_IT_SHOULD_BE = "is a referee of the same version of fairdeal";

    private Endings() {}

    /** Returns the error of the kit for one of gRPC, given whether the referee has welcomed the bot. */
    static FairdealException meaning(Status status, Metadata trailers, Settings settings, boolean isWelcomed) {
        String address = settings.address();
        String reason = trailers == null ? null : trailers.get(REASON);
        String incident = trailers == null ? null : trailers.get(INCIDENT);
        if (rootCause(status) instanceof InvalidProtocolBufferException) {
            return at(
                    address,
                    new FairdealException(
                            Kind.PROTOCOL_ERROR, "the referee sent a frame that is not a message"));
        }
        String text = text(status);
        if (reason != null) {
            return FairdealException.rejected(
                    "the referee at " + address + " ended the session: " + text + " (" + reason + ")",
                    reason,
                    incident == null ? "" : incident);
        }
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            return new FairdealException(
                    Kind.CANNOT_CONNECT, address + " answers, but it is not a referee: " + text);
        }
        boolean isUnreached = status.getCode() == Status.Code.UNAVAILABLE || text.startsWith(NO_HTTP2);
        if (isUnreached && !isWelcomed) {
            return FairdealException.notThere("no referee answers at " + address + ": " + text, text);
        }
        return new FairdealException(
                Kind.CONNECTION_LOST, "the session with the referee at " + address + " broke: " + text);
    }

    /** Returns the error for a stream that the referee ended without one. */
    static FairdealException completed(Settings settings, boolean isWelcomed) {
        String text = "the referee at " + settings.address() + " ended the session";
        String before = " before it welcomed the bot; check that it " + AS_IT_SHOULD_BE;
        return new FairdealException(Kind.CONNECTION_LOST, isWelcomed ? text : text + before);
    }

    /** Returns a protocol error with the address and a remedy, any other error as it is. */
    static FairdealException at(String address, FairdealException error) {
        if (error.kind() != Kind.PROTOCOL_ERROR) {
            return error;
        }
        return new FairdealException(
                error.kind(), error.getMessage() + "; check that " + address + " " + AS_IT_SHOULD_BE);
    }

    /** Returns whether a bot that plays, or one that does not, has no reason to dial again. */
    static boolean isFinal(FairdealException broken, boolean isPlaying) {
        return broken.kind() == Kind.PROTOCOL_ERROR
                || FINAL_REASONS.contains(broken.reason())
                || (broken.reason().equals("SHUTTING_DOWN") && !isPlaying);
    }

    /** Returns whether a bot that was not welcomed yet has reason to dial again: nobody is there, or too many. */
    static boolean isPassing(FairdealException broken) {
        return broken.absence() != null || BUSY_REASONS.contains(broken.reason());
    }

    /** Returns the deepest cause of a status, null where it has none. */
    private static Throwable rootCause(Status status) {
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Returns what gRPC says in one line: of what went wrong below it, the deepest cause says most. */
    private static String text(Status status) {
        String description = status.getDescription() == null ? "" : status.getDescription();
        Throwable cause = rootCause(status);
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

    /** Returns advice where a server answers, but TLS may be missing on one side, or differ. */
    static String hint(Settings settings, String why) {
        boolean hangsUp = HANGING_UP.stream().anyMatch(why::contains);
        if (settings.tls() == null) {
            return hangsUp ? "; if it speaks TLS, give ca (FAIRDEAL_CA)" : "";
        }
        if (NOBODY_THERE.stream().anyMatch(why::contains)) {
            return "";
        }
        String text = "; check FAIRDEAL_CA, and that the referee speaks TLS";
        if (hangsUp && settings.tls().cert() == null) {
            text += "; if it wants a certificate, give cert and key (FAIRDEAL_CERT, FAIRDEAL_KEY)";
        }
        return text;
    }
}
