package io.github.fairdeal;

import static io.github.fairdeal.SessionTest.index;
import static io.github.fairdeal.SessionTest.kinds;
import static io.github.fairdeal.SessionTest.opened;
import static io.github.fairdeal.Tell.asked;
import static io.github.fairdeal.Tell.finished;
import static io.github.fairdeal.Tell.frame;
import static io.github.fairdeal.Tell.happened;
import static io.github.fairdeal.Tell.hello;
import static io.github.fairdeal.Tell.notice;
import static io.github.fairdeal.Tell.seated;
import static io.github.fairdeal.Tell.welcome;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.fairdeal.v1.Hello;
import io.github.fairdeal.v1.NoticeKind;
import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.ResumePoint;
import io.github.fairdeal.v1.Termination;
import io.github.fairdeal.v1.Update.KindCase;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionRejoinTest {
    private static void welcomeBack(Session session, io.github.fairdeal.v1.Update... updates) {
        session.rejoin();
        session.takeRequests();
        session.receive(frame(welcome()));
        session.receive(frame(updates));
    }

    @Test
    void theHelloTellsWhereTheBotIs() {
        Session session =
                opened(
                        hello().toBuilder().setMatches(3).build(),
                        seated("m1", 2),
                        seated("m2"),
                        happened("m1", 1),
                        happened("m1", 2),
                        finished("m2"));
        session.receive(frame(notice(NoticeKind.NOTICE_KIND_HEARTBEAT)));
        session.rejoin();
        assertFalse(session.isWelcomed());
        assertEquals(0, session.frames());
        Hello again =
                hello().toBuilder()
                        .setMatches(2)
                        .addResume(ResumePoint.newBuilder().setMatchId("m1").setSequence(2).setAttempt(2))
                        .build();
        assertEquals(List.of(PlayRequest.newBuilder().setHello(again).build()), session.takeRequests());
    }

    @Test
    void aSeatThatIsToldAgainIsTakenAgainButNotTold() {
        Session session = opened(seated("m1"), happened("m1", 1));
        session.rejoin();
        session.takeRequests();
        session.receive(frame(welcome()));
        List<Update> told = session.receive(frame(seated("m1"), happened("m1", 1), happened("m1", 2)));
        assertEquals(List.of(KindCase.HAPPENED), kinds(told));
        assertEquals(1, session.takeRequests().get(0).getReadyCount());
    }

    @Test
    void whatIsAskedAgainIsAnsweredAsBeforeWithoutTheBot() {
        Session session = opened(seated("m1"));
        Decision decision = session.receive(frame(asked("m1", 1))).get(0).decision();
        session.answer(decision, Answer.index(1));
        session.takeRequests();
        session.rejoin();
        session.takeRequests();
        session.receive(frame(welcome()));
        assertEquals(List.of(), session.receive(frame(seated("m1"), asked("m1", 1))));
        assertEquals(List.of(index("m1", 1, 1)), session.takeRequests().get(0).getAnswersList());
    }

    @Test
    void anAnswerGivenWithoutAStreamIsSentWhenTheDecisionComesAgain() {
        Session session = opened(seated("m1"));
        Decision decision = session.receive(frame(asked("m1", 1))).get(0).decision();
        session.rejoin();
        session.answer(decision, Answer.index(1));
        assertEquals(1, session.takeRequests().size());
        session.receive(frame(welcome(), seated("m1")));
        assertEquals(0, session.takeRequests().get(0).getAnswersCount());
        session.receive(frame(asked("m1", 1)));
        assertEquals(List.of(index("m1", 1, 1)), session.takeRequests().get(0).getAnswersList());
    }

    @Test
    void anAnswerGivenAfterTheDecisionCameAgainIsSent() {
        Session session = opened(seated("m1"));
        Decision decision = session.receive(frame(asked("m1", 1))).get(0).decision();
        welcomeBack(session, seated("m1"), asked("m1", 1));
        session.takeRequests();
        session.answer(decision, Answer.index(0));
        assertEquals(List.of(index("m1", 1, 0)), session.takeRequests().get(0).getAnswersList());
    }

    @Test
    void whatWasNotSentYetIsDropped() {
        Session session = opened();
        session.receive(frame(seated("m1")));
        session.rejoin();
        PlayRequest only = session.takeRequests().get(0);
        assertTrue(only.hasHello());
        assertEquals(List.of(), session.takeRequests());
    }

    @Test
    void aNewAttemptMakesTheOldOneVoid() {
        Session session = opened(seated("m1"));
        Decision old = session.receive(frame(asked("m1", 1))).get(0).decision();
        List<Update> told = session.receive(frame(seated("m1", 2), happened("m1", 1), asked("m1", 1)));
        assertEquals(
                List.of(KindCase.FINISHED, KindCase.SEATED, KindCase.HAPPENED, KindCase.DECISION), kinds(told));
        assertEquals(Termination.TERMINATION_VOID, told.get(0).message().getFinished().getTermination());
        assertEquals(1, told.get(0).match().attempt());
        assertEquals(2, told.get(3).match().attempt());
        assertFalse(session.isAsked(old));
        session.answer(old, Answer.index(1));
        assertEquals(0, session.takeRequests().get(0).getAnswersCount());
    }

    @Test
    void itWantsNoMoreMatchesOverEachStreamAndPlaysThoseThatItHas() {
        Session session = opened(seated("m1"), seated("m2"));
        session.takeRequests();
        session.retire();
        List<PlayRequest> wish = session.takeRequests();
        assertEquals(1, wish.size());
        assertTrue(wish.get(0).getNoMoreMatches());
        session.receive(frame(notice(NoticeKind.NOTICE_KIND_DRAINING), finished("m1")));
        session.rejoin();
        PlayRequest again = session.takeRequests().get(0);
        assertTrue(again.hasHello() && again.getNoMoreMatches());
        session.receive(frame(welcome(), seated("m2")));
        assertFalse(session.isLeaving());
        session.receive(frame(finished("m2")));
        assertTrue(session.isLeaving());
    }

    @Test
    void anEarlierDrainIsForgotten() {
        Session session = opened(seated("m1"), notice(NoticeKind.NOTICE_KIND_DRAINING));
        welcomeBack(session, finished("m1"));
        assertFalse(session.isLeaving());
    }
}
