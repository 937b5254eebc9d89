package io.github.fairdeal;

import java.time.Duration;
import java.util.List;

/**
 * Where and how a bot plays; what is not set comes from the environment, as hosted bots find it, or is the default.
 *
 * <pre>{@code new Options().address("127.0.0.1:7447").games("hearts").matches(10)}</pre>
 */
public final class Options {
    String address;
    String token;
    String entry;
    String instance;
    List<String> games = List.of();
    int tables = 64;
    int matches;
    String seed;
    String ca;
    String cert;
    String key;
    String keep;
    boolean playForced;
    Duration connectTimeout = Duration.ofSeconds(30);
    Duration reconnectTimeout = Duration.ofSeconds(60);

    /** Sets the referee's address, {@code host:port} or {@code unix:/path}; else FAIRDEAL_ADDRESS, 127.0.0.1:7447. */
    public Options address(String address) {
        this.address = address;
        return this;
    }

    /** Sets the token; else FAIRDEAL_TOKEN, none. */
    public Options token(String token) {
        this.token = token;
        return this;
    }

    /** Sets the entry that plays; else FAIRDEAL_ENTRY, the name of the bot's class. */
    public Options entry(String entry) {
        this.entry = entry;
        return this;
    }

    /** Sets what tells several sessions of one entry apart; else FAIRDEAL_INSTANCE, nothing. */
    public Options instance(String instance) {
        this.instance = instance;
        return this;
    }

    /** Sets the games that the bot plays; else every game. */
    public Options games(String... games) {
        this.games = List.of(games);
        return this;
    }

    /** Sets how many tables the bot plays at once; else 64. */
    public Options tables(int tables) {
        this.tables = tables;
        return this;
    }

    /** Sets after how many matches the bot leaves; else, and with 0, never. */
    public Options matches(int matches) {
        this.matches = matches;
        return this;
    }

    /** Sets what {@link Decision#chance} draws from; else FAIRDEAL_SEED, the empty text. */
    public Options seed(String seed) {
        this.seed = seed;
        return this;
    }

    /** Sets a file with the certificates to trust, which turns TLS on; else FAIRDEAL_CA, none. */
    public Options ca(String file) {
        this.ca = file;
        return this;
    }

    /** Sets a file with the bot's own certificate, for mutual TLS; else FAIRDEAL_CERT, none. */
    public Options cert(String file) {
        this.cert = file;
        return this;
    }

    /** Sets a file with the certificate's key; else FAIRDEAL_KEY, none. */
    public Options key(String file) {
        this.key = file;
        return this;
    }

    /**
     * Sets a file to which lines are appended that show afterwards what the bot was told and answered, or with a slash
     * at the end a folder of such files; empty: none. Else FAIRDEAL_KEEP, ~/.local/state/fairdeal/kept/ENTRY/.
     */
    public Options keep(String file) {
        this.keep = file;
        return this;
    }

    /** Sets whether what has one legal answer is played without a call of {@link Bot#act}; else it is not. */
    public Options playForced(boolean playForced) {
        this.playForced = playForced;
        return this;
    }

    /** Sets how long to wait for the referee at first; else 30 seconds. */
    public Options connectTimeout(Duration timeout) {
        this.connectTimeout = timeout;
        return this;
    }

    /** Sets how long to dial a lost referee again, zero for never; else 60 seconds. */
    public Options reconnectTimeout(Duration timeout) {
        this.reconnectTimeout = timeout;
        return this;
    }
}
