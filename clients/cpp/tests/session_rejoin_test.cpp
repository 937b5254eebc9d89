// A session that goes on over a new stream, frame by frame, without a socket.
#include <gtest/gtest.h>

#include <random>

#include "fairdeal/errors.h"
#include "telling.h"

namespace fairdeal {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

Decision asked(Session& session, int decision = 1) {
  return only<Decision>(session.receive(frame({asks("m1", decision)})));
}

/// Let a session go on over a new stream; return what the bot is told.
std::vector<Update> back(Session& session, std::initializer_list<std::string> updates) {
  session.rejoin();
  session.take_requests();
  session.receive(frame({welcome()}));
  return session.receive(frame(updates));
}

TEST(Rejoin, TheHelloTellsWhereTheBotIs) {
  const std::string hello = "versions: 1 entry: 'bot' instance: 'i' games: 'hearts' tables: 5 events: true ";
  Session session(parse<v1::Hello>(hello + "matches: 3"));
  session.take_requests();
  session.receive(frame({welcome(), seated("m1"), seated("m2", "attempt: 2"), seated("m3"), happened("m2", 1),
                         happened("m2", 2), finished("m1")}));
  session.rejoin();
  EXPECT_EQ(shown(session.take_requests()),
            request("hello {" + hello + "matches: 2 resume { match_id: 'm2' sequence: 2 attempt: 2 }" +
                    " resume { match_id: 'm3' attempt: 1 } }"));
  EXPECT_EQ(shown(session.take_requests()), "");
  session.receive(frame({welcome(), seated("m2", "attempt: 2"), finished("m2"), refused("m3", 0)}));
  EXPECT_TRUE(session.leaving());
}

TEST(Rejoin, ABotWithoutALimitHasNoneLater) {
  Session session = opened({seated("m1"), finished("m1")});
  session.rejoin();
  EXPECT_EQ(shown(session.take_requests()), request("hello {}"));
}

TEST(Rejoin, AcknowledgementsStartAfresh) {
  Session session = opened();
  for (int i = 0; i < 10; ++i) session.receive(frame({notice("UNSPECIFIED")}));
  session.receive(frame({notice("HEARTBEAT"), notice("UNSPECIFIED", std::string(70'000, 'x'))}));
  session.rejoin();
  EXPECT_FALSE(session.welcomed());
  EXPECT_EQ(shown(session.take_requests()), request("hello {}"));
  session.receive(frame({welcome()}));
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(shown(session.take_requests()), "");
    session.receive(frame({notice("UNSPECIFIED")}));
  }
  EXPECT_EQ(shown(session.take_requests()), request("frames_received: 16"));
}

TEST(Rejoin, ASeatToldAgainIsTakenAgainAndNotTold) {
  Session session = opened({seated("m1")});
  EXPECT_TRUE(back(session, {seated("m1")}).empty());
  EXPECT_EQ(shown(session.take_requests()), request("frames_received: 2 ready { match_id: 'm1' }"));
}

TEST(Rejoin, ANewAttemptIsANewMatch) {
  Session session = opened({seated("m1"), happened("m1", 1)}, 1);
  const Decision first = asked(session);
  const auto told = back(session, {seated("m1", "attempt: 2"), happened("m1", 1), asks("m1", 1)});
  ASSERT_EQ(told.size(), 4u);
  const auto& ended = std::get<Finished>(told[0]);
  EXPECT_EQ(ended.match->attempt, 1u);
  EXPECT_EQ(ended.message.termination(), v1::TERMINATION_VOID);
  EXPECT_EQ(std::get<Seated>(told[1]).match->attempt, 2u);
  EXPECT_EQ(std::get<Happened>(told[2]).event.sequence(), 1u);
  EXPECT_EQ(session.finished(), 0u);
  answer(session, first, Answer::index(1));
  EXPECT_EQ(answers(session.take_requests()), Texts{});
  answer(session, std::get<Decision>(told[3]), Answer::index(0));
  EXPECT_EQ(answers(session.take_requests()), Texts{"m1/1/0"});
}

TEST(Rejoin, OnlyNewEventsAreTold) {
  Session session = opened({seated("m1"), happened("m1", 1), happened("m1", 2)});
  const auto told = back(session, {seated("m1"), happened("m1", 1), happened("m1", 2), happened("m1", 3),
                                   happened("m1", 3), happened("m1", 4)});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(std::get<Happened>(told[0]).event.sequence(), 3u);
  EXPECT_EQ(std::get<Happened>(told[1]).event.sequence(), 4u);
}

TEST(Rejoin, AnEventLeftOutIsAnError) {
  Session session = opened({seated("m1"), happened("m1", 1)});
  try {
    session.receive(frame({happened("m1", 3)}));
    FAIL();
  } catch (const ProtocolError& error) {
    EXPECT_STREQ(error.what(), "event 3 of match 'm1' follows event 1: the referee left some out");
  }
}

TEST(Rejoin, AnAnswerThatWasLostIsSentAgain) {
  Session session = opened({seated("m1")});
  answer(session, asked(session), Answer::index(1));
  EXPECT_EQ(answers(session.take_requests()), Texts{"m1/1/1"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(back(session, {seated("m1"), asks("m1", 1)}).empty());
    EXPECT_EQ(answers(session.take_requests()), Texts{"m1/1/1"});
  }
}

TEST(Rejoin, AnAnswerThatWasNeverSentWaitsForItsDecision) {
  Session session = opened({seated("m1")});
  answer(session, asked(session), Answer::index(1));
  EXPECT_TRUE(back(session, {seated("m1")}).empty());
  EXPECT_EQ(answers(session.take_requests()), Texts{});
  session.receive(frame({asks("m1", 1)}));
  EXPECT_EQ(answers(session.take_requests()), Texts{"m1/1/1"});
}

TEST(Rejoin, ABotThatThinksOnAnswersOnceOverTheNewStream) {
  for (const int when : {0, 1, 2}) {  // before the hello, before the decision, after it
    SCOPED_TRACE(when);
    Session session = opened({seated("m1")});
    const Decision decision = asked(session);
    session.rejoin();
    if (when == 0) answer(session, decision, Answer::index(1));
    EXPECT_EQ(answers(session.take_requests()), Texts{});
    session.receive(frame({welcome(), seated("m1")}));
    if (when == 1) answer(session, decision, Answer::index(1));
    EXPECT_EQ(answers(session.take_requests()), Texts{});
    EXPECT_TRUE(session.receive(frame({asks("m1", 1)})).empty());
    if (when == 2) {
      EXPECT_EQ(answers(session.take_requests()), Texts{});
      EXPECT_TRUE(session.is_open(decision));
      answer(session, decision, Answer::index(1));
    }
    EXPECT_EQ(answers(session.take_requests()), Texts{"m1/1/1"});
  }
}

TEST(Rejoin, AnAnswerThatWasTakenIsNotRepeated) {
  Session session = opened({seated("m1")});
  answer(session, asked(session), Answer::index(1));
  const auto told = back(session, {seated("m1"), asks("m1", 2)});
  EXPECT_EQ(answers(session.take_requests()), Texts{});
  answer(session, only<Decision>(told), Answer::index(0));
  EXPECT_EQ(answers(session.take_requests()), Texts{"m1/2/0"});
}

TEST(Rejoin, AnOpenDecisionDoesNotGetTheAnswerToAnEarlierOne) {
  Session session = opened({seated("m1")});
  answer(session, asked(session, 1), Answer::index(1));
  asked(session, 2);
  EXPECT_TRUE(back(session, {seated("m1"), asks("m1", 2)}).empty());
  EXPECT_EQ(answers(session.take_requests()), Texts{});
}

TEST(Rejoin, DecisionsThatAreOverArePassedOver) {
  for (const int stale : {1, 2}) {
    Session session = opened({seated("m1")});
    for (const int decision : {1, 2}) answer(session, asked(session, decision), Answer::index(1));
    session.receive(frame({closed("m1", 2)}));
    EXPECT_TRUE(back(session, {seated("m1"), asks("m1", stale)}).empty());
    EXPECT_EQ(answers(session.take_requests()), Texts{});
  }
}

TEST(Rejoin, TheClosingOfAnEarlierDecisionLeavesTheOpenOne) {
  Session session = opened({seated("m1")});
  asked(session, 1);
  const Decision decision = asked(session, 2);
  session.receive(frame({closed("m1", 1)}));
  answer(session, decision, Answer::index(1));
  EXPECT_EQ(answers(session.take_requests()), Texts{"m1/2/1"});
}

TEST(Rejoin, AMatchThatTheRefereeDoesNotKnowIsForgotten) {
  Session session = opened({seated("m1"), seated("m2")}, 2);
  const Decision decision = asked(session);
  const auto told = back(session, {refused("m1", 0), seated("m2")});
  EXPECT_EQ(only<Refused>(told).match.get(), &decision.match());
  EXPECT_EQ(session.finished(), 1u);
  EXPECT_FALSE(session.leaving());
  session.take_requests();
  answer(session, decision, Answer::index(0));
  EXPECT_EQ(shown(session.take_requests()), "");
}

TEST(Rejoin, ItWantsNoMoreMatchesOverEachStreamAndPlaysThoseThatItHas) {
  Session session = opened({seated("m1"), seated("m2")});
  session.take_requests();
  session.retire();
  EXPECT_EQ(shown(session.take_requests()), request("frames_received: 3 no_more_matches: true"));
  session.receive(frame({notice("DRAINING"), finished("m1")}));
  session.rejoin();
  EXPECT_EQ(shown(session.take_requests()),
            request("hello { resume { match_id: 'm2' attempt: 1 } } no_more_matches: true"));
  session.receive(frame({welcome(), seated("m2")}));
  EXPECT_FALSE(session.leaving());
  session.receive(frame({finished("m2")}));
  EXPECT_TRUE(session.leaving());
}

TEST(Rejoin, DrainingIsTheMatterOfOneStream) {
  Session session = opened({seated("m1"), notice("DRAINING")});
  back(session, {seated("m1"), finished("m1")});
  EXPECT_FALSE(session.draining());
  EXPECT_FALSE(session.leaving());
}

/// One seat of a referee that asks a fixed number of times, with an event after each answer.
struct Desk {
  static constexpr std::size_t kDecisions = 12;
  std::vector<std::uint32_t> given;

  /// Add what is told from an event on.
  void tell(v1::PlayResponse& frame, std::size_t after) const {
    for (std::size_t number = after; number < given.size(); ++number) {
      *frame.add_updates() = parse<v1::Update>(happened("m1", static_cast<int>(number) + 1));
    }
    const int next = static_cast<int>(given.size()) + 1;
    *frame.add_updates() = parse<v1::Update>(given.size() == kDecisions ? finished("m1") : asks("m1", next));
  }

  /// Take an answer; false when it repeats one that was taken.
  bool take(const v1::Answer& answer) {
    if (answer.decision_id() <= given.size()) {
      EXPECT_EQ(given[answer.decision_id() - 1], answer.index());
      return false;
    }
    EXPECT_EQ(answer.decision_id(), given.size() + 1);
    given.push_back(answer.index());
    return true;
  }
};

TEST(Rejoin, NoAnswerIsLostOrDoubledWhenStreamsBreakAnywhere) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 source(seed);
    const auto breaks = [&] { return source() % 5 == 0; };
    Desk desk;
    std::vector<std::uint32_t> acts;
    std::vector<std::uint32_t> told;
    Session session(parse<v1::Hello>("matches: 1"));
    for (int stream = 0; stream < 1000 && !session.left(); ++stream) {
      if (stream > 0) session.rejoin();
      const v1::PlayRequest opening = session.take_requests().front();
      const auto& resume = opening.hello().resume();
      std::vector<v1::PlayResponse> frames = {frame({welcome(), seated("m1")})};
      desk.tell(frames.back(), resume.empty() ? 0 : resume[0].sequence());
      while (!frames.empty() && !breaks()) {
        for (const Update& update : session.receive(std::exchange(frames, {}).front())) {
          if (const auto* decision = std::get_if<Decision>(&update)) {
            acts.push_back(decision->id());
            answer(session, *decision, Answer::index(decision->id() % 4));
          } else if (const auto* event = std::get_if<Happened>(&update)) {
            told.push_back(event->event.sequence());
          }
        }
        for (const v1::PlayRequest& each : session.take_requests()) {
          if (breaks()) break;  // lost with the stream
          for (const v1::Answer& answer : each.answers()) {
            const std::size_t before = desk.given.size();
            if (desk.take(answer)) desk.tell(frames.emplace_back(), before);
          }
        }
      }
    }
    std::vector<std::uint32_t> all(Desk::kDecisions);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i + 1;
    EXPECT_EQ(acts, all);
    EXPECT_EQ(told, all);
    EXPECT_EQ(desk.given.size(), all.size());
    EXPECT_EQ(session.finished(), 1u);
  }
}

}  // namespace
}  // namespace fairdeal
