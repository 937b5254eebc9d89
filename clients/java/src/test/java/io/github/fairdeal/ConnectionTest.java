package io.github.fairdeal;

import static io.github.fairdeal.Tell.asked;
import static io.github.fairdeal.Tell.finished;
import static io.github.fairdeal.Tell.frame;
import static io.github.fairdeal.Tell.notice;
import static io.github.fairdeal.Tell.seated;
import static io.github.fairdeal.Tell.welcome;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.Referee.Session;
import io.github.fairdeal.v1.NoticeKind;
import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.Welcome;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bot and a referee over real sockets. */
@Timeout(60)
class ConnectionTest {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private Referee referee;

    @BeforeEach
    void listen() throws Exception {
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        referee = new Referee();
    }

    @AfterEach
    void close() {
        System.setErr(before);
        referee.close();
    }

    private Connection connection(Bot bot, Options options) {
        options.address(options.address == null ? referee.address() : options.address);
        return new Connection(Settings.settle(options, Map.of("FAIRDEAL_KEEP", ""), "Bot"), bot);
    }

    /** Plays with a bot on a thread of its own. */
    private static CompletableFuture<Void> start(Connection connection) {
        return CompletableFuture.runAsync(connection::run, task -> new Thread(task).start());
    }

    private static FairdealException failure(CompletableFuture<Void> run) {
        Exception error = assertThrows(Exception.class, () -> run.get(30, TimeUnit.SECONDS));
        return (FairdealException) error.getCause();
    }

    private List<String> lines() {
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void aMatchFromHelloToGoodbye() throws Exception {
        Connection connection = connection(decision -> Answer.index(1), new Options().token("t").matches(1));
        CompletableFuture<Void> run = start(connection);
        Session session = referee.next();
        assertEquals("Bearer t", session.authorization());
        assertEquals("Bot", session.read().getHello().getEntry());
        session.write(frame(welcome(), seated("m1")));
        assertEquals(1, session.read().getReadyCount());
        session.write(frame(asked("m1", 1)));
        assertEquals(1, session.read().getAnswers(0).getIndex());
        session.write(frame(finished("m1")));
        PlayRequest last = session.read();
        assertTrue(last.hasBye());
        assertEquals(3, last.getFramesReceived());
        session.end();
        run.get(10, TimeUnit.SECONDS);
        assertEquals(List.of(), lines());
    }

    @Test
    void heartbeatsGoOnWhileTheBotThinks() throws Exception {
        CountDownLatch thought = new CountDownLatch(1);
        AtomicInteger threads = new AtomicInteger();
        Bot thinker =
                decision -> {
                    threads.addAndGet(Thread.currentThread().getName().equals("fairdeal-bot") ? 1 : 100);
                    thought.await();
                    return Answer.index(0);
                };
        Connection connection = connection(thinker, new Options());
        CompletableFuture<Void> run = start(connection);
        Session session = referee.next();
        session.read();
        session.write(frame(welcome(), seated("m1"), asked("m1", 1)));
        session.read();
        session.write(frame(notice(NoticeKind.NOTICE_KIND_HEARTBEAT)));
        assertEquals(PlayRequest.newBuilder().setFramesReceived(2).build(), session.read());
        thought.countDown();
        assertEquals(1, session.read().getAnswersCount());
        assertEquals(1, threads.get());
        connection.stop();
        assertTrue(session.read().hasBye());
        session.end();
        run.get(10, TimeUnit.SECONDS);
    }

    @Test
    void aLostSessionComesBackAndAnswersAsBefore() throws Exception {
        AtomicInteger acts = new AtomicInteger();
        Connection connection = connection(decision -> Answer.index(acts.getAndIncrement()), new Options());
        CompletableFuture<Void> run = start(connection);
        Session lost = referee.next();
        lost.read();
        lost.write(frame(welcome(), seated("m1"), asked("m1", 1)));
        lost.read();
        lost.abort(Status.UNAVAILABLE.withDescription("gone"), new Metadata());
        Session back = referee.next();
        assertEquals("m1", back.read().getHello().getResume(0).getMatchId());
        back.write(frame(welcome(), seated("m1"), asked("m1", 1)));
        PlayRequest again = back.read();
        assertEquals(1, again.getReadyCount());
        assertEquals(0, again.getAnswers(0).getIndex());
        assertEquals(1, acts.get());
        connection.stop();
        assertTrue(back.read().hasBye());
        back.end();
        run.get(10, TimeUnit.SECONDS);
        String at = "fairdeal: the session with the referee at " + referee.address();
        assertEquals(List.of(at + " broke: gone; dialling again for up to 60 s", at + " is back"), lines());
    }

    @Test
    void aRefereeThatLeavesInTheMiddleOfAMatchIsDialledAgain() throws Exception {
        Connection connection = connection(decision -> Answer.index(0), new Options());
        CompletableFuture<Void> run = start(connection);
        Session left = referee.next();
        left.read();
        left.write(frame(welcome(), seated("m1")));
        left.read();
        left.abort(Status.UNAVAILABLE.withDescription("bye"), reason("SHUTTING_DOWN"));
        Session back = referee.next();
        assertEquals("m1", back.read().getHello().getResume(0).getMatchId());
        back.write(frame(welcome(), seated("m1")));
        back.read();
        connection.stop();
        assertTrue(back.read().hasBye());
        back.end();
        run.get(10, TimeUnit.SECONDS);
    }

    @Test
    void whatIsStillToBeAnsweredWhenTheSessionIsLostIsNotAsked() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch thought = new CountDownLatch(1);
        AtomicInteger acts = new AtomicInteger();
        AtomicReference<Thread> acting = new AtomicReference<>();
        Bot thinker =
                decision -> {
                    acting.set(Thread.currentThread());
                    acts.incrementAndGet();
                    begun.countDown();
                    thought.await();
                    return Answer.index(0);
                };
        Options options = new Options().reconnectTimeout(java.time.Duration.ZERO);
        CompletableFuture<Void> run = start(connection(thinker, options));
        Session session = referee.next();
        session.read();
        session.write(frame(welcome(), seated("m1"), seated("m2"), asked("m1", 1), asked("m2", 1)));
        begun.await();
        session.abort(Status.UNAVAILABLE.withDescription("gone"), new Metadata());
        assertEquals(Kind.CONNECTION_LOST, failure(run).kind());
        thought.countDown();
        acting.get().join();
        assertEquals(1, acts.get());
    }

    private static Metadata reason(String reason) {
        Metadata trailers = new Metadata();
        trailers.put(Metadata.Key.of("fairdeal-reason", Metadata.ASCII_STRING_MARSHALLER), reason);
        return trailers;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFinalReasonIsNotDialledForAgain(boolean isWelcomed) throws Exception {
        CompletableFuture<Void> run = start(connection(decision -> Answer.index(0), new Options()));
        Session session = referee.next();
        session.read();
        if (isWelcomed) {
            session.write(frame(welcome()));
        }
        Metadata trailers = reason("MISSING_TOKEN");
        trailers.put(Metadata.Key.of("fairdeal-incident", Metadata.ASCII_STRING_MARSHALLER), "1a2b");
        session.abort(Status.UNAUTHENTICATED.withDescription("no such token"), trailers);
        FairdealException error = failure(run);
        assertEquals(Kind.REJECTED, error.kind());
        assertEquals("1a2b", error.incident());
        assertEquals(
                "the referee at " + referee.address() + " ended the session: no such token (MISSING_TOKEN)",
                error.getMessage());
    }

    @Test
    void aReplacedSessionSaysGoodbyeAndIsNotDialledForAgain() throws Exception {
        CompletableFuture<Void> run = start(connection(decision -> Answer.index(0), new Options()));
        Session session = referee.next();
        session.read();
        session.write(frame(welcome(), notice(NoticeKind.NOTICE_KIND_REPLACED)));
        assertTrue(session.read().hasBye());
        session.end();
        assertEquals(Kind.REPLACED, failure(run).kind());
    }

    @Test
    void aRefereeThatFallsSilentIsLost() throws Exception {
        Options options = new Options().reconnectTimeout(java.time.Duration.ZERO);
        CompletableFuture<Void> run = start(connection(decision -> Answer.index(0), options));
        Session session = referee.next();
        session.read();
        Duration.Builder beat = Duration.newBuilder().setNanos(50_000_000);
        session.write(frame(welcome(Welcome.newBuilder().setVersion(1).setHeartbeat(beat))));
        FairdealException error = failure(run);
        assertEquals(Kind.CONNECTION_LOST, error.kind());
        assertEquals("the referee at " + referee.address() + " is not responding", error.getMessage());
    }

    @Test
    void nobodyThereIsGivenUpAfterTheTimeout() {
        String address = referee.address();
        referee.close();
        Options options = new Options().address(address).connectTimeout(java.time.Duration.ofMillis(300));
        FairdealException error = failure(start(connection(decision -> Answer.index(0), options)));
        assertEquals(Kind.CANNOT_CONNECT, error.kind());
        String expected = "no referee answers at " + address + " within 0.3 s: Connection refused";
        assertTrue(error.getMessage().startsWith(expected), error.getMessage());
    }

    @Test
    void aRunThatIsStoppedBetweenTwoSessionsEnds() throws Exception {
        String address = referee.address();
        referee.close();
        Connection connection = connection(decision -> Answer.index(0), new Options().address(address));
        CompletableFuture<Void> run = start(connection);
        connection.stop();
        run.get(10, TimeUnit.SECONDS);
    }

    @Test
    void anInterruptEndsTheRunWithGoodbye() throws Exception {
        Connection connection = connection(decision -> Answer.index(0), new Options());
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        Thread caller =
                new Thread(
                        () -> {
                            connection.run();
                            isInterrupted.complete(Thread.currentThread().isInterrupted());
                        });
        caller.start();
        Session session = referee.next();
        session.read();
        session.write(frame(welcome()));
        caller.interrupt();
        assertTrue(session.read().hasBye());
        session.end();
        assertTrue(isInterrupted.get(10, TimeUnit.SECONDS));
    }
}
