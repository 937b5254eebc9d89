package io.github.fairdeal;

import static io.github.fairdeal.Tell.asked;
import static io.github.fairdeal.Tell.closed;
import static io.github.fairdeal.Tell.finished;
import static io.github.fairdeal.Tell.frame;
import static io.github.fairdeal.Tell.happened;
import static io.github.fairdeal.Tell.hello;
import static io.github.fairdeal.Tell.notice;
import static io.github.fairdeal.Tell.refused;
import static io.github.fairdeal.Tell.seated;
import static io.github.fairdeal.Tell.session;
import static io.github.fairdeal.Tell.welcome;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.Bye;
import io.github.fairdeal.v1.Hello;
import io.github.fairdeal.v1.Notice;
import io.github.fairdeal.v1.NoticeKind;
import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.PlayResponse;
import io.github.fairdeal.v1.Ready;
import io.github.fairdeal.v1.Termination;
import io.github.fairdeal.v1.Update.KindCase;
import io.github.fairdeal.v1.Welcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionTest {
    /** Returns a session that has sent its hello and got a welcome and these updates, and sent what follows. */
    static Session opened(Hello hello, io.github.fairdeal.v1.Update... updates) {
        Session session = session(hello, "seed");
        session.takeRequests();
        session.receive(frame(welcome()));
        session.receive(frame(updates));
        session.takeRequests();
        return session;
    }

    static Session opened(io.github.fairdeal.v1.Update... updates) {
        return opened(hello(), updates);
    }

    static List<KindCase> kinds(List<Update> updates) {
        return updates.stream().map(update -> update.message().getKindCase()).toList();
    }

    static io.github.fairdeal.v1.Answer index(String match, int id, int index) {
        return io.github.fairdeal.v1.Answer.newBuilder()
                .setMatchId(match)
                .setDecisionId(id)
                .setIndex(index)
                .build();
    }

    @Test
    void theFirstRequestIsTheHelloAlone() {
        Session session = session(hello(), "");
        assertEquals(List.of(PlayRequest.newBuilder().setHello(hello()).build()), session.takeRequests());
        assertEquals(List.of(), session.takeRequests());
        assertFalse(session.isWelcomed());
    }

    @Test
    void aSeatIsTakenAtOnce() {
        Session session = opened();
        Update told = session.receive(frame(seated("m1"))).get(0);
        assertEquals("m1", told.match().id());
        assertEquals(2, told.match().seat());
        assertEquals("hearts", told.match().game());
        PlayRequest ready =
                PlayRequest.newBuilder()
                        .setFramesReceived(3)
                        .addReady(Ready.newBuilder().setMatchId("m1"))
                        .build();
        assertEquals(List.of(ready), session.takeRequests());
    }

    @Test
    void answersOfManyTablesShareAFrame() {
        Session session = opened(seated("m1"), seated("m2"));
        List<Update> told = session.receive(frame(asked("m1", 1), asked("m2", 1)));
        session.answer(told.get(0).decision(), Answer.index(0));
        session.answer(told.get(1).decision(), Answer.index(1));
        assertEquals(
                List.of(
                        PlayRequest.newBuilder()
                                .setFramesReceived(3)
                                .addAnswers(index("m1", 1, 0))
                                .addAnswers(index("m2", 1, 1))
                                .build()),
                session.takeRequests());
        assertEquals(List.of(), session.takeRequests());
    }

    @Test
    void aDecisionHoldsWhatABotNeeds() {
        io.github.fairdeal.v1.Decision message =
                Tell.asks("m1", 7).toBuilder()
                        .setMoveTime(com.google.protobuf.Duration.newBuilder().setSeconds(2))
                        .setBank(com.google.protobuf.Duration.newBuilder().setSeconds(59).setNanos(250_000_000))
                        .build();
        Session session = opened(seated("m1"));
        Decision decision =
                session.receive(frame(io.github.fairdeal.v1.Update.newBuilder().setDecision(message).build()))
                        .get(0)
                        .decision();
        assertEquals(7, decision.id());
        assertEquals("m1", decision.match().id());
        assertEquals(Duration.ofSeconds(2), decision.moveTime());
        assertEquals(Duration.ofMillis(59_250), decision.bank());
        assertEquals(message.getLegal(), decision.legal());
        assertEquals(message, decision.message());
        assertEquals(new Chance("seed", "m1", 2, 7).draw(1 << 20), decision.chance().draw(1 << 20));
    }

    @Test
    void anAnswerToAClosedDecisionIsNotSent() {
        Session session = opened(seated("m1"));
        Decision decision = session.receive(frame(asked("m1", 1))).get(0).decision();
        assertTrue(session.isAsked(decision));
        session.receive(frame(closed("m1", 1)));
        assertFalse(session.isAsked(decision));
        session.answer(decision, Answer.index(0));
        assertEquals(List.of(), session.takeRequests());
    }

    @Test
    void aDecisionIsAnsweredOnce() {
        Session session = opened(seated("m1"));
        Decision decision = session.receive(frame(asked("m1", 1))).get(0).decision();
        session.answer(decision, Answer.index(0));
        session.answer(decision, Answer.index(1));
        assertEquals(List.of(index("m1", 1, 0)), session.takeRequests().get(0).getAnswersList());
    }

    @Test
    void framesAreAcknowledgedAfterAQuarterOfWhatTheRefereeBears() {
        Session session = session(hello(), "");
        session.takeRequests();
        session.receive(frame(welcome(Welcome.newBuilder().setVersion(1).setMaxUnacknowledgedFrames(12))));
        session.receive(frame());
        assertEquals(List.of(), session.takeRequests());
        session.receive(frame());
        assertEquals(
                List.of(PlayRequest.newBuilder().setFramesReceived(3).build()), session.takeRequests());
        assertEquals(List.of(), session.takeRequests());
    }

    @Test
    void bytesAreAcknowledgedAfterAQuarterOfWhatTheRefereeBears() {
        Session session = session(hello(), "");
        session.takeRequests();
        session.receive(frame(welcome(Welcome.newBuilder().setVersion(1).setMaxUnacknowledgedBytes(4000))));
        Notice.Builder notice = Notice.newBuilder().setText("x".repeat(1000));
        session.receive(frame(io.github.fairdeal.v1.Update.newBuilder().setNotice(notice).build()));
        assertEquals(
                List.of(PlayRequest.newBuilder().setFramesReceived(2).build()), session.takeRequests());
    }

    @Test
    void aHeartbeatIsAcknowledgedAtOnceAndNotTold() {
        Session session = opened();
        assertEquals(List.of(), session.receive(frame(notice(NoticeKind.NOTICE_KIND_HEARTBEAT))));
        assertEquals(
                List.of(PlayRequest.newBuilder().setFramesReceived(3).build()), session.takeRequests());
    }

    @Test
    void theHeartbeatIsTheWelcomes() {
        Session session = session(hello(), "");
        com.google.protobuf.Duration.Builder beat = com.google.protobuf.Duration.newBuilder().setSeconds(5);
        session.receive(frame(welcome(Welcome.newBuilder().setVersion(1).setHeartbeat(beat))));
        assertEquals(Duration.ofSeconds(5), session.heartbeat());
        assertTrue(session.isWelcomed());
    }

    @ParameterizedTest
    @CsvSource({"200, 100", "1000, 30", "32768, 1"})
    void requestsAreSplitToFitTheFrames(int limit, int leastParts) {
        Session session = session(hello(), "");
        session.takeRequests();
        session.receive(frame(welcome(Welcome.newBuilder().setVersion(1).setMaxFrameBytes(limit))));
        List<io.github.fairdeal.v1.Answer> given = new ArrayList<>();
        List<Ready> taken = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            String match = "match-with-a-rather-long-name-" + i;
            Update asked = session.receive(frame(seated(match), asked(match, 1))).get(1);
            session.answer(asked.decision(), Answer.index(i));
            given.add(index(match, 1, i));
            taken.add(Ready.newBuilder().setMatchId(match).build());
        }
        session.leave();
        List<PlayRequest> requests = session.takeRequests();
        assertTrue(requests.size() >= leastParts);
        for (PlayRequest request : requests) {
            assertTrue(request.getSerializedSize() <= limit);
            assertEquals(401, request.getFramesReceived());
            assertEquals(request == requests.get(requests.size() - 1), request.hasBye());
        }
        assertEquals(given, requests.stream().flatMap(each -> each.getAnswersList().stream()).toList());
        assertEquals(taken, requests.stream().flatMap(each -> each.getReadyList().stream()).toList());
    }

    @Test
    void theBotLeavesAfterItsMatchesAndVoidOnesDoNotCount() {
        Session session = opened(hello().toBuilder().setMatches(2).build(), seated("m1"), seated("m2"));
        session.receive(frame(finished("m1", Termination.TERMINATION_VOID)));
        session.receive(frame(finished("m2", Termination.TERMINATION_FORFEIT)));
        assertFalse(session.isLeaving());
        session.receive(frame(seated("m1", 2), finished("m1")));
        assertTrue(session.isLeaving());
        List<PlayRequest> requests = session.takeRequests();
        assertEquals(Bye.getDefaultInstance(), requests.get(0).getBye());
        assertTrue(session.hasLeft());
        assertEquals(List.of(), session.takeRequests());
        assertEquals(List.of(), session.receive(frame(seated("m3"))));
    }

    @Test
    void aBotThatDrainsLeavesWithoutAMatch() {
        Session idle = opened();
        assertEquals(
                List.of(KindCase.NOTICE), kinds(idle.receive(frame(notice(NoticeKind.NOTICE_KIND_DRAINING)))));
        assertTrue(idle.isLeaving());
        Session playing = opened(seated("m1"));
        playing.receive(frame(notice(NoticeKind.NOTICE_KIND_DRAINING)));
        assertFalse(playing.isLeaving());
        playing.receive(frame(finished("m1", Termination.TERMINATION_VOID)));
        assertTrue(playing.isLeaving());
    }

    @Test
    void aSessionThatIsReplacedIsOver() {
        Session session = opened();
        FairdealException error =
                assertThrows(
                        FairdealException.class,
                        () -> session.receive(frame(notice(NoticeKind.NOTICE_KIND_REPLACED))));
        assertEquals(Kind.REPLACED, error.kind());
        assertEquals("REPLACED", error.reason());
        assertTrue(error.getMessage().contains("FAIRDEAL_INSTANCE"));
    }

    @Test
    void whatIsNotKnownIsIgnored() throws InvalidProtocolBufferException {
        UnknownFieldSet.Field newer =
                UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.copyFromUtf8("new")).build();
        UnknownFieldSet fields = UnknownFieldSet.newBuilder().addField(99, newer).build();
        io.github.fairdeal.v1.Update ofNewKind =
                io.github.fairdeal.v1.Update.newBuilder().setUnknownFields(fields).build();
        io.github.fairdeal.v1.Update ofNewNotice =
                io.github.fairdeal.v1.Update.newBuilder().setNotice(Notice.newBuilder().setKindValue(77)).build();
        PlayResponse sent = frame(ofNewKind, ofNewNotice, seated("m1")).toBuilder().setUnknownFields(fields).build();
        Session session = opened();
        List<Update> told = session.receive(PlayResponse.parseFrom(sent.toByteArray()));
        assertEquals(List.of(KindCase.NOTICE, KindCase.SEATED), kinds(told));
        assertEquals(List.of(), session.receive(frame(closed("of another time", 3))));
    }

    @Test
    void anotherVersionIsRefused() {
        Session session = session(hello(), "");
        FairdealException error =
                assertThrows(
                        FairdealException.class,
                        () -> session.receive(frame(welcome(Welcome.newBuilder().setVersion(2)))));
        assertEquals(Kind.PROTOCOL_ERROR, error.kind());
        assertEquals("the referee speaks version 2 of the protocol, not 1", error.getMessage());
    }

    @Test
    void aRefereeBeginsWithItsWelcome() {
        for (PlayResponse first :
                List.of(
                        frame(),
                        frame(io.github.fairdeal.v1.Update.getDefaultInstance()),
                        frame(seated("m1")),
                        frame(seated("m1"), welcome()))) {
            Session session = session(hello(), "");
            FairdealException error =
                    assertThrows(FairdealException.class, () -> session.receive(first));
            assertEquals(Kind.PROTOCOL_ERROR, error.kind());
            assertEquals("the referee sent a message before its welcome", error.getMessage());
        }
    }

    @Test
    void whatMakesNoSenseIsAnError() {
        for (io.github.fairdeal.v1.Update update :
                List.of(asked("m2", 1), happened("m2", 1), finished("m2"), happened("m1", 2))) {
            Session session = opened(seated("m1"));
            FairdealException error =
                    assertThrows(FairdealException.class, () -> session.receive(frame(update)));
            assertEquals(Kind.PROTOCOL_ERROR, error.kind());
        }
    }

    @Test
    void aRefusedAnswerEndsNothingButARefusedMatchIsOver() {
        Session session = opened(hello().toBuilder().setMatches(1).build(), seated("m1"));
        assertEquals(List.of(KindCase.REFUSED), kinds(session.receive(frame(refused("m1", 4)))));
        assertEquals(1, session.playing());
        assertEquals(List.of(KindCase.REFUSED), kinds(session.receive(frame(refused("m1", 0)))));
        assertEquals(0, session.playing());
        assertTrue(session.isLeaving());
    }
}
