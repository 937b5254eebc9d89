package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.fairdeal.FairdealException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndingsTest {
    @ParameterizedTest
    @CsvSource({
        "MISSING_TOKEN, true, true",
        "WRONG_SEAT, true, true",
        "WRONG_ROLE, true, true",
        "ENDED_BY_ORGANISER, true, true",
        "UNSUPPORTED_VERSION, true, true",
        "PROTOCOL_VIOLATION, true, true",
        "MESSAGE_TOO_LARGE, true, true",
        "REPLACED, true, true",
        "SHUTTING_DOWN, false, true",
        "TOO_SLOW, false, false",
        "'', false, false"
    })
    void onlyWhatAnotherAttemptCannotMendIsFinal(String reason, boolean whilePlaying, boolean otherwise) {
        FairdealException broken = FairdealException.rejected("text", reason, "");
        assertEquals(whilePlaying, Endings.isFinal(broken, true));
        assertEquals(otherwise, Endings.isFinal(broken, false));
    }

    @Test
    void whatMakesNoSenseIsFinalAndSaysWhatToLookAt() {
        FairdealException nonsense = new FairdealException(Kind.PROTOCOL_ERROR, "text");
        assertEquals(true, Endings.isFinal(nonsense, true));
        assertEquals(
                "text; check that a:1 is a referee of the same version of fairdeal",
                Endings.at("a:1", nonsense).getMessage());
        FairdealException rejected = FairdealException.rejected("text", "IDLE", "");
        assertEquals(rejected, Endings.at("a:1", rejected));
    }

    @Test
    void whatTheRefereeDidNotEndIsNotFinal() {
        FairdealException broken = new FairdealException(Kind.CONNECTION_LOST, "text");
        assertEquals(false, Endings.isFinal(broken, true));
        assertEquals(false, Endings.isFinal(broken, false));
    }
}
