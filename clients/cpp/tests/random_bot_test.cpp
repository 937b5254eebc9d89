// The random bot: its answers and its command line.
#include "random_bot.h"

#include <gtest/gtest.h>

#include "arguments.h"
#include "environment.h"
#include "telling.h"

namespace fairdeal {
namespace {

using Strings = std::vector<std::string>;

Decision decision(const std::string& legal) {
  Session session = testing::opened({testing::seated("m1")});
  return testing::only<Decision>(session.receive(testing::frame({testing::asks("m1", 1, legal)})));
}

TEST(RandomBot, DrawsOneOfTheActions) {
  const Decision asked = decision("actions { actions { bid: 4 } actions { bid: 5 } actions { bid: 6 } }");
  Chance chance("seed", "m1", 0, 1);
  EXPECT_EQ(random_answer(asked).message().index(), chance.draw(3));
}

TEST(RandomBot, ChoosesCards) {
  const Decision asked = decision("choose_cards { cards: [2, 3, 4, 20, 52] minimum: 1 maximum: 4 }");
  Chance chance("seed", "m1", 0, 1);
  const auto expected = chance.choose(std::vector<int>{2, 3, 4, 20, 52}, 1, 4);
  const v1::Answer answer = random_answer(asked).message();
  const auto& cards = answer.action().choose_cards().cards();
  EXPECT_EQ(std::vector<int>(cards.begin(), cards.end()), expected);
}

TEST(RandomBot, ChoosesCombinations) {
  const Decision asked = decision(
      "choose_combinations { combinations { set { rank: RANK_TEN count: 3 } } combinations { point { suit: SUIT_HEARTS } }"
      " minimum: 2 maximum: 2 }");
  Chance chance("seed", "m1", 0, 1);
  const auto order = chance.choose(std::vector<int>{0, 1}, 2, 2);
  const v1::Answer answer = random_answer(asked).message();
  const auto& chosen = answer.action().choose_combinations().combinations();
  ASSERT_EQ(chosen.size(), 2);
  EXPECT_EQ(chosen[0].has_set(), order[0] == 0);
  EXPECT_EQ(chosen[1].has_set(), order[0] == 1);
}

TEST(RandomBot, AnEmptyChoiceIsStillAChoice) {
  EXPECT_TRUE(random_answer(decision("choose_cards {}")).message().action().has_choose_cards());
  EXPECT_TRUE(random_answer(decision("choose_combinations {}")).message().action().has_choose_combinations());
}

TEST(RandomBot, HasNoAnswerToWhatItDoesNotKnow) { EXPECT_THROW(random_answer(decision("")), std::invalid_argument); }

TEST(Answers, HaveShortConstructors) {
  EXPECT_EQ(Answer::play(v1::CARD_ACE_OF_SPADES).message().action().play_card(), v1::CARD_ACE_OF_SPADES);
  v1::Action action;
  action.set_bid(0);
  EXPECT_EQ(Answer::action(action).message().action().kind_case(), v1::Action::kBid);
  EXPECT_EQ(Answer::cards({v1::CARD_TWO_OF_CLUBS, v1::CARD_TWO_OF_HEARTS}).message().action().choose_cards().cards(1),
            v1::CARD_TWO_OF_HEARTS);
  EXPECT_TRUE(Answer::combinations({}).message().action().has_choose_combinations());
  EXPECT_TRUE(Answer::index(0).message().has_index());
}

TEST(Cards, AreMadeOfRanksAndSuits) {
  for (const auto& [card, rank, suit] : {std::tuple{v1::CARD_TWO_OF_CLUBS, v1::RANK_TWO, v1::SUIT_CLUBS},
                                         std::tuple{v1::CARD_ACE_OF_CLUBS, v1::RANK_ACE, v1::SUIT_CLUBS},
                                         std::tuple{v1::CARD_TWO_OF_DIAMONDS, v1::RANK_TWO, v1::SUIT_DIAMONDS},
                                         std::tuple{v1::CARD_QUEEN_OF_HEARTS, v1::RANK_QUEEN, v1::SUIT_HEARTS},
                                         std::tuple{v1::CARD_ACE_OF_SPADES, v1::RANK_ACE, v1::SUIT_SPADES},
                                         std::tuple{v1::CARD_UNSPECIFIED, v1::RANK_UNSPECIFIED, v1::SUIT_UNSPECIFIED}}) {
    EXPECT_EQ(rank_of(card), rank) << card;
    EXPECT_EQ(suit_of(card), suit) << card;
  }
}

class ArgumentsTest : public testing::CleanEnvironment {};

TEST_F(ArgumentsTest, SetTheOptions) {
  const Arguments given =
      parse({"--connect", "h:1", "--game=hearts", "--matches", "3", "--tables", "4", "--seed", "s", "--entry", "e",
             "--instance", "i", "--connect-timeout", "0.5", "--reconnect-timeout=7"});
  EXPECT_EQ(given.options.address, "h:1");
  EXPECT_EQ(given.options.games, Strings{"hearts"});
  EXPECT_EQ(given.options.matches, 3);
  EXPECT_EQ(given.options.tables, 4);
  EXPECT_EQ(given.options.seed, "s");
  EXPECT_EQ(given.options.entry, "e");
  EXPECT_EQ(given.options.instance, "i");
  EXPECT_EQ(given.options.connect_timeout.count(), 0.5);
  EXPECT_EQ(given.options.reconnect_timeout.count(), 7);
  EXPECT_TRUE(given.tells);
  EXPECT_TRUE(parse({"--tables", "1", "--help"}).help);
}

TEST_F(ArgumentsTest, WithoutThemItPlaysOneMatchUnderANewName) {
  const Arguments given = parse({});
  EXPECT_FALSE(given.tells);
  EXPECT_EQ(given.options.matches, 1);
  EXPECT_EQ(given.options.entry, "random");
  EXPECT_EQ(given.options.instance->size(), 8u);
  EXPECT_NE(given.options.instance, parse({}).options.instance);
  EXPECT_EQ(parse({"--instance", "i"}).options.instance, "i");
  EXPECT_EQ(parse({"--entry", "e"}).options.instance, std::nullopt);
}

TEST_F(ArgumentsTest, AHostedBotPlaysAsTheEnvironmentSays) {
  set("ADDRESS", "h:1");
  EXPECT_EQ(parse({}).options.matches, 0);
  EXPECT_EQ(parse({"--matches", "2"}).options.matches, 2);
  EXPECT_EQ(parse({"--connect", "h:2"}).options.matches, 1);
  set("INSTANCE", "i");
  EXPECT_EQ(parse({}).options.entry, "random");
  EXPECT_EQ(parse({}).options.instance, std::nullopt);
  set("ENTRY", "e");
  EXPECT_EQ(parse({}).options.entry, std::nullopt);
}

TEST_F(ArgumentsTest, WhatCannotBeIsNamed) {
  const std::pair<Strings, std::string> cases[] = {
      {{"--foo"}, "unrecognized arguments: --foo"},
      {{"--foo=1"}, "unrecognized arguments: --foo=1"},
      {{"hearts"}, "unrecognized arguments: hearts"},
      {{"--game"}, "argument --game: expected one argument"},
      {{"--matches", "x"}, "argument --matches: invalid int value: 'x'"},
      {{"--matches", "1x"}, "argument --matches: invalid int value: '1x'"},
      {{"--tables="}, "argument --tables: invalid int value: ''"},
      {{"--tables", "99999999999"}, "argument --tables: invalid int value: '99999999999'"},
      {{"--connect-timeout", "1s"}, "argument --connect-timeout: invalid float value: '1s'"},
  };
  for (const auto& [arguments, text] : cases) {
    try {
      parse(arguments);
      ADD_FAILURE() << text;
    } catch (const BadSetting& error) {
      EXPECT_EQ(error.what(), text);
    }
  }
}

}  // namespace
}  // namespace fairdeal
