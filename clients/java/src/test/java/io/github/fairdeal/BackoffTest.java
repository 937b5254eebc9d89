package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static List<Double> delays(Backoff backoff, int count) {
        List<Double> delays = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            delays.add(backoff.nextDelay(0).getAsDouble());
        }
        return delays;
    }

    @Test
    void delaysDoubleUpToTheLongest() {
        Backoff backoff = new Backoff(0, 60, Backoff.LONGEST_DELAY, () -> 0);
        assertEquals(List.of(0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0), delays(backoff, 8));
    }

    @Test
    void delaysAreShortenedByUpToAHalf() {
        assertEquals(List.of(0.05, 0.1), delays(new Backoff(0, 60, 1, () -> 1), 2));
    }

    @Test
    void endsWhenTheTimeIsOver() {
        Backoff backoff = new Backoff(10, 1, 1, () -> 0);
        assertEquals(0.5, backoff.left(10.5));
        assertTrue(backoff.nextDelay(10.8).isPresent());
        assertTrue(backoff.nextDelay(10.8).isEmpty());
        assertEquals(0, backoff.left(12));
        assertTrue(new Backoff(0, 0, 1, () -> 1).nextDelay(0).isEmpty());
    }

    @Test
    void onlyALastingSessionStartsTheScheduleAfresh() {
        Backoff backoff = new Backoff(0, 60, 5, () -> 0);
        delays(backoff, 3);
        backoff.restart(100, 60, 9.9);
        assertEquals(0.8, backoff.nextDelay(100).getAsDouble());
        backoff.restart(100, 60, 10);
        assertEquals(0.1, backoff.nextDelay(100).getAsDouble());
        assertEquals(60, backoff.left(100));
    }
}
