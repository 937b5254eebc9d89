// What a bot keeps, against the vectors that every kit is tested with.
#include "ledger.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fairdeal/errors.h"
#include "session.h"

namespace fairdeal {
namespace {

using Object = google::protobuf::Struct;
using Logged = std::vector<std::string>;

bool read(const std::string& text, Object& object) {
  return google::protobuf::util::JsonStringToMessage(text, &object).ok();
}

std::string whole(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string bytes(const google::protobuf::Value& hex) {
  std::string found;
  for (std::size_t at = 0; at < hex.string_value().size(); at += 2) {
    found += static_cast<char>(std::stoi(hex.string_value().substr(at, 2), nullptr, 16));
  }
  return found;
}

template <typename Message>
Message message(const google::protobuf::Value& hex) {
  Message found;
  EXPECT_TRUE(found.ParseFromString(bytes(hex)));
  return found;
}

Ledger::Log into(Logged& logged) {
  return [&logged](const std::string& text) { logged.push_back(text); };
}

/// A process of a bot, which answers what it is told to.
class Process {
 public:
  Process(const std::string& keep, Logged& logged) : session_({}, "", Ledger(keep, into(logged))) {}

  void take(const Object& step) {
    const auto& fields = step.fields();
    if (fields.contains("hears")) {
      for (Update& update : session_.receive(message<v1::PlayResponse>(fields.at("hears")))) {
        if (auto* decision = std::get_if<Decision>(&update)) asked_ = std::move(*decision);
      }
    } else if (fields.contains("answers")) {
      const auto answer = message<v1::Answer>(fields.at("answers"));
      const Answer plain = answer.has_action() ? Answer::action(answer.action())
                                               : Answer::index(static_cast<int>(answer.index()));
      session_.answer(asked_.value(), plain.with_note(answer.note()));
    } else {
      session_.rejoin();
    }
  }

 private:
  Session session_;
  std::optional<Decision> asked_;
};

TEST(Ledger, LinesAreWhatTheVectorsSay) {
  Object vectors;
  ASSERT_TRUE(read(whole(FAIRDEAL_DATA "/kept_vectors.json"), vectors));
  const auto& cases = vectors.fields().at("cases").list_value().values();
  ASSERT_FALSE(cases.empty());
  const std::string path = ::testing::TempDir() + "fairdeal-" + std::to_string(getpid()) + ".jsonl";
  for (const auto& each : cases) {
    const auto& story = each.struct_value().fields();
    SCOPED_TRACE(story.at("name").string_value());
    std::ofstream(path, std::ios::trunc).flush();
    Logged logged;
    std::map<double, Process> processes;
    for (const auto& value : story.at("steps").list_value().values()) {
      const auto& step = value.struct_value().fields();
      if (step.contains("appends")) {
        std::ofstream(path, std::ios::app) << step.at("appends").string_value();
      } else {
        const std::string keep = story.at("keeps").bool_value() ? path : "";
        processes.try_emplace(step.at("process").number_value(), keep, logged).first->second.take(value.struct_value());
      }
    }
    google::protobuf::ListValue lines, log;
    std::istringstream file(whole(path));
    for (std::string text; std::getline(file, text);) {
      Object line;
      if (read(text, line) && line.fields().contains("match_id")) *lines.add_values()->mutable_struct_value() = line;
    }
    for (const std::string& text : logged) log.add_values()->set_string_value(text);
    EXPECT_EQ(lines.DebugString(), story.at("lines").list_value().DebugString());
    EXPECT_EQ(log.DebugString(), story.at("logged").list_value().DebugString());
  }
  std::filesystem::remove(path);
}

TEST(Ledger, AFileThatCannotBeWrittenIsABadSetting) {
  try {
    Ledger("/nowhere/kept.jsonl");
    FAIL();
  } catch (const BadSetting& error) {
    EXPECT_STREQ(error.what(), "keep '/nowhere/kept.jsonl' (FAIRDEAL_KEEP): No such file or directory");
  }
}

TEST(Ledger, APipeOfTheHostThatIsNotThereIsToldOf) {
  Logged logged;
  Ledger("/dev/fd/987", into(logged));
  EXPECT_EQ(logged, Logged{"/dev/fd/987 (FAIRDEAL_KEEP) is not there: what the bot is told is not kept"});
}

TEST(Ledger, ThatLinesCannotBeKeptIsToldOnce) {
  Logged logged;
  Ledger ledger("/dev/full", into(logged));
  for (const char* id : {"m1", "m2"}) {
    v1::Seated seated;
    seated.set_match_id(id);
    ledger.seated(seated);
  }
  EXPECT_EQ(logged, Logged{"what the bot is told cannot be kept: No space left on device"});
}

}  // namespace
}  // namespace fairdeal
