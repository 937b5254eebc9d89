package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FairdealTest {
    private static final class Mine implements Bot {
        @Override
        public Answer act(Decision decision) {
            return Answer.index(0);
        }
    }

    @Test
    void theLicenseComesWithIt() throws Exception {
        URI classes = Fairdeal.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path license = Path.of(classes).resolve("META-INF/LICENSE");
        assertEquals(Files.readString(Path.of("../../LICENSE")), Files.readString(license));
    }

    @Test
    void aBotHasTheNameOfItsClassOrOfTheOneAroundIt() {
        Bot lambda = decision -> Answer.index(0);
        Bot anonymous =
                new Bot() {
                    @Override
                    public Answer act(Decision decision) {
                        return Answer.index(0);
                    }
                };
        assertEquals("Mine", Fairdeal.nameOf(Mine.class));
        assertEquals("FairdealTest", Fairdeal.nameOf(lambda.getClass()));
        assertEquals("FairdealTest", Fairdeal.nameOf(anonymous.getClass()));
    }
}
