package io.github.fairdeal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.ActionList;
import io.github.fairdeal.v1.Card;
import io.github.fairdeal.v1.ChooseCards;
import io.github.fairdeal.v1.ChooseCombinations;
import io.github.fairdeal.v1.Closed;
import io.github.fairdeal.v1.Combination;
import io.github.fairdeal.v1.Event;
import io.github.fairdeal.v1.Finished;
import io.github.fairdeal.v1.Legal;
import io.github.fairdeal.v1.Notice;
import io.github.fairdeal.v1.NoticeKind;
import io.github.fairdeal.v1.Refused;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlayerTest {
    private static final Match MATCH = new Match(Tell.seated("m1").getSeated());

    /** Records what the player does. */
    private static class Table implements Player.Table {
        final List<String> done = new ArrayList<>();
        Predicate<Decision> asked = decision -> true;

        @Override
        public boolean isAsked(Decision decision) {
            return asked.test(decision);
        }

        @Override
        public void answer(Decision decision, Answer answer) {
            String what = answer == Answer.NONE ? "none" : "" + answer.to(decision).getIndex();
            done.add("answer " + decision.id() + ": " + what);
        }

        @Override
        public void send() {
            done.add("send");
        }
    }

    private static Update asked(int id) {
        io.github.fairdeal.v1.Update message = Tell.asked("m1", id);
        return new Update(MATCH, new Decision(MATCH, message.getDecision(), ""), message);
    }

    private static Update told(io.github.fairdeal.v1.Update message) {
        return new Update(MATCH, message);
    }

    /** Plays with a bot, and returns what it printed. */
    private static String play(Bot bot, Table table, List<Update> updates) {
        return play(bot, table, () -> 0, updates);
    }

    private static String play(Bot bot, Table table, LongSupplier clock, List<Update> updates) {
        Player player = new Player(bot, table, clock, false);
        return printed(
                () -> {
                    player.tell(updates);
                    player.end();
                    player.run();
                });
    }

    /** Does something, and returns what it printed. */
    private static String printed(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void answersOfAFrameAreSentTogether() {
        Table table = new Table();
        assertEquals("", play(decision -> Answer.index(decision.id()), table, List.of(asked(1), asked(2))));
        assertEquals(List.of("answer 1: 1", "answer 2: 2", "send"), table.done);
    }

    @Test
    void whatIsForcedIsPlayedWithoutAskingTheBotWhereItWishes() {
        Update one = asked(1);
        Update several = asked(2);
        Legal onlyOne = Legal.newBuilder().setActions(ActionList.newBuilder().addActions(Action.newBuilder())).build();
        Decision forced =
                new Decision(MATCH, one.decision().message().toBuilder().setLegal(onlyOne).build(), "");
        for (boolean playForced : List.of(true, false)) {
            Table table = new Table();
            List<Integer> acts = new ArrayList<>();
            Bot bot =
                    decision -> {
                        acts.add(decision.id());
                        return Answer.index(1);
                    };
            Player player = new Player(bot, table, () -> 0, playForced);
            player.tell(List.of(new Update(MATCH, forced, one.message()), several));
            player.end();
            player.run();
            assertEquals(playForced ? List.of(2) : List.of(1, 2), acts);
            assertEquals("answer 1: " + (playForced ? 0 : 1), table.done.get(0));
        }
    }

    @Test
    void theOnlyAnswerIsTheOneThatIsLegal() {
        ChooseCards.Builder cards = ChooseCards.newBuilder().addCards(Card.CARD_TWO_OF_CLUBS);
        ChooseCombinations.Builder combinations =
                ChooseCombinations.newBuilder().addCombinations(Combination.getDefaultInstance());
        Decision decision = asked(1).decision();
        assertEquals(
                Answer.cards(Card.CARD_TWO_OF_CLUBS).to(decision),
                Answer.only(legal(cards.setMinimum(1).setMaximum(1))).to(decision));
        assertEquals(
                Answer.cards().to(decision), Answer.only(legal(cards.setMinimum(0).setMaximum(0))).to(decision));
        assertEquals(
                Answer.combinations(combinations.getCombinations(0)).to(decision),
                Answer.only(legal(combinations.setMinimum(1).setMaximum(1))).to(decision));
        assertEquals(
                Answer.combinations().to(decision),
                Answer.only(legal(ChooseCombinations.newBuilder().setMaximum(2))).to(decision));
        assertNull(Answer.only(legal(cards.setMinimum(0).setMaximum(1))));
        assertNull(Answer.only(legal(combinations.setMinimum(0).setMaximum(1))));
        assertNull(Answer.only(Legal.getDefaultInstance()));
    }

    private static Legal legal(ChooseCards.Builder choice) {
        return Legal.newBuilder().setChooseCards(choice).build();
    }

    private static Legal legal(ChooseCombinations.Builder choice) {
        return Legal.newBuilder().setChooseCombinations(choice).build();
    }

    @Test
    void aSlowActDoesNotKeepTheAnswersBeforeIt() {
        Table table = new Table();
        AtomicLong nanos = new AtomicLong();
        Bot slow =
                decision -> {
                    nanos.addAndGet(Player.SHARE_NANOS * 2 / 3);
                    return Answer.index(0);
                };
        play(slow, table, nanos::get, List.of(asked(1), asked(2), asked(3)));
        assertEquals(List.of("answer 1: 0", "answer 2: 0", "send", "answer 3: 0", "send"), table.done);
    }

    @Test
    void theTimeBetweenFramesCountsForNothing() throws Exception {
        AtomicLong nanos = new AtomicLong();
        CountDownLatch hasSent = new CountDownLatch(1);
        Table table =
                new Table() {
                    @Override
                    public void send() {
                        super.send();
                        hasSent.countDown();
                    }
                };
        Player player = new Player(decision -> Answer.index(0), table, nanos::get, false);
        Thread playing = new Thread(player);
        playing.start();
        player.tell(List.of(asked(1)));
        hasSent.await();
        nanos.set(Player.SHARE_NANOS * 2);
        player.tell(List.of(asked(2), asked(3)));
        player.end();
        playing.join();
        assertEquals(List.of("answer 1: 0", "send", "answer 2: 0", "answer 3: 0", "send"), table.done);
    }

    @Test
    void aDecisionThatIsClosedIsNotAsked() {
        Table table = new Table();
        table.asked = decision -> decision.id() != 1;
        play(decision -> Answer.index(0), table, List.of(asked(1), asked(2)));
        assertEquals(List.of("answer 2: 0", "send"), table.done);
    }

    static List<Bot> failing() {
        return List.of(
                decision -> {
                    throw new IllegalStateException("my mistake");
                },
                decision -> {
                    throw new AssertionError("my mistake");
                },
                decision -> {
                    throw new Exception("my mistake");
                });
    }

    @ParameterizedTest
    @MethodSource("failing")
    void whatTheBotThrowsIsPrintedAndCostsAFault(Bot bot) {
        Table table = new Table();
        String printed = play(bot, table, List.of(asked(1), asked(2)));
        assertTrue(table.done.containsAll(List.of("answer 1: none", "answer 2: none")), table.done::toString);
        assertTrue(printed.contains("my mistake"), printed);
        assertTrue(printed.contains("at io.github.fairdeal.PlayerTest"), printed);
    }

    @Test
    void noAnswerIsAFault() {
        Table table = new Table();
        assertTrue(play(decision -> null, table, List.of(asked(1))).contains("act returned null"));
        assertEquals(List.of("answer 1: none", "send"), table.done);
    }

    @Test
    void aNoteGoesWithTheAnswerAndOneThatIsTooLongDoesNot() {
        List<String> notes = new ArrayList<>();
        Table table =
                new Table() {
                    @Override
                    public void answer(Decision decision, Answer answer) {
                        super.answer(decision, answer);
                        notes.add(answer.to(decision).getNote().toStringUtf8());
                    }
                };
        String longest = "é".repeat(Answer.MAX_NOTE / 2);
        Bot bot =
                decision -> {
                    String note = longest + "é".repeat(decision.id() - 1);
                    return Answer.index(decision.id()).withNote("another").withNote(note);
                };
        assertEquals(
                "fairdeal: match m1, decision 2: the note is not sent: it has 4098 bytes, and 4096 may be sent",
                play(bot, table, List.of(asked(1), asked(2))).strip());
        assertEquals(List.of("answer 1: 1", "answer 2: 2", "send"), table.done);
        assertEquals(List.of(longest, ""), notes);
    }

    @Test
    void aBotThatInterruptsItselfPlaysOn() {
        Table table = new Table();
        Bot bot =
                decision -> {
                    Thread.currentThread().interrupt();
                    return Answer.index(0);
                };
        play(bot, table, List.of(asked(1)));
        assertEquals(List.of("answer 1: 0", "send"), table.done);
        assertFalse(Thread.interrupted());
    }

    @Test
    void hooksAreCalledInOrder() {
        List<String> heard = new ArrayList<>();
        Bot bot =
                new Bot() {
                    @Override
                    public Answer act(Decision decision) {
                        heard.add("act " + decision.id());
                        return Answer.index(0);
                    }

                    @Override
                    public void seated(Match match) {
                        heard.add("seated " + match.id());
                        throw new IllegalStateException("hooks may fail");
                    }

                    @Override
                    public void event(Match match, Event event) {
                        heard.add("event " + event.getSequence());
                    }

                    @Override
                    public void closed(Match match, Closed closed) {
                        heard.add("closed " + closed.getDecisionId());
                    }

                    @Override
                    public void refused(Match match, Refused refused) {
                        heard.add("refused " + (match == null ? "without a seat" : refused.getDecisionId()));
                    }

                    @Override
                    public void finished(Match match, Finished finished) {
                        heard.add("finished " + match.id());
                    }

                    @Override
                    public void notice(Notice notice) {
                        heard.add("notice " + notice.getKindValue());
                    }
                };
        List<Update> updates =
                List.of(
                        told(Tell.seated("m1")),
                        told(Tell.happened("m1", 1)),
                        asked(2),
                        told(Tell.refused("m1", 2)),
                        new Update(null, Tell.refused("m2", 0)),
                        told(Tell.closed("m1", 2)),
                        new Update(null, Tell.notice(NoticeKind.NOTICE_KIND_DRAINING)),
                        told(Tell.finished("m1")));
        assertTrue(play(bot, new Table(), updates).contains("hooks may fail"));
        assertEquals(
                List.of(
                        "seated m1",
                        "event 1",
                        "act 2",
                        "refused 2",
                        "refused without a seat",
                        "closed 2",
                        "notice 1",
                        "finished m1"),
                heard);
        assertTrue(Player.wantsEvents(bot));
    }

    @Test
    void aFaultIsALineAtOnceAndOnlyOnce() {
        Player player = new Player(decision -> Answer.index(0), new Table(), () -> 0, false);
        Closed.Builder late = Closed.newBuilder().setMatchId("m1").setDecisionId(3).setFaultValue(4);
        Update update = told(io.github.fairdeal.v1.Update.newBuilder().setClosed(late).build());
        // nothing runs the player, as when the bot is busy
        assertEquals(
                List.of("fairdeal: match m1, decision 3: LATE: the referee played the default action"),
                printed(() -> player.tell(List.of(update))).lines().toList());
        player.end();
        assertEquals("", printed(player));
    }

    @Test
    void faultsAndRefusalsAreALineForABotWithoutHooks() {
        Closed.Builder late = Closed.newBuilder().setMatchId("m1").setDecisionId(3).setFaultValue(4);
        Refused.Builder stale =
                Refused.newBuilder().setMatchId("m1").setDecisionId(3).setReasonValue(4).setText("too late");
        Closed.Builder noted = Closed.newBuilder().setMatchId("m1").setDecisionId(4).setNoteDropped(true);
        Refused.Builder unknown = Refused.newBuilder().setMatchId("m1").setReasonValue(99).setText("gone");
        Bot bot = decision -> Answer.index(0);
        String printed =
                play(
                        bot,
                        new Table(),
                        List.of(
                                told(Tell.closed("m1", 2)),
                                told(io.github.fairdeal.v1.Update.newBuilder().setClosed(late).build()),
                                told(io.github.fairdeal.v1.Update.newBuilder().setClosed(noted).build()),
                                told(io.github.fairdeal.v1.Update.newBuilder().setRefused(stale).build()),
                                told(io.github.fairdeal.v1.Update.newBuilder().setRefused(unknown).build())));
        assertEquals(
                List.of(
                        "fairdeal: match m1, decision 3: LATE: the referee played the default action",
                        "fairdeal: match m1, decision 4: the referee did not keep the note: it is too long,"
                                + " or too many came",
                        "fairdeal: match m1, decision 3: the answer was refused: STALE_DECISION too late",
                        "fairdeal: match m1: the referee does not go on with it: 99 gone"),
                printed.lines().toList());
        assertFalse(Player.wantsEvents(bot));
    }
}
