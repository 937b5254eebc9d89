package io.github.fairdeal;

import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.ActionList;
import io.github.fairdeal.v1.Card;
import io.github.fairdeal.v1.CloseReason;
import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Event;
import io.github.fairdeal.v1.Finished;
import io.github.fairdeal.v1.Happened;
import io.github.fairdeal.v1.Hello;
import io.github.fairdeal.v1.Legal;
import io.github.fairdeal.v1.Notice;
import io.github.fairdeal.v1.NoticeKind;
import io.github.fairdeal.v1.PlayResponse;
import io.github.fairdeal.v1.Reason;
import io.github.fairdeal.v1.Refused;
import io.github.fairdeal.v1.Seat;
import io.github.fairdeal.v1.Seated;
import io.github.fairdeal.v1.Termination;
import io.github.fairdeal.v1.Welcome;

/** What a referee tells, for tests. */
final class Tell {
    private Tell() {}

    static PlayResponse frame(io.github.fairdeal.v1.Update... updates) {
        return PlayResponse.newBuilder().addAllUpdates(java.util.List.of(updates)).build();
    }

    /** Returns a session that keeps nothing. */
    static Session session(Hello hello, String seed) {
        return new Session(hello, seed, Ledger.open("", line -> {}));
    }

    static Hello hello() {
        return Hello.newBuilder().addVersions(1).setEntry("bot").build();
    }

    static io.github.fairdeal.v1.Update welcome(Welcome.Builder welcome) {
        return io.github.fairdeal.v1.Update.newBuilder().setWelcome(welcome).build();
    }

    static io.github.fairdeal.v1.Update welcome() {
        return welcome(Welcome.newBuilder().setVersion(1));
    }

    static io.github.fairdeal.v1.Update seated(String match) {
        return seated(match, 1);
    }

    static io.github.fairdeal.v1.Update seated(String match, int attempt) {
        Seated.Builder seated =
                Seated.newBuilder().setMatchId(match).setAttempt(attempt).setGame("hearts").setSeat(Seat.SEAT_2);
        return io.github.fairdeal.v1.Update.newBuilder().setSeated(seated).build();
    }

    static io.github.fairdeal.v1.Update happened(String match, int sequence) {
        Happened.Builder happened =
                Happened.newBuilder().setMatchId(match).setEvent(Event.newBuilder().setSequence(sequence));
        return io.github.fairdeal.v1.Update.newBuilder().setHappened(happened).build();
    }

    static io.github.fairdeal.v1.Decision asks(String match, int id) {
        ActionList.Builder actions =
                ActionList.newBuilder()
                        .addActions(Action.newBuilder().setPlayCard(Card.CARD_TWO_OF_CLUBS))
                        .addActions(Action.newBuilder().setPlayCard(Card.CARD_THREE_OF_CLUBS));
        return io.github.fairdeal.v1.Decision.newBuilder()
                .setMatchId(match)
                .setDecisionId(id)
                .setLegal(Legal.newBuilder().setActions(actions))
                .build();
    }

    static io.github.fairdeal.v1.Update asked(String match, int id) {
        return io.github.fairdeal.v1.Update.newBuilder().setDecision(asks(match, id)).build();
    }

    static io.github.fairdeal.v1.Update closed(String match, int id) {
        Closed.Builder closed =
                Closed.newBuilder()
                        .setMatchId(match)
                        .setDecisionId(id)
                        .setReason(CloseReason.CLOSE_REASON_DEFAULTED);
        return io.github.fairdeal.v1.Update.newBuilder().setClosed(closed).build();
    }

    static io.github.fairdeal.v1.Update refused(String match, int id) {
        Refused.Builder refused =
                Refused.newBuilder()
                        .setMatchId(match)
                        .setDecisionId(id)
                        .setReason(Reason.REASON_MATCH_NOT_FOUND);
        return io.github.fairdeal.v1.Update.newBuilder().setRefused(refused).build();
    }

    static io.github.fairdeal.v1.Update finished(String match, Termination termination) {
        Finished.Builder finished = Finished.newBuilder().setMatchId(match).setTermination(termination);
        return io.github.fairdeal.v1.Update.newBuilder().setFinished(finished).build();
    }

    static io.github.fairdeal.v1.Update finished(String match) {
        return finished(match, Termination.TERMINATION_COMPLETED);
    }

    static io.github.fairdeal.v1.Update notice(NoticeKind kind) {
        Notice.Builder notice = Notice.newBuilder().setKind(kind);
        return io.github.fairdeal.v1.Update.newBuilder().setNotice(notice).build();
    }
}
