package io.github.fairdeal.bots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
    private static Arguments parse(String line, Map<String, String> environment) {
        return Arguments.parse(line.isEmpty() ? new String[0] : line.split(" "), environment);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "--speed 3, 'unrecognized argument: --speed; see --help'",
                "hearts, 'unrecognized argument: hearts; see --help'",
                "--connect, 'argument --connect: expected one argument'",
                "--seed a --matches, 'argument --matches: expected one argument'",
                "--tables many, \"argument --tables: invalid int value: 'many'\"",
                "--matches=1.5, \"argument --matches: invalid int value: '1.5'\"",
                "--reconnect-timeout soon, \"argument --reconnect-timeout: invalid float value: 'soon'\"",
                "--connect-timeout NaN, \"argument --connect-timeout: invalid float value: 'NaN'\"",
            })
    void linesThatCannotBeAreRefused(String line, String text) {
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> parse(line, Map.of()));
        assertEquals(text.replace("\"", ""), error.getMessage());
    }

    @Test
    void helpExplainsEachOption() {
        assertTrue(parse("--game hearts --help", Map.of()).isHelp());
        for (String option :
                new String[] {
                    "connect", "game", "matches", "tables", "seed", "entry", "instance", "connect-timeout",
                    "reconnect-timeout"
                }) {
            assertTrue(Arguments.HELP.contains("--" + option + " "), option);
        }
    }

    @Test
    void matchesAreTellingWhereTheAddressIsGiven() {
        assertTrue(parse("--connect=h:1", Map.of()).isTelling());
        assertTrue(!parse("", Map.of("FAIRDEAL_ADDRESS", "h:1")).isTelling());
    }
}
