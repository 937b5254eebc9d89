// The session's logic, frame by frame, without a socket.
#include "session.h"

#include <gtest/gtest.h>

#include "fairdeal/errors.h"
#include "telling.h"

namespace fairdeal {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

Decision asked(Session& session, const std::string& match = "m1", int decision = 1) {
  return only<Decision>(session.receive(frame({asks(match, decision)})));
}

TEST(Session, TheFirstRequestIsTheHelloAlone) {
  Session session(parse<v1::Hello>("versions: 1 entry: 'bot' tables: 3"));
  EXPECT_EQ(shown(session.take_requests()), request("hello { versions: 1 entry: 'bot' tables: 3 }"));
  EXPECT_EQ(shown(session.take_requests()), "");
}

TEST(Session, ASeatIsTakenAtOnce) {
  Session session = opened();
  const auto match = only<Seated>(session.receive(frame({seated("m1", "seat: SEAT_2 attempt: 2")}))).match;
  EXPECT_EQ(match->id, "m1");
  EXPECT_EQ(match->attempt, 2u);
  EXPECT_EQ(match->game, "hearts");
  EXPECT_EQ(match->seat, 2);
  EXPECT_EQ(shown(session.take_requests()), request("frames_received: 2 ready { match_id: 'm1' }"));
}

TEST(Session, ADecisionHoldsAllThatABotNeeds) {
  Session session = opened({seated("m1", "seat: SEAT_3 attempt: 1")});
  const std::string text =
      "decision { match_id: 'm1' decision_id: 7 move_time { seconds: 2 } bank { seconds: 59 nanos: 250000000 }"
      " legal { actions { actions { bid: 1 } } } view { hearts { deal: 5 } } }";
  const Decision decision = only<Decision>(session.receive(frame({text})));
  EXPECT_EQ(decision.id(), 7u);
  EXPECT_EQ(decision.match().seat, 3);
  EXPECT_EQ(decision.move_time().count(), 2);
  EXPECT_EQ(decision.bank().count(), 59.25);
  EXPECT_EQ(decision.legal().actions().actions(0).bid(), 1u);
  EXPECT_EQ(decision.view().hearts().deal(), 5u);
  Chance expected("seed", "m1", 3, 7);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(decision.chance().draw(256), expected.draw(256));
}

TEST(Session, AnswersToAFrameShareAFrame) {
  Session session = opened({seated("m1"), seated("m2")});
  for (const Update& update : session.receive(frame({asks("m1", 1), asks("m2", 4)}))) {
    answer(session, std::get<Decision>(update), Answer::index(1));
  }
  EXPECT_EQ(shown(session.take_requests()),
            request("frames_received: 4 answers { match_id: 'm1' decision_id: 1 index: 1 }"
                    " answers { match_id: 'm2' decision_id: 4 index: 1 }"));
}

TEST(Session, FramesAreSplitAtTheLimit) {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{400}}) {
    Session session{v1::Hello()};
    session.take_requests();
    session.receive(frame({welcome("max_frame_bytes: " + std::to_string(limit))}));
    Texts expected;
    for (int i = 0; i < 1000; ++i) {
      expected.push_back("match-" + std::to_string(i) + std::string(40, 'x'));
      session.receive(frame({seated(expected.back())}));
    }
    session.leave();
    const auto requests = session.take_requests();
    ASSERT_GT(requests.size(), 1u);
    Texts ready;
    for (const v1::PlayRequest& each : requests) {
      EXPECT_LE(each.ByteSizeLong(), limit ? limit : Session::kMaxFrameBytes);
      EXPECT_EQ(each.has_bye(), &each == &requests.back());
      EXPECT_EQ(each.frames_received(), 1001u);
      for (const v1::Ready& one : each.ready()) ready.push_back(one.match_id());
    }
    EXPECT_EQ(ready, expected);
  }
}

TEST(Session, FramesAreAcknowledgedWhenNothingElseIsSent) {
  const std::pair<std::string, int> cases[] = {
      {"", 16},
      {"max_unacknowledged_frames: 64", 16},
      {"max_unacknowledged_frames: 8", 2},
      {"max_unacknowledged_frames: 1", 1},
  };
  for (const auto& [limits, frames] : cases) {
    SCOPED_TRACE(limits);
    Session session{v1::Hello()};
    session.receive(frame({welcome(limits)}));
    session.take_requests();
    for (int received = 1; received <= frames; ++received) {
      EXPECT_EQ(shown(session.take_requests()), "") << received;
      session.receive(frame({notice("UNSPECIFIED")}));
    }
    EXPECT_EQ(shown(session.take_requests()), request("frames_received: " + std::to_string(frames + 1)));
    EXPECT_EQ(shown(session.take_requests()), "");
  }
}

TEST(Session, BytesAreAcknowledgedWhenNothingElseIsSent) {
  const std::pair<std::string, std::size_t> cases[] = {{"", 64 * 1024}, {"max_unacknowledged_bytes: 4096", 1024}};
  for (const auto& [limits, size] : cases) {
    Session session{v1::Hello()};
    session.receive(frame({welcome(limits)}));
    session.take_requests();
    session.receive(frame({notice("UNSPECIFIED", std::string(size / 2 - 50, 'x'))}));
    EXPECT_EQ(shown(session.take_requests()), "");
    session.receive(frame({notice("UNSPECIFIED", std::string(size / 2 + 50, 'x'))}));
    EXPECT_EQ(shown(session.take_requests()), request("frames_received: 3"));
  }
}

TEST(Session, AHeartbeatIsAcknowledgedAtOnceAndNotTold) {
  Session session = opened();
  EXPECT_TRUE(session.receive(frame({notice("HEARTBEAT")})).empty());
  EXPECT_EQ(shown(session.take_requests()), request("frames_received: 2"));
  EXPECT_EQ(shown(session.take_requests()), "");
}

TEST(Session, TheWelcomeTellsTheHeartbeat) {
  Session session{v1::Hello()};
  EXPECT_FALSE(session.welcomed());
  session.receive(frame({welcome("heartbeat { seconds: 1 nanos: 500000000 }")}));
  EXPECT_TRUE(session.welcomed());
  EXPECT_EQ(session.heartbeat(), 1.5);
}

TEST(Session, ItLeavesAfterTheMatchesThatItWanted) {
  Session session = opened({seated("m1"), seated("m2")}, 2);
  session.receive(frame({finished("m1")}));
  EXPECT_FALSE(session.leaving());
  only<Finished>(session.receive(frame({finished("m2"), notice("DRAINING")})));
  EXPECT_EQ(shown(session.take_requests()), request("frames_received: 5 bye {}"));
  EXPECT_TRUE(session.left());
  session.leave();
  EXPECT_EQ(shown(session.take_requests()), "");
}

TEST(Session, AVoidMatchIsNotCounted) {
  Session session = opened({seated("m1")}, 1);
  session.receive(frame({finished("m1", "VOID")}));
  EXPECT_FALSE(session.leaving());
  session.receive(frame({seated("m1", "attempt: 2"), finished("m1", "FORFEIT")}));
  EXPECT_TRUE(session.leaving());
}

TEST(Session, ItLeavesARefereeThatDrainsWhenItsMatchesAreOver) {
  Session session = opened({seated("m1")});
  only<Notice>(session.receive(frame({notice("DRAINING")})));
  EXPECT_TRUE(session.draining());
  EXPECT_FALSE(session.leaving());
  session.receive(frame({finished("m1")}));
  EXPECT_TRUE(session.leaving());
  EXPECT_TRUE(opened({notice("DRAINING")}).leaving());
}

TEST(Session, AnswersGivenBeforeLeavingAreSent) {
  Session session = opened({seated("m1")});
  answer(session, asked(session), Answer::index(0));
  session.leave();
  EXPECT_EQ(shown(session.take_requests()),
            request("frames_received: 3 answers { match_id: 'm1' decision_id: 1 index: 0 } bye {}"));
}

TEST(Session, ADecisionThatIsClosedIsNotAnswered) {
  for (const std::string& close : {closed("m1", 1), finished("m1"), asks("m1", 2)}) {
    SCOPED_TRACE(close);
    Session session = opened({seated("m1")});
    const Decision decision = asked(session);
    EXPECT_TRUE(session.is_open(decision));
    session.receive(frame({close}));
    EXPECT_FALSE(session.is_open(decision));
    session.take_requests();
    answer(session, decision, Answer::index(0));
    EXPECT_EQ(shown(session.take_requests()), "");
  }
}

TEST(Session, ADecisionIsAnsweredOnce) {
  Session session = opened({seated("m1")});
  const Decision decision = asked(session);
  answer(session, decision, Answer::index(0));
  EXPECT_FALSE(session.is_open(decision));
  answer(session, decision, Answer::index(1));
  EXPECT_EQ(answers(session.take_requests()), Texts{"m1/1/0"});
}

TEST(Session, ABotThatLeavesIsNotWaitedFor) {
  Session session = opened({seated("m1")});
  const Decision decision = asked(session);
  session.leave();
  EXPECT_FALSE(session.is_open(decision));
}

TEST(Session, NoActionIsAnEmptyOne) {
  Session session = opened({seated("m1")});
  answer(session, asked(session), Answer::nothing());
  EXPECT_EQ(shown(session.take_requests()),
            request("frames_received: 3 answers { match_id: 'm1' decision_id: 1 action {} }"));
}

TEST(Session, ANewerSessionEndsThisOne) {
  Session session = opened();
  try {
    session.receive(frame({notice("REPLACED", "by another")}));
    FAIL();
  } catch (const Replaced& error) {
    EXPECT_EQ(error.reason(), "REPLACED");
    EXPECT_EQ(std::string(error.what()).find("this session was replaced: by another; to run both"), 0u);
  }
}

TEST(Session, ABotIsSentOn) {
  Session session = opened();
  EXPECT_TRUE(session.receive(frame({"redirect { address: ':2' }"})).empty());
  EXPECT_EQ(session.sent_to(), ":2");
  session.rejoin();
  EXPECT_FALSE(session.sent_to());
}

TEST(Session, WhatIsUnknownIsPassedOver) {
  Session session = opened();
  auto later = frame({notice("UNSPECIFIED"), seated("m1", "attempt: 1 seat: SEAT_1")});
  later.add_updates();                                              // of a kind that this version does not know
  later.mutable_updates(0)->mutable_notice()->set_kind(v1::NoticeKind(77));
  v1::PlayResponse received;
  ASSERT_TRUE(received.ParseFromString(later.SerializeAsString() + "\x9a\x06\x01x"));  // and an unknown field
  const auto told = session.receive(received);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(std::get<Notice>(told[0]).message.kind(), 77);
  EXPECT_EQ(std::get<Seated>(told[1]).match->seat, 1);
}

TEST(Session, TheClosingOfADecisionOfAMatchThatIsOverIsPassedOver) {
  Session session = opened({seated("m1"), finished("m1")});
  EXPECT_TRUE(session.receive(frame({closed("m1", 1)})).empty());
}

TEST(Session, MatchesWithoutASeatAreAnError) {
  for (const std::string& update : {asks("m9", 1), finished("m9"), happened("m9", 1)}) {
    Session session = opened();
    try {
      session.receive(frame({update}));
      ADD_FAILURE() << update;
    } catch (const ProtocolError& error) {
      EXPECT_STREQ(error.what(), "the referee sent a message about match 'm9', in which the bot has no seat");
    }
  }
}

TEST(Session, ARefereeBeginsWithItsWelcome) {
  for (const v1::PlayResponse& first :
       {frame({}), frame({""}), frame({seated("m1")}), frame({notice("HEARTBEAT"), welcome()})}) {
    Session session{v1::Hello()};
    try {
      session.receive(first);
      ADD_FAILURE() << first.ShortDebugString();
    } catch (const ProtocolError& error) {
      EXPECT_STREQ(error.what(), "the referee sent a message before its welcome");
    }
  }
}

TEST(Session, AnotherVersionIsAnError) {
  Session session{v1::Hello()};
  try {
    session.receive(frame({"welcome { version: 2 }"}));
    FAIL();
  } catch (const ProtocolError& error) {
    EXPECT_STREQ(error.what(), "the referee speaks version 2 of the protocol, not 1");
  }
}

TEST(Session, TheRefusalOfAnAnswerLeavesTheMatch) {
  Session session = opened({seated("m1")});
  EXPECT_EQ(only<Refused>(session.receive(frame({refused("m1", 1)}))).match->id, "m1");
  EXPECT_EQ(session.playing(), 1u);
  EXPECT_EQ(only<Refused>(session.receive(frame({refused("m9", 1)}))).match, nullptr);
}

}  // namespace
}  // namespace fairdeal
