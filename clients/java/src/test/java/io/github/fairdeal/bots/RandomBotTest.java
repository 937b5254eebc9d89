package io.github.fairdeal.bots;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.fairdeal.Answer;
import io.github.fairdeal.Chance;
import io.github.fairdeal.Decision;
import io.github.fairdeal.Match;
import io.github.fairdeal.v1.Action;
import io.github.fairdeal.v1.ActionList;
import io.github.fairdeal.v1.CardList;
import io.github.fairdeal.v1.ChooseCards;
import io.github.fairdeal.v1.ChooseCombinations;
import io.github.fairdeal.v1.Combination;
import io.github.fairdeal.v1.CombinationList;
import io.github.fairdeal.v1.Legal;
import io.github.fairdeal.v1.Rank;
import io.github.fairdeal.v1.Seat;
import io.github.fairdeal.v1.Seated;
import io.github.fairdeal.v1.SetCombination;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RandomBotTest {
    private static final int SEAT = 1;

    private static Decision decision(int id, Legal.Builder legal) {
        Seated seated = Seated.newBuilder().setMatchId("m").setSeat(Seat.SEAT_1).build();
        io.github.fairdeal.v1.Decision.Builder message =
                io.github.fairdeal.v1.Decision.newBuilder().setMatchId("m").setDecisionId(id).setLegal(legal);
        return new Decision(new Match(seated), message.build(), "s");
    }

    private static void assertAnswers(io.github.fairdeal.v1.Answer.Builder expected, Decision decision) {
        Answer answer = new RandomBot().act(decision);
        assertEquals(
                expected.setMatchId("m").setDecisionId(decision.id()).build(), answer.to(decision));
    }

    @Test
    void drawsAnIndexWhereActionsAreListed() {
        ActionList.Builder actions = ActionList.newBuilder();
        IntStream.range(0, 13).forEach(bid -> actions.addActions(Action.newBuilder().setBid(bid)));
        for (int id = 1; id < 20; id++) {
            int drawn = (int) new Chance("s", "m", SEAT, id).draw(13);
            assertAnswers(
                    io.github.fairdeal.v1.Answer.newBuilder().setIndex(drawn),
                    decision(id, Legal.newBuilder().setActions(actions)));
        }
    }

    @Test
    void choosesAmongCardsEvenThoseOfANewerVersion() {
        List<Integer> numbers = List.of(1, 5, 9, 52, 90, 91);
        ChooseCards.Builder choice =
                ChooseCards.newBuilder().addAllCardsValue(numbers).setMinimum(1).setMaximum(6);
        for (int id = 1; id < 20; id++) {
            List<Integer> chosen = new Chance("s", "m", SEAT, id).choose(numbers, 1, 6);
            CardList.Builder cards = CardList.newBuilder().addAllCardsValue(chosen);
            assertAnswers(
                    io.github.fairdeal.v1.Answer.newBuilder().setAction(Action.newBuilder().setChooseCards(cards)),
                    decision(id, Legal.newBuilder().setChooseCards(choice)));
        }
    }

    @Test
    void choosesAmongCombinationsEvenNone() {
        List<Combination> combinations =
                IntStream.of(10, 11, 12)
                        .mapToObj(
                                rank ->
                                        Combination.newBuilder()
                                                .setSet(SetCombination.newBuilder().setRank(Rank.forNumber(rank)))
                                                .build())
                        .toList();
        for (int count : new int[] {0, 3}) {
            int least = count / 2;
            List<Combination> offered = combinations.subList(0, count);
            ChooseCombinations.Builder choice =
                    ChooseCombinations.newBuilder()
                            .addAllCombinations(offered)
                            .setMinimum(least)
                            .setMaximum(count);
            List<Combination> chosen = new Chance("s", "m", SEAT, 1).choose(offered, least, count);
            CombinationList.Builder list = CombinationList.newBuilder().addAllCombinations(chosen);
            assertAnswers(
                    io.github.fairdeal.v1.Answer.newBuilder()
                            .setAction(Action.newBuilder().setChooseCombinations(list)),
                    decision(1, Legal.newBuilder().setChooseCombinations(choice)));
        }
    }
}
