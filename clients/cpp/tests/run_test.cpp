// Whole runs, against a referee that follows a script.
#include "fairdeal/run.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "environment.h"
#include "fairdeal/errors.h"
#include "referee.h"

namespace fairdeal {
namespace {

using namespace testing;
using grpc::Status;

Answer first(const Decision&) { return Answer::index(0); }

/// Return the error that a run ends with, its text in place of the address as "@"; the empty text for none.
std::string outcome(Referee& referee, Options options, std::function<Answer(const Decision&)> act = first) {
  options.address = referee.address;
  try {
    run(act, options);
  } catch (const Error& error) {
    std::string text = error.what();
    const auto at = text.find(referee.address);
    return at == std::string::npos ? text : text.replace(at, referee.address.size(), 1, '@');
  }
  return "";
}

class RunTest : public CleanEnvironment {};

TEST_F(RunTest, AMatchIsPlayedAndGoodbyeSaid) {
  bool said_goodbye = false;
  std::promise<void> returned;
  std::string authorization;
  std::string hello;
  v1::Answer answer;
  std::string lines;
  {
    Referee referee({[&](Talk& talk) {
      authorization = talk.authorization();
      hello = talk.next()->ShortDebugString();
      talk.tell({welcome(), seated("m1")});
      talk.next();
      talk.tell({happened("m1", 1), asks("m1", 1)});
      answer = talk.answer();
      talk.tell({closed("m1", 1), finished("m1"), notice("UNSPECIFIED", "unheard")});
      said_goodbye = talk.rest();
      // the bot waits for the end of the stream
      EXPECT_EQ(returned.get_future().wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
      return Status::OK;
    }});
    struct Hooks : Bot {
      explicit Hooks(std::string& lines) : lines(lines) {}
      Answer act(const Decision&) override { return lines += "act ", Answer::index(0); }
      bool wants_events() const override { return true; }
      void on_seated(const Match& match) override { lines += "seated " + match.id + " "; }
      void on_event(const Match&, const v1::Event&) override { lines += "event "; }
      void on_closed(const Match&, const v1::Closed&) override { lines += "closed "; }
      void on_finished(const Match&, const v1::Finished&) override { lines += "finished "; }
      void on_notice(const v1::Notice&) override { lines += "notice "; }
      std::string& lines;
    } bot(lines);
    run(bot, {.address = referee.address, .token = "secret", .entry = "e", .matches = 1});
    returned.set_value();
  }
  EXPECT_TRUE(said_goodbye);
  EXPECT_EQ(authorization, "Bearer secret");
  EXPECT_EQ(hello, "hello { versions: 1 entry: \"e\" tables: 64 matches: 1 events: true agent: \"fairdeal-cpp/0.1.0\" redirects: true }");
  EXPECT_EQ(answer.ShortDebugString(), "match_id: \"m1\" decision_id: 1 index: 0");
  EXPECT_EQ(lines, "seated m1 event act closed finished ");
}

TEST_F(RunTest, AnExceptionOfTheBotCostsAFaultAndItPlaysOn) {
  std::vector<v1::Answer> given;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m1")});
    for (const int decision : {1, 2, 3}) {
      talk.tell({asks("m1", decision)});
      given.push_back(talk.answer());
    }
    talk.tell({finished("m1")});
    talk.rest();
    return Status::OK;
  }});
  const auto act = [](const Decision& decision) -> Answer {
    if (decision.id() == 1) throw std::runtime_error("in the bot");
    if (decision.id() == 2) throw 2;
    return Answer::index(0);
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(outcome(referee, {.matches = 1}, act), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "fairdeal: the bot failed in act (match m1, decision 1): in the bot\n"
            "fairdeal: the bot failed in act (match m1, decision 2): it threw something that is not a std::exception\n");
  ASSERT_EQ(given.size(), 3u);
  EXPECT_EQ(given[0].ShortDebugString(), "match_id: \"m1\" decision_id: 1 action { }");
  EXPECT_TRUE(given[2].has_index());
}

TEST_F(RunTest, HeartbeatsAreAnsweredWhileTheBotThinks) {
  std::promise<void> answered;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m1"), asks("m1", 1)});
    talk.next();
    talk.tell({notice("HEARTBEAT")});
    EXPECT_EQ(talk.next()->ShortDebugString(), "frames_received: 2");
    answered.set_value();
    talk.answer();
    talk.tell({finished("m1")});
    talk.rest();
    return Status::OK;
  }});
  const auto act = [&](const Decision&) {
    answered.get_future().wait();
    return Answer::index(0);
  };
  EXPECT_EQ(outcome(referee, {.matches = 1}, act), "");
}

TEST_F(RunTest, ADecisionThatRanOutIsNotThoughtAbout) {
  std::promise<void> over;
  std::vector<std::uint32_t> acts;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m1"), seated("m2"), asks("m1", 1), asks("m2", 1)});
    talk.tell({closed("m2", 1), notice("HEARTBEAT")});
    while (talk.next()->frames_received() < 2) {
    }
    over.set_value();
    talk.answer();
    talk.tell({asks("m2", 2)});
    talk.answer();
    talk.tell({finished("m1"), finished("m2")});
    talk.rest();
    return Status::OK;
  }});
  const auto act = [&](const Decision& decision) {
    if (acts.empty()) over.get_future().wait();
    acts.push_back(decision.id());
    return Answer::index(0);
  };
  EXPECT_EQ(outcome(referee, {.matches = 2}, act), "");
  EXPECT_EQ(acts, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(RunTest, ABrokenSessionGoesOnAndTheBotIsNotAskedAgain) {
  std::string resume;
  v1::Answer again;
  int acts = 0;
  Referee referee({
      [](Talk& talk) {
        talk.next();
        talk.tell({welcome(), seated("m1"), happened("m1", 1), asks("m1", 1)});
        talk.answer();
        return Status(grpc::StatusCode::UNAVAILABLE, "gone");
      },
      [&](Talk& talk) {
        resume = talk.next()->hello().resume(0).ShortDebugString();
        talk.tell({welcome(), seated("m1"), asks("m1", 1)});
        again = talk.answer();
        talk.tell({finished("m1")});
        talk.rest();
        return Status::OK;
      },
  });
  const auto act = [&](const Decision&) { return ++acts, Answer::index(0); };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(outcome(referee, {.matches = 1}, act), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "fairdeal: the session with the referee at " + referee.address +
                " broke: gone; dialling again for up to 60 s\n" + "fairdeal: the session with the referee at " +
                referee.address + " is back\n");
  EXPECT_EQ(resume, "match_id: \"m1\" sequence: 1 attempt: 1");
  EXPECT_EQ(again.ShortDebugString(), "match_id: \"m1\" decision_id: 1 index: 0");
  EXPECT_EQ(acts, 1);
}

TEST_F(RunTest, FinalReasonsEndItAtOnce) {
  for (const std::string reason : {"MISSING_TOKEN", "WRONG_SEAT", "WRONG_ROLE", "ENDED_BY_ORGANISER",
                                   "UNSUPPORTED_VERSION", "PROTOCOL_VIOLATION", "MESSAGE_TOO_LARGE", "REPLACED", "SHUTTING_DOWN"}) {
    Referee referee({[&](Talk& talk) {
      talk.next();
      talk.tell({welcome()});
      return talk.refuse(reason);
    }});
    try {
      run(first, {.address = referee.address});
      ADD_FAILURE() << reason;
    } catch (const Rejected& error) {
      EXPECT_EQ(error.what(), "the referee at " + referee.address + " ended the session: on purpose (" + reason + ")");
      EXPECT_EQ(error.reason(), reason);
      EXPECT_EQ(error.incident(), "1a2b");
      EXPECT_EQ(dynamic_cast<const Replaced*>(&error) != nullptr, reason == "REPLACED");
    }
    EXPECT_EQ(referee.streams(), 1u);
  }
}

TEST_F(RunTest, ARefereeThatShutsDownWhileAMatchIsPlayedIsDialledAgain) {
  std::string resume;
  Referee referee({
      [](Talk& talk) {
        talk.next();
        talk.tell({welcome(), seated("m1")});
        talk.next();
        return talk.refuse("SHUTTING_DOWN");
      },
      [&](Talk& talk) {
        resume = talk.next()->hello().resume(0).match_id();
        talk.tell({welcome(), seated("m1"), finished("m1")});
        talk.rest();
        return Status::OK;
      },
  });
  EXPECT_EQ(outcome(referee, {.matches = 1}), "");
  EXPECT_EQ(resume, "m1");
}

TEST_F(RunTest, ABotThatWasNeverWelcomeDoesNotInsist) {
  Referee referee({[](Talk& talk) { return talk.refuse("SHUTTING_DOWN", grpc::StatusCode::UNAVAILABLE); }});
  EXPECT_EQ(outcome(referee, {}), "the referee at @ ended the session: on purpose (SHUTTING_DOWN)");
  EXPECT_EQ(referee.streams(), 1u);
}

TEST_F(RunTest, ANoticeOfReplacementEndsItWithGoodbye) {
  bool said_goodbye = false;
  {
    Referee referee({[&](Talk& talk) {
      talk.next();
      talk.tell({welcome(), notice("REPLACED", "by another")});
      said_goodbye = talk.rest();
      return Status::OK;
    }});
    EXPECT_EQ(outcome(referee, {}).find("this session was replaced: by another"), 0u);
    EXPECT_EQ(referee.streams(), 1u);
  }
  EXPECT_TRUE(said_goodbye);
}

TEST_F(RunTest, EndsOfStreamsAreToldApart) {
  Referee ends({[](Talk& talk) {
    talk.next();
    talk.tell({welcome()});
    return Status::OK;
  }});
  EXPECT_EQ(outcome(ends, {.reconnect_timeout = Seconds(0)}), "the referee at @ ended the session");
  Referee falls_silent({[](Talk& talk) {
    talk.next();
    talk.tell({welcome("heartbeat { nanos: 20000000 }")});
    talk.rest();
    return Status::OK;
  }});
  EXPECT_EQ(outcome(falls_silent, {.reconnect_timeout = Seconds(0)}), "the referee at @ is not responding");
  Referee never_welcomes({[](Talk& talk) {
    talk.rest();
    return Status::OK;
  }});
  EXPECT_EQ(outcome(never_welcomes, {.connect_timeout = Seconds(0)}), "the referee at @ did not welcome the bot in time");
}

TEST_F(RunTest, WhatMakesNoSenseEndsItAtOnce) {
  const std::string check = "check that @ is a referee of the same version of fairdeal";
  const auto script = [](std::initializer_list<v1::PlayResponse> frames) {
    return [frames = std::vector(frames)](Talk& talk) {
      talk.next();
      for (const v1::PlayResponse& each : frames) talk.tell(each);
      talk.rest();
      return Status::OK;
    };
  };
  Referee silent_of_welcome({script({frame({seated("m1")})})});
  EXPECT_EQ(outcome(silent_of_welcome, {}), "the referee sent a message before its welcome; " + check);
  EXPECT_EQ(silent_of_welcome.streams(), 1u);
  v1::PlayResponse no_message;
  no_message.GetReflection()->MutableUnknownFields(&no_message)->AddLengthDelimited(1, "\xff");
  Referee babbles({script({frame({welcome()}), no_message})});
  EXPECT_EQ(outcome(babbles, {}), "the referee sent a frame that is not a message; " + check);
  EXPECT_EQ(babbles.streams(), 1u);
  Referee ends({[](Talk& talk) {
    talk.next();
    return Status::OK;
  }});
  EXPECT_EQ(outcome(ends, {}),
            "the referee at @ ended the session before it welcomed the bot; "
            "check that it is a referee of the same version of fairdeal");
  EXPECT_EQ(ends.streams(), 1u);
}

TEST_F(RunTest, AServerThatIsNoRefereeIsToldApart) {
  Referee referee({[](Talk&) { return Status(grpc::StatusCode::UNIMPLEMENTED, "nothing here"); }});
  EXPECT_EQ(outcome(referee, {}), "@ answers, but it is not a referee: nothing here");
}

TEST_F(RunTest, WhoIsNotThereIsNotWaitedForForEver) {
  try {
    run(first, {.address = "unix:/nowhere/at/all", .connect_timeout = Seconds(0.2)});
    FAIL();
  } catch (const CannotConnect& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("no referee answers at unix:/nowhere/at/all within 0.2 s: "), 0u);
    EXPECT_NE(text.find("No such file or directory"), std::string::npos);
  }
}

TEST_F(RunTest, ARefereeThatStaysAwayIsGivenUp) {
  std::promise<void> is_seated;
  Referee referee({[&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), seated("m1")});
    talk.next();
    is_seated.set_value();
    talk.rest();
    return Status::OK;
  }});
  auto bot = std::async(std::launch::async, [&] { return outcome(referee, {.reconnect_timeout = Seconds(0.5)}); });
  is_seated.get_future().wait();
  referee.stop();
  const std::string text = bot.get();
  EXPECT_EQ(text.find("no referee answers at @: "), 0u) << text;
  EXPECT_NE(text.find("; the bot dialled again for 0.5 s"), std::string::npos) << text;
}

TEST_F(RunTest, AProcessWithoutAFileLeftCannotRunABot) {
  Referee referee({});
  const int next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none = {static_cast<rlim_t>(next), limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string text;
  try {
    run(first, {.address = referee.address});
  } catch (const BadSetting& error) {
    text = error.what();
  }
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(text, "this process cannot run a bot: a pipe for signals: Too many open files");
}

TEST_F(RunTest, AProgramEndsWithALineAndAStatus) {
  const std::tuple<std::function<void()>, int, std::string> cases[] = {
      {[] {}, 0, ""},
      {[] { throw BadSetting("tables 0"); }, 2, "my_bot: tables 0\n"},
      {[] { throw Rejected("gone", "SHUTTING_DOWN"); }, 1, "my_bot: gone\n"},
      {[] { throw std::runtime_error("no weights"); }, 1, "my_bot: no weights\n"},
  };
  for (const auto& [program, status, line] : cases) {
    for (const char* path : {"my_bot", "./build/my_bot"}) {
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(run_program(path, program), status);
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), line);
    }
  }
}

TEST_F(RunTest, ASecondSignalEndsEveryRunWithGoodbye) {
  std::atomic<int> goodbyes = 0;
  std::atomic<int> seen = 0;
  const Referee::Script script = [&](Talk& talk) {
    talk.next();
    talk.tell({welcome(), notice("UNSPECIFIED")});
    goodbyes += talk.rest();
    return Status::OK;
  };
  struct Waiting : Bot {
    explicit Waiting(std::atomic<int>& seen) : seen(seen) {}
    Answer act(const Decision&) override { return Answer::nothing(); }
    void on_notice(const v1::Notice&) override {
      if (++seen < 2) return;
      std::raise(SIGTERM);
      std::raise(SIGTERM);
    }
    std::atomic<int>& seen;
  } bot(seen);
  {
    Referee referee({script, script});
    std::thread other([&] { run(bot, {.address = referee.address}); });
    run(bot, {.address = referee.address});
    other.join();
  }
  EXPECT_EQ(goodbyes, 2);
}

}  // namespace
}  // namespace fairdeal
