package io.github.fairdeal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a bot draws for one decision: the same seed gives the same match, in any language.
 *
 * <p>Each decision has a generator of its own, so that nothing a bot draws depends on what it drew before or on other
 * tables. With {@code enc(x1..xk)} = for each item its length as four bytes, big-endian, then its bytes, and {@code
 * u32be} = a number as four bytes, big-endian, texts in ASCII:
 *
 * <pre>block j = SHA-256(enc("fairdeal/1/bot", seed, match id, u32be(seat), u32be(decision id), u32be(j)))</pre>
 *
 * <p>The blocks j = 0, 1, ... make one row of bytes, used in order; all else is made of {@link #draw}.
 */
public final class Chance {
    private static final int PARTS = 1_000_000;
    private static final long MOST = 1L << 32;

    private final MessageDigest sha256;
    private final byte[] prefix;
    private int blocks;
    private byte[] block = new byte[0];
    private int used;

    /**
     * Makes the generator of one decision; {@code seat} counts from 0, {@code decisionId} is the referee's.
     *
     * @throws IllegalArgumentException seed or match id is not ASCII
     */
    public Chance(String seed, String matchId, int seat, int decisionId) {
        ByteArrayOutputStream items = new ByteArrayOutputStream();
        for (String text : List.of("fairdeal/1/bot", seed, matchId)) {
            byte[] item = ascii(text);
            items.writeBytes(u32be(item.length));
            items.writeBytes(item);
        }
        for (int number : new int[] {seat, decisionId}) {
            items.writeBytes(u32be(Integer.BYTES));
            items.writeBytes(u32be(number));
        }
        items.writeBytes(u32be(Integer.BYTES));
        this.prefix = items.toByteArray();
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException error) {
            throw new AssertionError("every Java has SHA-256", error);
        }
    }

    /**
     * Returns one of 0 .. n-1, all equally likely: one byte where n is at most 256 and four, big-endian, above, taken
     * again until the number is below the greatest multiple of n, modulo n. n = 1 takes no byte.
     *
     * @throws IllegalArgumentException n is not 1 to 2^32
     */
    public long draw(long n) {
        if (n < 1 || n > MOST) {
            throw new IllegalArgumentException("cannot draw one of " + n + ": must be one of 1 to 2^32");
        }
        if (n == 1) {
            return 0;
        }
        int size = n <= 256 ? 1 : 4;
        long space = size == 1 ? 256 : MOST;
        long limit = space - space % n; // numbers from here on would make the low results come up too often
        long number = take(size);
        while (number >= limit) {
            number = take(size);
        }
        return number % n;
    }

    /**
     * Returns one of the items.
     *
     * @throws IllegalArgumentException there are none
     */
    public <T> T choice(List<T> items) {
        return items.get((int) draw(items.size()));
    }

    /**
     * Returns {@code minimum} to {@code maximum} of the items: first the count is drawn, then one after the other is
     * taken out of what remains, which stays in its order.
     *
     * @throws IllegalArgumentException the bounds do not fit the number of items
     */
    public <T> List<T> choose(List<T> items, int minimum, int maximum) {
        if (minimum < 0 || minimum > maximum || maximum > items.size()) {
            throw new IllegalArgumentException(
                    "cannot choose " + minimum + " to " + maximum + " of " + items.size() + " items");
        }
        int count = minimum + (int) draw(maximum - minimum + 1L);
        List<T> remaining = new ArrayList<>(items);
        List<T> chosen = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            chosen.add(remaining.remove((int) draw(remaining.size())));
        }
        return chosen;
    }

    /**
     * Returns whether something of this probability happens: draw(1,000,000) is below it in millionths, halves rounded
     * to even.
     *
     * @throws IllegalArgumentException the probability is not 0 to 1
     */
    public boolean happens(double probability) {
        if (!(0 <= probability && probability <= 1)) {
            throw new IllegalArgumentException(probability + " is not a probability: must be 0 to 1");
        }
        return draw(PARTS) < (long) Math.rint(probability * PARTS);
    }

    private long take(int size) {
        long number = 0;
        for (int i = 0; i < size; i++) {
            if (used == block.length) {
                sha256.update(prefix);
                block = sha256.digest(u32be(blocks++));
                used = 0;
            }
            number = number << 8 | block[used++] & 0xff;
        }
        return number;
    }

    private static byte[] ascii(String text) {
        if (!Settings.isAscii(text)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not ASCII: a bot's seed and match ids are ASCII texts");
        }
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] u32be(int n) {
        return new byte[] {(byte) (n >>> 24), (byte) (n >>> 16), (byte) (n >>> 8), (byte) n};
    }
}
