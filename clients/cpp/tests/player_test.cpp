// When the bot's answers are sent, and what is told while it is busy.
#include "player.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "environment.h"
#include "fairdeal/run.h"
#include "referee.h"

namespace fairdeal {
namespace {

using namespace testing;
using grpc::Status;

/// Play one match with a bot that thinks so, whose answers wait for others for `share` seconds.
void play(Referee& referee, std::function<void(const Decision&)> think, double share,
          bool plays_forced = false) {
  struct Thinking : Bot {
    explicit Thinking(std::function<void(const Decision&)> think) : think(std::move(think)) {}
    Answer act(const Decision& decision) override { return think(decision), Answer::index(0); }
    std::function<void(const Decision&)> think;
  } bot(std::move(think));
  Connection connection(settle({.address = referee.address, .matches = 1}), false, share);
  const std::jthread network([&connection] { connection.run(); });
  play(connection, bot, plays_forced);
}

class PlayerTest : public CleanEnvironment {};

TEST_F(PlayerTest, AnswersToOneFrameShareAFrame) {
  constexpr int kTables = 40;
  std::vector<int> sizes;
  std::promise<void> acknowledged;  // the second frame, in between
  Referee referee({[&](Talk& talk) {
    v1::PlayResponse frame = testing::frame({welcome()});
    for (int table = 0; table < kTables; ++table) {
      const std::string match = std::to_string(table);
      frame.MergeFrom(testing::frame({seated(match), asks(match, 1)}));
    }
    talk.next();
    talk.tell(frame);
    talk.tell({notice("HEARTBEAT")});
    bool is_acknowledged = false;
    for (int answers = 0; answers < kTables;) {
      const auto request = talk.next();
      if (!request) break;
      if (request->frames_received() == 2 && !std::exchange(is_acknowledged, true)) acknowledged.set_value();
      if (!request->answers_size()) continue;
      sizes.push_back(request->answers_size());
      answers += sizes.back();
    }
    talk.tell({finished("0")});
    talk.rest();
    return Status::OK;
  }});
  auto acknowledgement = acknowledged.get_future();
  int acts = 0;
  const auto think = [&](const Decision&) {
    if (++acts != 2) return;
    EXPECT_EQ(acknowledgement.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  };
  play(referee, think, 60);
  EXPECT_EQ(sizes, std::vector{kTables});
}

TEST(OnlyAnswerTest, IsTheOneThatIsLegal) {
  const auto only = [](const std::string& legal) {
    const std::optional<Answer> answer = only_answer(parse<v1::Legal>(legal));
    return answer ? answer->message().ShortDebugString() : "none";
  };
  EXPECT_EQ(only("actions { actions { bid: 3 } }"), "index: 0");
  EXPECT_EQ(only("choose_cards { cards: [1, 2] minimum: 2 maximum: 2 }"), "action { choose_cards { cards: CARD_TWO_OF_CLUBS cards: CARD_THREE_OF_CLUBS } }");
  EXPECT_EQ(only("choose_cards { cards: [1, 2] }"), "action { choose_cards { } }");
  EXPECT_EQ(only("choose_combinations {}"), "action { choose_combinations { } }");
  EXPECT_EQ(only("choose_combinations { combinations { point {} } minimum: 1 maximum: 1 }"),
            "action { choose_combinations { combinations { point { } } } }");
  for (const char* several : {"", "actions {}", "actions { actions {} actions {} }",
                              "choose_cards { cards: [1, 2] minimum: 1 maximum: 2 }",
                              "choose_cards { cards: [1, 2, 3] minimum: 2 maximum: 2 }",
                              "choose_combinations { combinations {} maximum: 1 }"}) {
    EXPECT_EQ(only(several), "none") << several;
  }
}

TEST_F(PlayerTest, WhatIsForcedIsPlayedWithoutAskingTheBotWhereItWishes) {
  for (const bool plays_forced : {true, false}) {
    Referee referee({[&](Talk& talk) {
      talk.next();
      talk.tell({welcome(), seated("m1"), asks("m1", 1)});
      EXPECT_EQ(talk.answer().index(), 0u);
      talk.tell({finished("m1")});
      talk.rest();
      return Status::OK;
    }});
    int acts = 0;
    play(referee, [&](const Decision&) { ++acts; }, Connection::kShare, plays_forced);
    EXPECT_EQ(acts, plays_forced ? 0 : 1);
  }
}

TEST_F(PlayerTest, AnAnswerDoesNotWaitForASlowOne) {
  std::promise<std::string> answered;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m1"), seated("m2"), asks("m1", 1), asks("m2", 1)});
    answered.set_value(talk.answer().match_id());
    talk.tell({finished("m1")});
    talk.rest();
    return Status::OK;
  }});
  auto first = answered.get_future();
  const auto think = [&](const Decision& decision) {
    if (decision.match().id != "m2") return;
    EXPECT_EQ(first.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  };
  play(referee, think, Connection::kShare);
  EXPECT_EQ(first.get(), "m1");
}

TEST_F(PlayerTest, AFaultIsALineWhileTheBotIsBusyAndOnlyOnce) {
  std::promise<void> asked;
  std::promise<void> told;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m"), asks("m", 1)});
    asked.get_future().wait();
    talk.tell({"closed { match_id: 'm' decision_id: 1 reason: CLOSE_REASON_DEFAULTED fault: FAULT_LATE }",
               notice("HEARTBEAT")});
    for (auto request = talk.next(); request && request->frames_received() < 2;) request = talk.next();
    told.set_value();
    talk.tell({finished("m")});
    talk.rest();
    return Status::OK;
  }});
  std::string lines;
  ::testing::internal::CaptureStderr();
  const auto think = [&](const Decision&) {
    asked.set_value();
    EXPECT_EQ(told.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
    lines = ::testing::internal::GetCapturedStderr();
    ::testing::internal::CaptureStderr();
  };
  play(referee, think, Connection::kShare);
  EXPECT_EQ(lines, "fairdeal: match m, decision 1: LATE: the referee played the default action\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PlayerTest, ANoteGoesWithTheAnswerAndOneThatIsTooLongDoesNot) {
  std::vector<v1::Answer> answers;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m"), asks("m", 1)});
    answers.push_back(talk.answer());
    talk.tell({asks("m", 2)});
    answers.push_back(talk.answer());
    talk.tell({"closed { match_id: 'm' decision_id: 1 reason: CLOSE_REASON_ANSWERED note_dropped: true }",
               finished("m")});
    talk.rest();
    return Status::OK;
  }});
  const std::string longest(Answer::kMaxNote, 'x');
  ::testing::internal::CaptureStderr();
  run(
      [&](const Decision& decision) {
        return Answer::index(0).with_note("another").with_note(decision.id() == 1 ? longest : longest + "x");
      },
      {.address = referee.address, .matches = 1});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "fairdeal: match m, decision 2: the note is not sent: it has 4097 bytes, and 4096 may be sent\n"
            "fairdeal: match m, decision 1: the referee did not keep the note: it is too long or not UTF-8, or too many"
            " came\n");
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].note(), longest);
  EXPECT_TRUE(answers[1].has_index());
  EXPECT_EQ(answers[1].note(), "");
}

}  // namespace
}  // namespace fairdeal
