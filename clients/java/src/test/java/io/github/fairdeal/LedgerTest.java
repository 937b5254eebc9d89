package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.PlayResponse;
import io.github.fairdeal.v1.Seated;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LedgerTest {
    private static final Path VECTORS = Path.of("../../tests/data/kept_vectors.json");

    private final List<String> logged = new ArrayList<>();

    static List<JsonElement> cases() throws IOException {
        return JsonParser.parseString(Files.readString(VECTORS)).getAsJsonObject().getAsJsonArray("cases").asList();
    }

    /** A process of a bot, which answers what it is told to. */
    private static final class Process {
        private final Session session;
        private Decision asked;

        Process(String keep, Consumer<String> log) {
            session = new Session(Tell.hello(), "", Ledger.open(keep, log));
        }

        void take(JsonObject step) throws IOException {
            if (step.has("hears")) {
                for (Update update : session.receive(PlayResponse.parseFrom(bytes(step.get("hears"))))) {
                    if (update.decision() != null) {
                        asked = update.decision();
                    }
                }
            } else if (step.has("answers")) {
                var answer = io.github.fairdeal.v1.Answer.parseFrom(bytes(step.get("answers")));
                boolean isAction = answer.hasAction();
                session.answer(asked, isAction ? Answer.action(answer.getAction()) : Answer.index(answer.getIndex()));
            } else {
                session.rejoin();
            }
        }

        private static byte[] bytes(JsonElement hex) {
            return HexFormat.of().parseHex(hex.getAsString());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void linesAreWhatTheVectorsSay(JsonElement vector, @TempDir Path folder) throws IOException {
        JsonObject story = vector.getAsJsonObject();
        Path path = Files.createFile(folder.resolve("kept.jsonl"));
        String keep = story.get("keeps").getAsBoolean() ? path.toString() : "";
        Map<Integer, Process> processes = new HashMap<>();
        for (JsonElement each : story.getAsJsonArray("steps")) {
            JsonObject step = each.getAsJsonObject();
            if (step.has("appends")) {
                Files.writeString(path, step.get("appends").getAsString(), StandardOpenOption.APPEND);
            } else {
                int number = step.get("process").getAsInt();
                processes.computeIfAbsent(number, none -> new Process(keep, logged::add)).take(step);
            }
        }
        JsonArray lines = new JsonArray();
        Files.readAllLines(path).forEach(text -> addLine(text, lines));
        assertEquals(story.get("lines"), lines, story.get("name")::getAsString);
        JsonArray log = new JsonArray();
        logged.forEach(log::add);
        assertEquals(story.get("logged"), log, story.get("name")::getAsString);
    }

    private static void addLine(String text, JsonArray lines) {
        try {
            JsonElement line = JsonParser.parseString(text);
            if (line.isJsonObject() && line.getAsJsonObject().has("match_id")) {
                lines.add(line);
            }
        } catch (JsonParseException none) {
            // what is no line of a bot
        }
    }

    @Test
    void aFileThatCannotBeWrittenIsABadSetting() {
        FairdealException error =
                assertThrows(FairdealException.class, () -> Ledger.open("/nowhere/kept.jsonl", logged::add));
        assertEquals(Kind.BAD_SETTING, error.kind());
        assertEquals("keep (FAIRDEAL_KEEP) /nowhere/kept.jsonl (No such file or directory)", error.getMessage());
    }

    @Test
    void aPipeOfTheHostThatIsNotThereIsToldOf() {
        Ledger.open("/dev/fd/987", logged::add);
        assertEquals(
                List.of("/dev/fd/987 (FAIRDEAL_KEEP) is not there: what the bot is told is not kept"), logged);
    }

    @Test
    void thatLinesCannotBeKeptIsToldOnce() {
        Ledger ledger = Ledger.open("/dev/full", logged::add);
        ledger.seated(Seated.newBuilder().setMatchId("m1").build());
        ledger.seated(Seated.newBuilder().setMatchId("m2").build());
        assertEquals(List.of("what the bot is told cannot be kept: No space left on device"), logged);
    }

    private static List<String> namesIn(Path folder) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aFolderHasAFileForEachRunAndAnotherOneWhenThatIsLong(@TempDir Path folder) throws IOException {
        Path kept = folder.resolve("state").resolve("kept");
        KeptFolder files = new KeptFolder(kept.toString(), logged::add);
        Ledger ledger = new Ledger(logged::add, files);
        assertFalse(Files.exists(kept));
        ledger.seated(Seated.newBuilder().setMatchId("m1").build());
        ledger.seated(Seated.newBuilder().setMatchId("m2").build());
        Path file = kept.resolve(namesIn(kept).get(0));
        assertTrue(file.getFileName().toString().matches("\\d{8}T\\d{6}Z-\\d+\\.jsonl"));
        assertEquals(List.of("what the bot is told is kept in " + file), logged);
        assertEquals(2, Files.readAllLines(file).size());
        String first = "19700101T000000Z-1.jsonl"; // as if it were of another second
        Files.move(file, kept.resolve(first));
        files.mostOfAFile = 5;
        ledger.seated(Seated.newBuilder().setMatchId("m3").build());
        assertEquals(2, namesIn(kept).size());
        assertEquals(first, namesIn(kept).get(0));
    }

    @Test
    void theOldestFilesOfRunsAreRemoved(@TempDir Path folder) throws IOException {
        Map<String, Long> sizes =
                Map.of(
                        "notes.jsonl", 0L,
                        "20260101T120000Z-77.jsonl", 10L,
                        "20260103T120000Z-100.jsonl", KeptFolder.MOST_EARLIER);
        for (Map.Entry<String, Long> each : sizes.entrySet()) {
            try (RandomAccessFile file = new RandomAccessFile(folder.resolve(each.getKey()).toFile(), "rw")) {
                file.setLength(each.getValue());
            }
        }
        Ledger.open(folder + "/", logged::add).seated(Seated.newBuilder().setMatchId("m1").build());
        List<String> names = namesIn(folder);
        assertEquals(3, names.size());
        assertEquals("20260103T120000Z-100.jsonl", names.get(0));
        assertEquals("notes.jsonl", names.get(2));
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldOnce(@TempDir Path folder) throws IOException {
        String keep = Files.createFile(folder.resolve("state")) + "/kept/";
        Ledger ledger = Ledger.open(keep, logged::add);
        ledger.seated(Seated.newBuilder().setMatchId("m1").build());
        ledger.seated(Seated.newBuilder().setMatchId("m2").build());
        assertEquals(1, logged.size());
        assertTrue(logged.get(0).startsWith(keep + ": what the bot is told cannot be kept there ("));
    }
}
