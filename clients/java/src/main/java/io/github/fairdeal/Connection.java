package io.github.fairdeal;

import io.github.fairdeal.FairdealException.Kind;
import io.github.fairdeal.v1.PlayRequest;
import io.github.fairdeal.v1.PlayResponse;
import java.util.OptionalDouble;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A session over gRPC, from the first dialling to its end: an end to every wait, and back when the stream breaks.
 *
 * <p>Three threads: the caller's dials and waits, the network's receives, the bot's answers. What they share is guarded
 * by this object's lock, which nobody holds while waiting for anything else.
 */
final class Connection implements Player.Table, Stream.Listener {
    private static final double GOODBYE_SECONDS = 3; // how long the end of a session may take
    private static final double ANSWER_SECONDS = 3; // how long the referee may take to say that no more matches come
    private static final int SILENT_HEARTBEATS = 3; // after so many without a frame the referee counts as gone
    private static final double LEAST_PATIENCE = 5; // time for an attempt to find out why it fails in a cold JVM
    private static final double PATIENCE_UNTOLD = 2; // after so long without a referee, a line says why
    private static final int MOVES = 4; // how often a bot that was just sent on is sent on before it waits a moment
    private static final double MOMENT = 1; // seconds
    private static final double LONGEST_FIRST_DELAY = 1; // a referee that is just starting should be found soon

    private final Settings home;
    private Settings settings; // with the address of the current stream
    private final Session session;
    private final Player player;
    private final double connectSeconds;
    private final double reconnectSeconds;
    private Stream stream; // the current one; null between streams
    private FairdealException ending; // of the current stream
    private FairdealException failure; // of the session: it is not dialled again
    private double deadline; // until when the next frame must have come
    private double answerBy = Double.POSITIVE_INFINITY; // until when the referee may say that no more matches come
    private double dialledAt; // at first; 0 before
    private double welcomedAt;
    private boolean wasLost;
    private boolean isSent; // by the referee, to where it is
    private int moves;
    private boolean hasToldWaiting;
    private boolean isStopped;
    private boolean isInterrupted;

    Connection(Settings settings, Bot bot) {
        this.home = settings;
        this.settings = settings;
        Ledger ledger = Ledger.open(settings.keep(), Log::line);
        this.session = new Session(settings.hello(Player.wantsEvents(bot)), settings.seed(), ledger);
        this.player = new Player(bot, this, System::nanoTime, settings.playForced());
        this.connectSeconds = Durations.seconds(settings.connectTimeout());
        this.reconnectSeconds = Durations.seconds(settings.reconnectTimeout());
    }

    /**
     * Connects and plays until the session ends.
     *
     * @throws FairdealException the session failed
     */
    void run() {
        Thread acting = new Thread(player, "fairdeal-bot");
        acting.setDaemon(true);
        acting.start();
        try (Network network = new Network()) {
            play(network);
        } finally {
            synchronized (this) {
                session.leave(); // nobody waits any more for what is still to be answered
            }
            player.end();
            join(acting);
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Says goodbye to the referee and ends the run; from any thread. */
    synchronized void stop() {
        isStopped = true;
        notifyAll();
    }

    /** Finishes what is being played, takes no more matches, and then ends the run; from any thread. */
    synchronized void finish() {
        int playing = session.playing();
        if (playing > 0) {
            String matches = playing == 1 ? "1 match" : playing + " matches";
            Log.line("finishing " + matches + "; a second Ctrl-C leaves now");
        } else if (!session.isWelcomed()) {
            stop();
            return;
        }
        session.retire();
        send();
        answerBy = now() + ANSWER_SECONDS;
        notifyAll();
    }

    @Override
    public synchronized boolean isAsked(Decision decision) {
        return session.isAsked(decision);
    }

    @Override
    public synchronized void answer(Decision decision, Answer answer) {
        session.answer(decision, answer);
    }

    @Override
    public synchronized void send() {
        if (stream == null || session.hasLeft()) {
            return;
        }
        for (PlayRequest request : session.takeRequests()) {
            stream.write(request);
        }
        if (session.hasLeft()) {
            stream.finishWriting();
        }
    }

    @Override
    public synchronized void received(Stream from, PlayResponse frame) {
        if (from != stream || failure != null) {
            return;
        }
        try {
            player.tell(session.receive(frame));
        } catch (FairdealException error) {
            failure = Endings.at(settings.address(), error);
        }
        double silence = SILENT_HEARTBEATS * Durations.seconds(session.heartbeat());
        deadline = silence > 0 ? now() + silence : Double.POSITIVE_INFINITY;
        if (failure == null && session.frames() == 1) {
            arrive();
        }
        send();
        if (failure != null || session.isLeaving() || session.frames() == 1) {
            notifyAll();
        }
    }

    @Override
    public synchronized void ended(Stream from, FairdealException why) {
        if (from == stream) {
            ending = why;
            notifyAll();
        }
    }

    @Override
    public synchronized boolean isWelcomed() {
        return session.isWelcomed();
    }

    private void play(Network network) {
        Backoff arrival = backoff(connectSeconds, LONGEST_FIRST_DELAY);
        Backoff comeback = null;
        for (;;) {
            FairdealException broken = overStream(network, comeback == null ? arrival : comeback);
            if (broken == null) {
                return;
            }
            double now = now();
            if (session.isWelcomed()) {
                comeback = comeback == null ? backoff(reconnectSeconds, Backoff.LONGEST_DELAY) : comeback;
                double lasted = now - welcomedAt;
                // a bot that is too fast whenever it is back must not dial forever
                if (lasted >= Backoff.LASTING || !Endings.isPassing(broken)) {
                    comeback.restart(now, reconnectSeconds, lasted);
                }
            }
            if (isDone()) {
                return;
            }
            if (session.sentTo() != null) {
                if (!moveOn(session.sentTo(), now)) {
                    return;
                }
                continue;
            }
            boolean mayReturn = comeback != null || Endings.isPassing(broken);
            if (!mayReturn || Endings.isFinal(broken, session.playing() > 0)) {
                throw broken;
            }
            OptionalDouble delay = (comeback == null ? arrival : comeback).nextDelay(now);
            if (delay.isEmpty()) {
                throw inVain(broken);
            }
            if (session.isWelcomed() || isSent) {
                wasLost = true;
                String seconds = Durations.text(settings.reconnectTimeout());
                Log.line(broken.getMessage() + "; dialling again for up to " + seconds);
            } else if (!wasLost && !hasToldWaiting && now - dialledAt >= PATIENCE_UNTOLD) {
                hasToldWaiting = true;
                String seconds = Durations.text(settings.connectTimeout());
                Log.line(broken.getMessage() + "; dialling for up to " + seconds);
            }
            synchronized (this) {
                settings = home;
                isSent = false;
                session.rejoin();
            }
            if (!pause(delay.getAsDouble())) {
                return;
            }
        }
    }

    /** Goes on where the referee sends the bot, at once unless it is sent to and fro; returns whether to. */
    private synchronized boolean moveOn(String place, double now) {
        moves = now - welcomedAt < MOMENT ? moves + 1 : 0;
        settings = home.sentTo(place);
        isSent = true;
        session.rejoin();
        return pause(moves > MOVES ? MOMENT : 0);
    }

    private synchronized boolean isDone() {
        return session.isRetiring() && session.playing() == 0;
    }

    /** Plays over one stream until it ends; returns what broke it, null when the bot has left. */
    private synchronized FairdealException overStream(Network network, Backoff backoff) {
        ending = null;
        stream = new Stream(network.channel(settings), settings, this);
        try {
            stream.open();
            send();
            if (dialledAt == 0) {
                dialledAt = now();
                backoff.restart(dialledAt, connectSeconds, 0); // what a cold JVM takes to dial is not waiting
            }
            deadline = now() + Math.max(LEAST_PATIENCE, Math.min(connectSeconds, backoff.left(now())));
            while (ending == null && failure == null && !isStopped && !session.isLeaving() && now() < deadline) {
                await(Math.min(deadline, answerBy));
                if (now() >= answerBy) {
                    answerBy = Double.POSITIVE_INFINITY;
                    session.drain(); // an older referee does not know the request, and does not answer
                }
            }
            if (failure != null || isStopped || session.isLeaving()) {
                goodbye();
            }
            if (failure != null) {
                throw failure;
            }
            if (session.isLeaving()) {
                return null;
            }
            return ending == null ? silence() : ending;
        } finally {
            stream.close();
            stream = null;
        }
    }

    /** Leaves, and gives the referee some time to end the stream; not if it was never reached. */
    private void goodbye() {
        session.leave();
        send();
        double until = now() + GOODBYE_SECONDS;
        while (ending == null && stream.isThere() && now() < until) {
            await(until);
        }
    }

    private FairdealException silence() {
        if (session.isWelcomed()) {
            return new FairdealException(
                    Kind.CONNECTION_LOST, "the referee at " + settings.address() + " is not responding");
        }
        return new FairdealException(
                Kind.CANNOT_CONNECT, "the referee at " + settings.address() + " did not welcome the bot in time");
    }

    private void arrive() {
        welcomedAt = now();
        if (wasLost && !isSent) {
            Log.line("the session with the referee at " + settings.address() + " is back");
        }
    }

    /** Returns the error for the end of the time for dialling. */
    private FairdealException inVain(FairdealException broken) {
        if (session.isWelcomed()) {
            return broken; // there was no time to dial again
        }
        if (wasLost) {
            String seconds = Durations.text(settings.reconnectTimeout());
            return new FairdealException(
                    Kind.CONNECTION_LOST, broken.getMessage() + "; the bot dialled again for " + seconds);
        }
        if (broken.absence() != null) {
            String seconds = Durations.text(settings.connectTimeout());
            String text = "no referee answers at " + settings.address() + " within " + seconds;
            return new FairdealException(
                    Kind.CANNOT_CONNECT,
                    text + ": " + broken.absence() + Endings.hint(settings, broken.absence()));
        }
        if (broken.kind() == Kind.REJECTED) {
            String seconds = Durations.text(settings.connectTimeout());
            return FairdealException.rejected(
                    broken.getMessage() + "; the bot dialled for " + seconds,
                    broken.reason(),
                    broken.incident());
        }
        return broken;
    }

    /** Waits, and returns whether to go on. */
    private synchronized boolean pause(double seconds) {
        double until = now() + seconds;
        while (!isStopped && now() < until) {
            await(until);
        }
        return !isStopped;
    }

    /** Waits until something changes, or until a time; an interrupt stops the run. */
    private void await(double until) {
        try {
            if (until == Double.POSITIVE_INFINITY) {
                wait();
            } else {
                wait(Math.max(1, (long) Math.ceil((until - now()) * 1e3)));
            }
        } catch (InterruptedException error) {
            isInterrupted = true;
            isStopped = true;
        }
    }

    private void join(Thread acting) {
        try {
            acting.join((long) (GOODBYE_SECONDS * 1e3));
        } catch (InterruptedException error) {
            isInterrupted = true;
        }
    }

    private static Backoff backoff(double timeout, double longest) {
        return new Backoff(now(), timeout, longest, () -> ThreadLocalRandom.current().nextDouble());
    }

    private static double now() {
        return System.nanoTime() / 1e9;
    }
}
