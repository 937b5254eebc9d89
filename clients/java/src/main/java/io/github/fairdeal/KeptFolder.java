package io.github.fairdeal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A folder in which each run of a bot keeps its lines in files of its own, from its first match on. The oldest ones are
 * removed, so that all of them stay below 128 MB or little more.
 */
final class KeptFolder {
    static final long MOST_EARLIER = 96L << 20; // bytes of earlier files
    private static final long MOST_OF_A_FILE = 32L << 20; // bytes of a file that is followed by another one
    private static final int MOST_FILES = 1000;
    private static final Pattern OF_A_RUN = Pattern.compile("\\d{8}T\\d{6}Z-\\d+\\.jsonl");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Path path;
    private final Consumer<String> log;
    private boolean hasFailed;
    long mostOfAFile = MOST_OF_A_FILE;

    KeptFolder(String path, Consumer<String> log) {
        this.path = Path.of(path);
        this.log = log;
    }

    /** Returns the folder in which an entry keeps its lines if nothing is said, with a slash at the end. */
    static String usual(String entry, Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        if (!state.startsWith("/")) {
            state = environment.getOrDefault("HOME", "") + "/.local/state";
        }
        String name = entry.replaceAll("[^A-Za-z0-9_-]", "_");
        name = name.isEmpty() ? "bot" : name.substring(0, Math.min(name.length(), 100));
        return state + "/fairdeal/kept/" + name + "/";
    }

    /**
     * Returns the file for the next lines: the present one, or a new one if there is none (null) or it is long. That
     * none can be made is told once; then it is the present one.
     */
    KeptFile current(KeptFile file) {
        try {
            if (file != null && file.size() <= mostOfAFile) {
                return file;
            }
            Path next = next();
            KeptFile made = new KeptFile(next.toString(), log);
            if (file != null) {
                file.close();
            }
            log.accept("what the bot is told is kept in " + next);
            return made;
        } catch (IOException error) {
            if (!hasFailed) {
                log.accept(
                        path + "/: what the bot is told cannot be kept there (" + error
                                + "): set FAIRDEAL_KEEP to another folder, FOLDER/, or to nothing");
            }
            hasFailed = true;
            return file;
        }
    }

    private Path next() throws IOException {
        Files.createDirectories(
                path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        List<Path> runs;
        try (Stream<Path> found = Files.list(path)) {
            runs =
                    found.filter(each -> OF_A_RUN.matcher(each.getFileName().toString()).matches())
                            .sorted(Comparator.reverseOrder())
                            .toList();
        }
        long size = 0;
        for (int number = 0; number < runs.size(); number++) {
            size += runs.get(number).toFile().length(); // 0 where another process has removed it
            if (size > MOST_EARLIER || number >= MOST_FILES) {
                Files.deleteIfExists(runs.get(number));
            }
        }
        return path.resolve(TIME.format(Instant.now()) + "-" + ProcessHandle.current().pid() + ".jsonl");
    }
}
