package io.github.fairdeal;

import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.Bye;
import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Finished;
import io.github.fairdeal.v1.Happened;
import io.github.fairdeal.v1.Hello;
import io.github.fairdeal.v1.Notice;
import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.PlayResponse;
import io.github.fairdeal.v1.Ready;
import io.github.fairdeal.v1.Refused;
import io.github.fairdeal.v1.ResumePoint;
import io.github.fairdeal.v1.Seated;
import io.github.fairdeal.v1.Termination;
import io.github.fairdeal.v1.Welcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One session with a referee as pure logic, over one stream or, by {@link #rejoin}, several: frames in, updates out;
 * answers in, requests out. No I/O, no clock and no thread; its first request is the hello.
 *
 * <p>It takes every seat that it is given. It leaves by itself after the hello's number of matches, and when it plays
 * nothing and no more matches come: the referee is about to leave, or was asked for no more.
 */
final class Session {
    static final int VERSION = 1;
    static final int MAX_FRAME_BYTES = 32 * 1024;

    // a frame received is acknowledged with the next request; without one, after so many frames or bytes, which is
    // a quarter of what the referee allows
    private static final int ACKNOWLEDGE_FRAMES = 16;
    private static final int ACKNOWLEDGE_BYTES = 64 * 1024;

    private final Hello opening;
    private final String seed;
    private final Ledger ledger;
    private final Map<String, Table> tables = new LinkedHashMap<>();
    private Hello hello;
    private PlayRequest.Builder pending = PlayRequest.newBuilder();
    private long frames;
    private long acknowledged;
    private long unacknowledgedBytes;
    private boolean mustAcknowledge;
    private int maxFrameBytes = MAX_FRAME_BYTES;
    private int acknowledgeFrames = ACKNOWLEDGE_FRAMES;
    private int acknowledgeBytes = ACKNOWLEDGE_BYTES;
    private boolean welcomed;
    private Duration heartbeat = Duration.ZERO;
    private int finished;
    private boolean draining;
    private boolean retiring;
    private boolean leaving;
    private boolean left;
    private String sentTo;

    /** What is known of a match that the bot has a seat in. */
    private static final class Table {
        final Match match;
        int sequence; // the last event received
        int asked; // the last decision, one at a time
        boolean isOpen; // whether it is neither answered nor closed
        boolean isAskedHere; // whether it came over the current stream
        io.github.fairdeal.v1.Answer answer; // what it was answered, until it is closed

        Table(Match match) {
            this.match = match;
        }
    }

    /**
     * Makes a session; {@code seed} is what the decisions' generators are made from, {@code ledger} keeps what is told
     * and answered.
     */
    Session(Hello hello, String seed, Ledger ledger) {
        this.opening = hello;
        this.hello = hello;
        this.seed = seed;
        this.ledger = ledger;
    }

    /**
     * Takes a frame in and returns what it tells the bot, in order.
     *
     * @throws FairdealException a newer session took over, or the frame is invalid
     */
    List<Update> receive(PlayResponse frame) {
        frames++;
        unacknowledgedBytes += frame.getSerializedSize();
        if (!welcomed && !leaving && (frame.getUpdatesCount() == 0 || !frame.getUpdates(0).hasWelcome())) {
            throw nonsense("the referee sent a message before its welcome");
        }
        List<Update> told = new ArrayList<>(frame.getUpdatesCount());
        for (io.github.fairdeal.v1.Update update : frame.getUpdatesList()) {
            if (leaving) {
                break; // it has said goodbye, later updates do not concern it
            }
            take(update, told);
        }
        return told;
    }

    /**
     * Goes on over a new stream: the next request is a hello that tells where the bot is in its matches.
     *
     * <p>What was not sent yet is dropped. An answer that the bot has given, or gives meanwhile, is sent when the
     * decision comes again.
     */
    void rejoin() {
        Hello.Builder again = opening.toBuilder();
        for (Table table : tables.values()) {
            again.addResume(
                    ResumePoint.newBuilder()
                            .setMatchId(table.match.id())
                            .setSequence(table.sequence)
                            .setAttempt(table.match.attempt()));
            table.isAskedHere = false;
        }
        if (opening.getMatches() != 0) {
            again.setMatches(opening.getMatches() - finished);
        }
        hello = again.build();
        pending = PlayRequest.newBuilder();
        frames = 0;
        acknowledged = 0;
        unacknowledgedBytes = 0;
        mustAcknowledge = false;
        welcomed = false;
        sentTo = null;
        draining &= retiring;
    }

    /** Returns where the referee has sent the bot, whose next stream goes there; empty: where it began; or null. */
    String sentTo() {
        return sentTo;
    }

    /** Returns whether a decision still waits for its answer. */
    boolean isAsked(Decision decision) {
        Table table = tables.get(decision.match().id());
        return !leaving
                && table != null
                && table.match == decision.match()
                && table.asked == decision.id()
                && table.isOpen;
    }

    /** Answers a decision, and sends it unless the decision is still to come again; of a closed one nothing is sent. */
    void answer(Decision decision, Answer given) {
        if (isAsked(decision)) {
            Table table = tables.get(decision.match().id());
            table.isOpen = false;
            table.answer = given.to(decision);
            if (table.isAskedHere) {
                pending.addAnswers(table.answer);
            }
        }
    }

    /** Asks for no more matches: leaves once its matches are over and the referee has confirmed it. */
    void retire() {
        retiring = true;
        pending.setNoMoreMatches(true);
    }

    /** Expects no more matches: leaves once its matches are over. */
    void drain() {
        draining = true;
        leaveIfDone();
    }

    /** Leaves with the next requests. */
    void leave() {
        leaving = true;
    }

    /** Returns what is to be sent now, each a frame of a size that the referee takes. */
    List<PlayRequest> takeRequests() {
        if (left) {
            return List.of();
        }
        List<PlayRequest> requests = new ArrayList<>();
        if (hello != null) {
            PlayRequest.Builder first = PlayRequest.newBuilder().setFramesReceived(frames).setHello(hello);
            requests.add(first.setNoMoreMatches(retiring).build());
            hello = null;
        }
        if (leaving) {
            pending.setBye(Bye.getDefaultInstance());
            left = true;
        }
        if (isPending() || owesAcknowledgement()) {
            PlayRequest whole = pending.setFramesReceived(frames).build();
            pending = PlayRequest.newBuilder();
            requests.addAll(Frames.split(whole, maxFrameBytes));
        }
        if (!requests.isEmpty()) {
            acknowledged = frames;
            unacknowledgedBytes = 0;
            mustAcknowledge = false;
        }
        return requests;
    }

    /** Returns how many frames were received over the current stream. */
    long frames() {
        return frames;
    }

    /** Returns whether the referee has opened the session over the current stream. */
    boolean isWelcomed() {
        return welcomed;
    }

    /** Returns how often the referee sends something; zero: only when there is something to send. */
    Duration heartbeat() {
        return heartbeat;
    }

    /** Returns how many matches are being played. */
    int playing() {
        return tables.size();
    }

    /** Returns whether the bot wants no more matches. */
    boolean isRetiring() {
        return retiring;
    }

    /** Returns whether the bot says goodbye with the next requests, or has. */
    boolean isLeaving() {
        return leaving;
    }

    /** Returns whether all requests were given, goodbye the last. */
    boolean hasLeft() {
        return left;
    }

    private void take(io.github.fairdeal.v1.Update update, List<Update> told) {
        switch (update.getKindCase()) {
            case WELCOME -> welcome(update.getWelcome());
            case SEATED -> seated(update, told);
            case HAPPENED -> happened(update, told);
            case DECISION -> asked(update, told);
            case CLOSED -> closed(update, told);
            case REFUSED -> refused(update, told);
            case FINISHED -> finished(update, told);
            case NOTICE -> notice(update, told);
            case REDIRECT -> sentTo = update.getRedirect().getAddress();
            default -> {} // of a kind that this version does not know
        }
    }

    private void welcome(Welcome welcome) {
        if (welcome.getVersion() != VERSION) {
            throw nonsense(
                    "the referee speaks version " + Integer.toUnsignedString(welcome.getVersion())
                            + " of the protocol, not " + VERSION);
        }
        welcomed = true;
        heartbeat = Durations.of(welcome.getHeartbeat());
        // a limit beyond 2^31 - 1, which Java reads as negative, is as good as none
        maxFrameBytes = welcome.getMaxFrameBytes() > 0 ? welcome.getMaxFrameBytes() : MAX_FRAME_BYTES;
        if (welcome.getMaxUnacknowledgedFrames() > 0) {
            acknowledgeFrames = Math.max(1, welcome.getMaxUnacknowledgedFrames() / 4);
        }
        if (welcome.getMaxUnacknowledgedBytes() > 0) {
            acknowledgeBytes = Math.max(1, welcome.getMaxUnacknowledgedBytes() / 4);
        }
    }

    private void seated(io.github.fairdeal.v1.Update update, List<Update> told) {
        Seated seated = update.getSeated();
        // a new stream repeats the seat, which must be taken again: it is not ready without a session
        pending.addReady(Ready.newBuilder().setMatchId(seated.getMatchId()));
        Table known = tables.get(seated.getMatchId());
        if (known != null && known.match.attempt() == seated.getAttempt()) {
            ledger.seated(seated);
            return;
        }
        if (known != null) {
            // there is no new attempt before the earlier one is void
            Finished ended =
                    Finished.newBuilder()
                            .setMatchId(seated.getMatchId())
                            .setTermination(Termination.TERMINATION_VOID)
                            .build();
            ledger.finished(ended);
            told.add(new Update(known.match, io.github.fairdeal.v1.Update.newBuilder().setFinished(ended).build()));
        }
        ledger.seated(seated);
        Match match = new Match(seated);
        tables.put(match.id(), new Table(match));
        told.add(new Update(match, update));
    }

    private void happened(io.github.fairdeal.v1.Update update, List<Update> told) {
        Happened happened = update.getHappened();
        Table table = table(happened.getMatchId());
        int sequence = happened.getEvent().getSequence();
        if (sequence <= table.sequence) {
            return; // the bot already has it
        }
        if (sequence > table.sequence + 1) {
            throw nonsense(
                    "event " + sequence + " of match '" + happened.getMatchId() + "' follows event "
                            + table.sequence + ": the referee left some out");
        }
        table.sequence = sequence;
        told.add(new Update(table.match, update));
    }

    private void asked(io.github.fairdeal.v1.Update update, List<Update> told) {
        io.github.fairdeal.v1.Decision message = update.getDecision();
        Table table = table(message.getMatchId());
        if (message.getDecisionId() > table.asked) {
            table.asked = message.getDecisionId();
            table.isOpen = true;
            table.isAskedHere = true;
            table.answer = null;
            ledger.asked(message);
            told.add(new Update(table.match, new Decision(table.match, message, seed), update));
        } else if (message.getDecisionId() == table.asked) {
            table.isAskedHere = true;
            if (table.answer != null) {
                pending.addAnswers(table.answer);
            }
        }
    }

    private void closed(io.github.fairdeal.v1.Update update, List<Update> told) {
        Closed closed = update.getClosed();
        Table table = tables.get(closed.getMatchId());
        if (table == null) {
            return; // it travels with the next frame, and the match may be over by then
        }
        if (closed.getDecisionId() == table.asked) {
            ledger.closed(closed, table.answer);
            table.isOpen = false;
            table.answer = null;
        }
        told.add(new Update(table.match, update));
    }

    private void refused(io.github.fairdeal.v1.Update update, List<Update> told) {
        Refused refused = update.getRefused();
        Table table = tables.get(refused.getMatchId());
        told.add(new Update(table == null ? null : table.match, update));
        // decisions count from 1: with 0 it is the resume point of the match that is refused
        if (table != null && refused.getDecisionId() == 0) {
            tables.remove(refused.getMatchId());
            ledger.forgotten(refused.getMatchId());
            finished++; // it is over, one way or another
            leaveIfDone();
        }
    }

    private void finished(io.github.fairdeal.v1.Update update, List<Update> told) {
        Table table = table(update.getFinished().getMatchId());
        told.add(new Update(table.match, update));
        tables.remove(table.match.id());
        ledger.finished(update.getFinished());
        if (update.getFinished().getTermination() != Termination.TERMINATION_VOID) { // void: it is played again
            finished++;
        }
        leaveIfDone();
    }

    private void notice(io.github.fairdeal.v1.Update update, List<Update> told) {
        Notice notice = update.getNotice();
        switch (notice.getKind()) {
            case NOTICE_KIND_HEARTBEAT -> mustAcknowledge = true;
            case NOTICE_KIND_REPLACED -> throw FairdealException.rejected(
                    "this session was replaced: "
                            + (notice.getText().isEmpty()
                                    ? "a newer session of the same entry and instance took over"
                                    : notice.getText())
                            + "; to run both, give one another entry or instance (FAIRDEAL_ENTRY, FAIRDEAL_INSTANCE)",
                    "REPLACED",
                    "");
            case NOTICE_KIND_DRAINING -> {
                drain();
                told.add(new Update(null, update));
            }
            default -> told.add(new Update(null, update));
        }
    }

    private void leaveIfDone() {
        boolean isEnough = opening.getMatches() != 0 && finished >= opening.getMatches();
        if (isEnough || (draining && tables.isEmpty())) {
            leaving = true;
        }
    }

    private Table table(String matchId) {
        Table table = tables.get(matchId);
        if (table == null) {
            throw nonsense("the referee sent a message about match '" + matchId + "', in which the bot has no seat");
        }
        return table;
    }

    private boolean isPending() {
        return pending.getReadyCount() > 0
                || pending.getAnswersCount() > 0
                || pending.getNoMoreMatches()
                || pending.hasBye();
    }

    private boolean owesAcknowledgement() {
        return mustAcknowledge
                || frames - acknowledged >= acknowledgeFrames
                || unacknowledgedBytes >= acknowledgeBytes;
    }

    private static FairdealException nonsense(String text) {
        return new FairdealException(Kind.PROTOCOL_ERROR, text);
    }
}
