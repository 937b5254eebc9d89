package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.Hello;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    private static final String TLS = "src/test/resources/tls/";

    private static Settings settle(Options options) {
        return Settings.settle(options, Map.of(), "Bot");
    }

    private static String problem(Options options) {
        FairdealException error = assertThrows(FairdealException.class, () -> settle(options));
        assertEquals(Kind.BAD_SETTING, error.kind());
        return error.getMessage();
    }

    @Test
    void everythingHasADefault() {
        Settings settings = settle(new Options());
        assertEquals("127.0.0.1:7447", settings.address());
        assertEquals("Bot", settings.entry());
        assertEquals(64, settings.tables());
        assertEquals(0, settings.matches());
        assertEquals(Duration.ofSeconds(30), settings.connectTimeout());
        assertEquals(Duration.ofSeconds(60), settings.reconnectTimeout());
        assertNull(settings.tls());
    }

    @Test
    void whatIsNotSetComesFromTheEnvironment() {
        Map<String, String> environment =
                Map.of(
                        "FAIRDEAL_ADDRESS", "unix:/s",
                        "FAIRDEAL_TOKEN", "t",
                        "FAIRDEAL_ENTRY", "e",
                        "FAIRDEAL_INSTANCE", "i",
                        "FAIRDEAL_SEED", "s",
                        "FAIRDEAL_KEEP", "k",
                        "FAIRDEAL_CA", TLS + "rsa.pem",
                        "FAIRDEAL_CERT", TLS + "bot.pem",
                        "FAIRDEAL_KEY", TLS + "bot-key.pem");
        Settings found = Settings.settle(new Options(), environment, "Bot");
        assertEquals(
                List.of("unix:/s", "t", "e", "i", "s", "k"),
                List.of(found.address(), found.token(), found.entry(), found.instance(), found.seed(), found.keep()));
        assertNotNull(found.tls().cert());
        Options given = new Options().address("h:1").token("T").entry("E").instance("I").seed("S").keep("K").ca("");
        Settings set = Settings.settle(given.cert("").key(""), environment, "Bot");
        assertEquals(
                List.of("h:1", "T", "E", "I", "S", "K"),
                List.of(set.address(), set.token(), set.entry(), set.instance(), set.seed(), set.keep()));
        assertNull(set.tls());
    }

    @Test
    void whatTheBotIsToldIsKeptInAFolderOfTheUserUnlessAnotherIsSet() {
        assertEquals("/home/ann/.local/state/fairdeal/kept/bot/", keep("bot", Map.of("HOME", "/home/ann")));
        assertEquals("/s/fairdeal/kept/bot/", keep("bot", Map.of("HOME", "/h", "XDG_STATE_HOME", "/s")));
        assertEquals("/h/.local/state/fairdeal/kept/bot/", keep("bot", Map.of("HOME", "/h", "XDG_STATE_HOME", "s")));
        assertEquals("/h/.local/state/fairdeal/kept/___a_b/", keep("../a b", Map.of("HOME", "/h")));
        assertEquals("/.local/state/fairdeal/kept/bot/", keep("", Map.of()));
        assertEquals("", keep("bot", Map.of("HOME", "/h", "FAIRDEAL_KEEP", "")));
    }

    private static String keep(String entry, Map<String, String> environment) {
        return Settings.settle(new Options().entry(entry), environment, "Bot").keep();
    }

    @Test
    void theHelloSaysWhoPlaysWhat() {
        Options options = new Options().entry("e").instance("i").games("hearts", "piquet").tables(3).matches(7);
        Hello hello =
                Hello.newBuilder()
                        .addVersions(1)
                        .setEntry("e")
                        .setInstance("i")
                        .addGames("hearts")
                        .addGames("piquet")
                        .setTables(3)
                        .setMatches(7)
                        .setEvents(true)
                        .setAgent("fairdeal-java/0.1.0")
                        .setRedirects(true)
                        .build();
        assertEquals(hello, settle(options).hello(true));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:1, 127.0.0.1, 1, true",
        "[::1]:65535, ::1, 65535, true",
        "h.example:7447, h.example, 7447, false"
    })
    void addressesAreHostAndPort(String address, String host, int port, boolean isLoopback) {
        Settings settings = settle(new Options().address(address));
        assertEquals(host, settings.host());
        assertEquals(port, settings.port());
        assertEquals(isLoopback, settings.isLoopback());
    }

    @Test
    void theTokenIsNotWrittenOut() {
        String text = settle(new Options().address("h:1").entry("e").token("secret")).toString();
        assertTrue(text.contains("h:1") && text.contains("'e'"), text);
        assertFalse(text.contains("secret"), text);
    }

    @Test
    void unixAddressesArePaths() {
        Settings settings = settle(new Options().address("unix:/a/b"));
        assertTrue(settings.isUnix());
        assertEquals("/a/b", settings.path());
    }

    @ParameterizedTest
    @CsvSource({
        "nowhere", "h:", ":1", ":0", "h:1x", "h:-1", "unix:",
        "my_referee:7447", "a b:1", "ünï:1", "%zz:1", "[::1:1", "[]:1"
    })
    void addressesThatCannotBeAreRefused(String address) {
        assertEquals(
                "address '" + address + "': must be HOST:PORT or unix:/PATH",
                problem(new Options().address(address)));
    }

    @ParameterizedTest
    @CsvSource({"h:0", "h:65536", "h:99999", "[::1]:999999999999"})
    void portsThatCannotBeAreRefused(String address) {
        assertEquals(
                "address '" + address + "': the port must be 1 to 65535",
                problem(new Options().address(address)));
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                Arguments.of(
                        new Options().address(""),
                        "the address is empty: give one, such as 127.0.0.1:7447 or unix:/path"),
                Arguments.of(new Options().tables(0), "tables 0: must be 1 or more"),
                Arguments.of(new Options().matches(-1), "matches -1: must be 0, for no limit, or more"),
                Arguments.of(new Options().token("tö"), "token: must be printable ASCII"),
                Arguments.of(new Options().token("a\nb"), "token: must be printable ASCII"),
                Arguments.of(new Options().seed("ü"), "seed 'ü': must be ASCII"),
                Arguments.of(
                        new Options().connectTimeout(Duration.ofSeconds(-1)),
                        "connect timeout -1 s: must be 0, to try once, or more"),
                Arguments.of(
                        new Options().reconnectTimeout(Duration.ofMillis(-500)),
                        "reconnect timeout -0.5 s: must be 0, for never, or more"));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void settingsThatCannotBeAreRefused(Options options, String text) {
        assertEquals(text, problem(options));
    }

    @ParameterizedTest
    @CsvSource({"bot", "rsa"})
    void certificatesHaveTheirKeys(String name) {
        Options options = new Options().ca(TLS + "rsa.pem").cert(TLS + name + ".pem").key(TLS + name + "-key.pem");
        assertNotNull(settle(options).tls().key());
    }

    static Stream<Arguments> files() {
        String pair = "are not a certificate and its key in PEM, without a password";
        return Stream.of(
                Arguments.of("nowhere", "", "", "CA file nowhere: No such file or directory"),
                Arguments.of("bot-key.pem", "", "", "CA file bot-key.pem: holds no certificates in PEM"),
                Arguments.of("bot.der", "", "", "CA file bot.der: holds no certificates in PEM"),
                Arguments.of(
                        "bot.pem", "bot.pem", "", "cert bot.pem: its key is missing; give it as key or FAIRDEAL_KEY"),
                Arguments.of(
                        "bot.pem", "", "bot-key.pem",
                        "key bot-key.pem: its certificate is missing; give it as cert or FAIRDEAL_CERT"),
                Arguments.of(
                        "", "bot.pem", "bot-key.pem",
                        "cert bot.pem: the certificates to trust are missing; give them as ca or FAIRDEAL_CA"),
                Arguments.of("bot.pem", "nowhere", "bot-key.pem", "cert file nowhere: No such file or directory"),
                Arguments.of("bot.pem", "bot.pem", "nowhere", "key file nowhere: No such file or directory"),
                Arguments.of("bot.pem", "bot.pem", "other-key.pem", pair),
                Arguments.of("bot.pem", "bot.pem", "rsa-key.pem", pair),
                Arguments.of("rsa.pem", "rsa.pem", "bot-key.pem", pair),
                Arguments.of("bot.pem", "bot.pem", "bot.pem", pair),
                Arguments.of("bot.pem", "bot-key.pem", "bot-key.pem", pair),
                Arguments.of("bot.pem", "locked.pem", "locked-key.pem", pair));
    }

    @ParameterizedTest
    @MethodSource("files")
    void filesThatCannotBeAreRefused(String ca, String cert, String key, String text) {
        String found = problem(new Options().ca(in(ca)).cert(in(cert)).key(in(key))).replace(TLS, "");
        assertTrue(found.endsWith(text), found);
    }

    private static String in(String file) {
        return file.isEmpty() ? "" : TLS + file;
    }
}
