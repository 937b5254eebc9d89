package io.github.fairdeal;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.github.fairdeal.Ledger.Promise;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The file to which a bot appends its lines, and perhaps other processes of the same bot theirs. */
final class KeptFile {
    private static final Gson GSON = new Gson();
    private static final int MOST_READ = 16 << 20; // bytes of a file that holds lines already

    private final String path;
    private final Consumer<String> log;
    private final FileOutputStream file;
    private final boolean isFile; // of a pipe nothing can be read
    private long read; // so many bytes were read
    private boolean hasFailed;

    KeptFile(String path, Consumer<String> log) throws IOException {
        this.path = path;
        this.log = log;
        this.file = new FileOutputStream(path, true);
        this.isFile = Files.isRegularFile(Path.of(path));
        this.read = isFile ? Math.max(0, Files.size(Path.of(path)) - MOST_READ) : 0;
    }

    /** Returns how long it is, in bytes. */
    long size() throws IOException {
        return file.getChannel().size();
    }

    void close() throws IOException {
        file.close();
    }

    /** Appends a line, behind one that was cut off a new one; that it cannot be is told once. */
    void write(Map<String, Object> line) {
        try {
            String begin = isCutOff() ? "\n" : "";
            file.write((begin + GSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException error) {
            if (!hasFailed) {
                log.accept("what the bot is told cannot be kept: " + error.getMessage());
            }
            hasFailed = true;
        }
    }

    /** Returns whether the last line has no end: the disk was full, or a process was killed. */
    private boolean isCutOff() throws IOException {
        if (!isFile || Files.size(Path.of(path)) == 0) {
            return false;
        }
        try (RandomAccessFile lines = new RandomAccessFile(path, "r")) {
            lines.seek(lines.length() - 1);
            return lines.read() != '\n';
        }
    }

    /**
     * Passes on what was promised in the lines that were appended since the last call, by whomever, and for which
     * epochs; at first, in the last 16 MB. What is no line of a bot, or not whole, is passed over.
     */
    void readPromises(BiConsumer<String, Promise> taker) {
        if (!isFile) {
            return;
        }
        byte[] data;
        try (RandomAccessFile lines = new RandomAccessFile(path, "r")) {
            lines.seek(read);
            data = new byte[(int) Math.max(0, Math.min(lines.length() - read, MOST_READ))];
            lines.readFully(data);
        } catch (IOException error) {
            return; // then it cannot be written either, which is told
        }
        int whole = data.length;
        while (whole > 0 && data[whole - 1] != '\n') {
            whole--;
        }
        read += whole;
        for (String text : new String(data, 0, whole, StandardCharsets.UTF_8).split("\n")) {
            readPromise(text, taker);
        }
    }

    private static void readPromise(String text, BiConsumer<String, Promise> taker) {
        Map<?, ?> line;
        try {
            line = GSON.fromJson(text, Map.class);
        } catch (JsonParseException error) {
            return;
        }
        if (line != null
                && "seated".equals(line.get("type"))
                && line.get("epoch_id") instanceof String epoch
                && line.get("scheme") instanceof String scheme
                && line.get("commit") instanceof String commit) {
            taker.accept(epoch, new Promise(scheme, commit));
        }
    }
}
