package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChanceTest {
    private static final Path VECTORS = Path.of("../../tests/data/bot_vectors.json");

    static List<Value> decisions() throws IOException {
        Struct.Builder vectors = Struct.newBuilder();
        JsonFormat.parser().merge(Files.readString(VECTORS), vectors);
        return vectors.getFieldsOrThrow("decisions").getListValue().getValuesList();
    }

    @ParameterizedTest
    @MethodSource("decisions")
    void drawsWhatTheVectorsSay(Value vector) {
        Map<String, Value> decision = vector.getStructValue().getFieldsMap();
        Chance chance =
                new Chance(
                        decision.get("seed").getStringValue(),
                        decision.get("match_id").getStringValue(),
                        number(decision.get("seat")),
                        number(decision.get("decision_id")));
        List<Value> steps = decision.get("steps").getListValue().getValuesList();
        assertTrue(steps.size() > 20);
        for (Value step : steps) {
            Map<String, Value> asked = step.getStructValue().getFieldsMap();
            assertEquals(asked.get("gives"), draw(chance, asked), step::toString);
        }
    }

    private static Value draw(Chance chance, Map<String, Value> asked) {
        if (asked.containsKey("draw")) {
            long drawn = chance.draw((long) asked.get("draw").getNumberValue());
            return Value.newBuilder().setNumberValue(drawn).build();
        }
        if (asked.containsKey("happens")) {
            boolean happens = chance.happens(asked.get("happens").getNumberValue());
            return Value.newBuilder().setBoolValue(happens).build();
        }
        Map<String, Value> bounds = asked.get("choose").getStructValue().getFieldsMap();
        List<Integer> items = IntStream.range(0, number(bounds.get("of"))).boxed().toList();
        Value.Builder chosen = Value.newBuilder();
        chosen.getListValueBuilder();
        for (int item : chance.choose(items, number(bounds.get("minimum")), number(bounds.get("maximum")))) {
            chosen.getListValueBuilder().addValues(Value.newBuilder().setNumberValue(item));
        }
        return chosen.build();
    }

    private static int number(Value value) {
        return (int) value.getNumberValue();
    }

    @Test
    void theFirstNumberAboveTheLimitIsTakenAgain() {
        int found = 0;
        for (int id = 1; id <= 4000; id++) {
            Chance chance = new Chance("s", "m", 0, id);
            if (chance.draw(256) == 129) { // the greatest multiple of 129 that a byte holds
                assertEquals(chance.draw(129), new Chance("s", "m", 0, id).draw(129));
                found++;
            }
        }
        assertTrue(found > 0);
    }

    @Test
    void aChoiceIsOneDraw() {
        List<String> items = List.of("a", "b", "c", "d", "e");
        assertEquals(
                items.get((int) new Chance("s", "m", 0, 1).draw(5)), new Chance("s", "m", 0, 1).choice(items));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, (1L << 32) + 1})
    void refusesToDrawOneOf(long n) {
        assertThrows(IllegalArgumentException.class, () -> new Chance("", "m", 0, 1).draw(n));
    }

    static Stream<int[]> bounds() {
        return Stream.of(new int[] {-1, 1}, new int[] {2, 1}, new int[] {0, 4});
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void refusesBoundsThatDoNotFit(int[] bounds) {
        Chance chance = new Chance("", "m", 0, 1);
        assertThrows(
                IllegalArgumentException.class, () -> chance.choose(List.of(1, 2, 3), bounds[0], bounds[1]));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
    void refusesWhatIsNoProbability(double probability) {
        assertThrows(IllegalArgumentException.class, () -> new Chance("", "m", 0, 1).happens(probability));
    }

    @Test
    void refusesWhatIsNotAscii() {
        assertThrows(IllegalArgumentException.class, () -> new Chance("Zufällig", "m", 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Chance("", "möhre", 0, 1));
    }
}
