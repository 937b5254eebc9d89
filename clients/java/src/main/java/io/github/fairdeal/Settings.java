package io.github.fairdeal;

import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.Hello;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What was set, else what the environment says, else the default; checked. A null {@code tls} means none. */
record Settings(
        String address,
        String token,
        String entry,
        String instance,
        List<String> games,
        int tables,
        int matches,
        String seed,
        String keep,
        boolean playForced,
        Tls tls,
        Duration connectTimeout,
        Duration reconnectTimeout) {
    static final String DEFAULT_ADDRESS = "127.0.0.1:7447"; // where `fairdeal serve` listens
    private static final String UNIX = "unix:";
    private static final List<String> LOOPBACK = List.of("127.0.0.1", "[::1]", "localhost");
    private static final String AGENT = "fairdeal-java/0.1.0";

    /**
     * Returns the settings; {@code name} is the bot's own, used when no entry is set.
     *
     * @throws FairdealException one of them is invalid; the text names it
     */
    static Settings settle(Options options, Map<String, String> environment, String name) {
        Tls tls =
                Tls.load(
                        found(options.ca, environment, "FAIRDEAL_CA", ""),
                        found(options.cert, environment, "FAIRDEAL_CERT", ""),
                        found(options.key, environment, "FAIRDEAL_KEY", ""));
        String entry = found(options.entry, environment, "FAIRDEAL_ENTRY", name);
        Settings settings =
                new Settings(
                        found(options.address, environment, "FAIRDEAL_ADDRESS", DEFAULT_ADDRESS),
                        found(options.token, environment, "FAIRDEAL_TOKEN", ""),
                        entry,
                        found(options.instance, environment, "FAIRDEAL_INSTANCE", ""),
                        options.games,
                        options.tables,
                        options.matches,
                        found(options.seed, environment, "FAIRDEAL_SEED", ""),
                        found(options.keep, environment, "FAIRDEAL_KEEP", KeptFolder.usual(entry, environment)),
                        options.playForced,
                        tls,
                        options.connectTimeout,
                        options.reconnectTimeout);
        String problem = settings.problem();
        if (problem != null) {
            throw new FairdealException(Kind.BAD_SETTING, problem);
        }
        return settings;
    }

    /** Returns the same settings where a referee sends the bot; empty: where these are. */
    Settings sentTo(String place) {
        String there = place.startsWith(":") ? address.substring(0, address.lastIndexOf(':')) + place : place;
        return new Settings(
                there.isEmpty() ? address : there,
                token,
                entry,
                instance,
                games,
                tables,
                matches,
                seed,
                keep,
                playForced,
                tls,
                connectTimeout,
                reconnectTimeout);
    }

    /** Returns the message that opens a session. */
    Hello hello(boolean events) {
        return Hello.newBuilder()
                .addVersions(Session.VERSION)
                .setEntry(entry)
                .setInstance(instance)
                .addAllGames(games)
                .setTables(tables)
                .setMatches(matches)
                .setEvents(events)
                .setAgent(AGENT)
                .setRedirects(true)
                .build();
    }

    boolean isUnix() {
        return address.startsWith(UNIX);
    }

    /** Returns the path of a `unix:` address. */
    String path() {
        return address.substring(UNIX.length());
    }

    /** Returns the host of another address, without the brackets of IPv6. */
    String host() {
        String host = address.substring(0, address.lastIndexOf(':'));
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    int port() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    boolean isLoopback() {
        return !isUnix() && LOOPBACK.contains(address.substring(0, address.lastIndexOf(':')));
    }

    /** Returns who plays where; without the token, which is secret. */
    @Override
    public String toString() {
        return "Settings[" + address + ", entry '" + entry + "', instance '" + instance + "']";
    }

    static boolean isAscii(String text) {
        return text.chars().allMatch(character -> character < 128);
    }

    private static String found(String given, Map<String, String> environment, String variable, String byDefault) {
        return given == null ? environment.getOrDefault(variable, byDefault) : given;
    }

    private String problem() {
        if (address.isEmpty()) {
            return "the address is empty: give one, such as " + DEFAULT_ADDRESS + " or unix:/path";
        }
        String ofAddress = problemOfAddress();
        if (ofAddress != null) {
            return "address '" + address + "': " + ofAddress;
        }
        if (tables < 1) {
            return "tables " + tables + ": must be 1 or more";
        }
        if (matches < 0) {
            return "matches " + matches + ": must be 0, for no limit, or more";
        }
        if (connectTimeout.isNegative()) {
            return "connect timeout " + Durations.text(connectTimeout) + ": must be 0, to try once, or more";
        }
        if (reconnectTimeout.isNegative()) {
            return "reconnect timeout " + Durations.text(reconnectTimeout) + ": must be 0, for never, or more";
        }
        if (!token.chars().allMatch(character -> character >= ' ' && character <= '~')) {
            return "token: must be printable ASCII";
        }
        if (!isAscii(seed)) {
            return "seed '" + seed + "': must be ASCII";
        }
        return null;
    }

    private String problemOfAddress() {
        if (isUnix() && address.length() > UNIX.length()) {
            return null;
        }
        int colon = address.lastIndexOf(':');
        String port = address.substring(colon + 1);
        if (isUnix() || colon < 1 || !port.matches("[0-9]+") || !isHost(host())) {
            return "must be HOST:PORT or unix:/PATH";
        }
        boolean isPort = port.length() <= 5 && Integer.parseInt(port) > 0 && Integer.parseInt(port) < 65536;
        return isPort ? null : "the port must be 1 to 65535";
    }

    /** Returns whether gRPC takes a name for a host: it makes a URI of it, and throws where that cannot be. */
    private static boolean isHost(String host) {
        try {
            new URI(null, null, host, 1, null, null, null);
            return true;
        } catch (URISyntaxException error) {
            return false;
        }
    }
}
