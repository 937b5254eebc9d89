package io.github.fairdeal;

import com.google.protobuf.ByteString;
import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.CloseReason;
import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Combination;
import io.github.fairdeal.v1.Commitment;
import io.github.fairdeal.v1.Fault;
import io.github.fairdeal.v1.Finished;
import io.github.fairdeal.v1.Seated;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Keeps what one bot is told and says, so that it can be shown afterwards, and reports what breaks the referee's word;
 * without a file only the latter. docs/bots.md says what a line holds and how the digest is made.
 */
final class Ledger {
    private static final String PIPES_OF_THE_HOST = "/dev/fd/";
    private static final Set<String> SCHEMES = Set.of("fairdeal/1", "fairdeal/2");
    private static final int EPOCHS = 10_000; // that are remembered

    private final Consumer<String> log;
    private final KeptFolder folder; // where files are made, null: nowhere
    private KeptFile file; // null: none
    private final Map<String, Kept> matches = new HashMap<>();
    private final Map<String, Promise> epochs = new LinkedHashMap<>();

    /** What was committed to for an epoch. */
    record Promise(String scheme, String commit) {}

    /** What is kept of a match that is being played. */
    private static final class Kept {
        final Seated seated;
        final MessageDigest digest = sha256();
        final List<int[]> missed = new ArrayList<>(); // first and last of decisions that were not told
        final List<Integer> unknown = new ArrayList<>(); // decisions of whose end nothing was told
        int last; // the decision that was told last
        boolean isOpen;

        Kept(Seated seated) {
            this.seated = seated;
        }
    }

    private Ledger(Consumer<String> log, KeptFile file) {
        this.log = log;
        this.file = file;
        this.folder = null;
    }

    /** Makes one that keeps its lines in files of a folder. */
    Ledger(Consumer<String> log, KeptFolder folder) {
        this.log = log;
        this.folder = folder;
    }

    /**
     * Returns the ledger of the setting {@code keep}: a file, a folder with a slash at the end, or "" for none.
     *
     * @throws FairdealException the file cannot be written
     */
    static Ledger open(String keep, Consumer<String> log) {
        if (keep.isEmpty()) {
            return new Ledger(log, (KeptFile) null);
        }
        if (keep.endsWith("/")) {
            return new Ledger(log, new KeptFolder(keep, log));
        }
        if (keep.startsWith(PIPES_OF_THE_HOST) && !isPipe(keep)) {
            log.accept(keep + " (FAIRDEAL_KEEP) is not there: what the bot is told is not kept");
            return new Ledger(log, (KeptFile) null);
        }
        try {
            return new Ledger(log, new KeptFile(keep, log));
        } catch (IOException error) {
            throw new FairdealException(Kind.BAD_SETTING, "keep (FAIRDEAL_KEEP) " + error.getMessage());
        }
    }


    /** Takes a seat, or the same seat again. */
    void seated(Seated message) {
        Commitment told = message.getCommitment();
        if (folder != null) {
            file = folder.current(file);
        }
        if (file != null) {
            file.readPromises(this::promised);
        }
        Promise now = new Promise(told.getScheme(), hex(told.getCommit()));
        Promise first = promised(told.getEpochId(), now);
        if (!told.getEpochId().isEmpty() && !first.equals(now)) {
            breach(
                    message,
                    "epoch " + told.getEpochId() + " has another commitment than before: " + now.commit
                            + ", it was " + first.commit);
        }
        Kept known = matches.get(message.getMatchId());
        if (known != null && known.seated.getAttempt() == message.getAttempt()) {
            Commitment before = known.seated.getCommitment();
            if (!before.equals(told)) {
                breach(
                        message,
                        "its manifest is another than before: " + hex(told.getManifest()) + ", it was "
                                + hex(before.getManifest()));
            }
            return;
        }
        known = new Kept(message);
        known.digest.update(
                enc(
                        utf8("fairdeal/told/1"),
                        utf8(message.getMatchId()),
                        u32be(message.getAttempt()),
                        u32be(message.getSeatValue() - 1),
                        told.getManifest().toByteArray()));
        matches.put(message.getMatchId(), known);
        write("seated", message, Map.of());
    }

    /** Takes a decision that is told for the first time. */
    void asked(io.github.fairdeal.v1.Decision message) {
        Kept known = matches.get(message.getMatchId());
        if (known == null || file == null) {
            return;
        }
        if (known.isOpen) {
            known.unknown.add(known.last);
        }
        if (message.getDecisionId() > known.last + 1) {
            known.missed.add(new int[] {known.last + 1, message.getDecisionId() - 1});
        }
        known.last = message.getDecisionId();
        known.isOpen = true;
        known.digest.update(enc(utf8("asked"), message.toByteArray()));
    }

    /** Takes the end of a decision, with what the bot had answered to it; null: nothing. */
    void closed(Closed message, io.github.fairdeal.v1.Answer answer) {
        Kept known = matches.get(message.getMatchId());
        if (known == null || !known.isOpen || message.getDecisionId() != known.last) {
            return;
        }
        known.isOpen = false;
        boolean wasRead =
                message.getReason() == CloseReason.CLOSE_REASON_ANSWERED || message.getFault() == Fault.FAULT_ILLEGAL;
        if (!wasRead) {
            byte[] numbers = {(byte) message.getReasonValue(), (byte) message.getFaultValue()};
            known.digest.update(enc(utf8("closed"), numbers));
        } else if (answer == null) {
            known.unknown.add(known.last);
        } else {
            known.digest.update(enc(utf8("answered"), canonical(answer)));
        }
    }

    /** Takes the end of a match, and checks what is revealed. */
    void finished(Finished message) {
        Kept known = matches.remove(message.getMatchId());
        if (known == null) {
            return;
        }
        if (known.isOpen) {
            known.unknown.add(known.last);
        }
        Commitment told = known.seated.getCommitment();
        ByteString secret = message.getSecret();
        if (!secret.isEmpty() && SCHEMES.contains(told.getScheme())) {
            byte[] opening = enc(utf8("fairdeal/1/commit"), utf8(told.getEpochId()), secret.toByteArray());
            if (!Arrays.equals(sha256().digest(opening), told.getCommit().toByteArray())) {
                breach(known.seated, "what it reveals does not open its commitment");
            }
        }
        Map<String, Object> end = new LinkedHashMap<>();
        String termination = Names.of(message.getTermination(), "TERMINATION_", message.getTerminationValue());
        end.put("termination", termination.toLowerCase(Locale.ROOT));
        end.put("ranks", message.getRanksList());
        end.put("scores", message.getScoresList());
        end.put("secret", hex(secret));
        end.put("told", HexFormat.of().formatHex(known.digest.digest()));
        end.put("decisions", known.last);
        end.put("missed", known.missed);
        end.put("unknown", known.unknown);
        write("finished", known.seated, end);
    }

    /** Drops a match that the referee does not know any more. */
    void forgotten(String matchId) {
        matches.remove(matchId);
    }

    /** Returns what was promised first for an epoch, perhaps now. */
    private Promise promised(String epoch, Promise now) {
        Promise first = epochs.putIfAbsent(epoch, now);
        if (epochs.size() > EPOCHS) {
            epochs.remove(epochs.keySet().iterator().next());
        }
        return first == null ? now : first;
    }

    private void breach(Seated seated, String what) {
        log.accept(
                "BREACH by the referee in match " + seated.getMatchId() + ", attempt " + seated.getAttempt() + ": "
                        + what + "; keep this and show it to the organiser");
        write("breach", seated, Map.of("breach", what));
    }

    private void write(String type, Seated seated, Map<String, Object> more) {
        if (file == null) {
            return;
        }
        Commitment told = seated.getCommitment();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", type);
        line.put("match_id", seated.getMatchId());
        line.put("attempt", seated.getAttempt());
        line.put("game", seated.getGame());
        line.put("seat", seated.getSeatValue() - 1);
        line.put("entries", seated.getEntriesList());
        line.put("scheme", told.getScheme());
        line.put("epoch_id", told.getEpochId());
        line.put("commit", hex(told.getCommit()));
        line.put("manifest", hex(told.getManifest()));
        line.putAll(more);
        file.write(line);
    }

    private static boolean isPipe(String path) {
        Path found = Path.of(path);
        return Files.exists(found) && !Files.isRegularFile(found) && !Files.isDirectory(found);
    }

    /** Returns the bytes of an answer without its note and with what has no order put in order. */
    private static byte[] canonical(io.github.fairdeal.v1.Answer answer) {
        io.github.fairdeal.v1.Answer.Builder ordered = answer.toBuilder().clearNote();
        if (answer.hasAction()) {
            Action.Builder action = ordered.getActionBuilder();
            switch (action.getKindCase()) {
                case CHOOSE_CARDS -> {
                    List<Integer> cards = new ArrayList<>(action.getChooseCards().getCardsValueList());
                    cards.sort(null);
                    action.getChooseCardsBuilder().clearCards().addAllCardsValue(cards);
                }
                case CHOOSE_COMBINATIONS -> {
                    List<Combination> chosen = new ArrayList<>(action.getChooseCombinations().getCombinationsList());
                    chosen.sort((one, other) -> Arrays.compareUnsigned(one.toByteArray(), other.toByteArray()));
                    action.getChooseCombinationsBuilder().clearCombinations().addAllCombinations(chosen);
                }
                default -> {}
            }
        }
        return ordered.build().toByteArray();
    }

    /** Returns items one after the other, each preceded by its length. */
    private static byte[] enc(byte[]... items) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(items).mapToInt(item -> Integer.BYTES + item.length).sum());
        for (byte[] item : items) {
            all.putInt(item.length).put(item);
        }
        return all.array();
    }

    private static byte[] u32be(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException error) {
            throw new AssertionError("every Java has SHA-256", error);
        }
    }
}
