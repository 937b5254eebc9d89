// What a bot keeps, against the vectors that every kit is tested with.
#include "ledger.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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

/// An empty folder of this test.
class InFolder : public ::testing::Test {
 protected:
  InFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fairdeal-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~InFolder() override { std::filesystem::remove_all(folder_); }

  static void seat(Ledger& ledger, const std::string& id) {
    v1::Seated seated;
    seated.set_match_id(id);
    ledger.seated(seated);
  }

  static std::vector<std::string> names(const std::filesystem::path& folder) {
    std::vector<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator(folder)) found.push_back(each.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::filesystem::path folder_;
};

TEST_F(InFolder, ARunHasAFileAndAnotherOneWhenThatIsLong) {
  Logged logged;
  const std::filesystem::path kept = folder_ / "state" / "kept";
  Ledger ledger(kept.string() + "/", into(logged), 400);
  EXPECT_FALSE(std::filesystem::exists(kept));
  seat(ledger, "m1");
  seat(ledger, "m2");
  ASSERT_EQ(names(kept).size(), 1);
  const std::filesystem::path file = kept / names(kept)[0];
  EXPECT_EQ(logged, Logged{"what the bot is told is kept in " + file.string()});
  EXPECT_NE(whole(file).find("\"m2\""), std::string::npos);
  const std::string first = "19700101T000000Z-1.jsonl";  // as if it were of another second
  std::filesystem::rename(file, kept / first);
  seat(ledger, std::string(400, 'm'));
  seat(ledger, "m4");
  ASSERT_EQ(names(kept).size(), 2);
  EXPECT_EQ(names(kept)[0], first);
}

TEST_F(InFolder, TheOldestFilesOfRunsAreRemoved) {
  const std::map<std::string, std::uintmax_t> sizes = {
      {"notes.jsonl", 0}, {"20260101T120000Z-77.jsonl", 10}, {"20260103T120000Z-100.jsonl", 96u << 20}};
  for (const auto& [name, size] : sizes) {
    std::ofstream(folder_ / name).close();
    std::filesystem::resize_file(folder_ / name, size);
  }
  Logged logged;
  Ledger ledger(folder_.string() + "/", into(logged));
  seat(ledger, "m1");
  ASSERT_EQ(names(folder_).size(), 3);
  EXPECT_EQ(names(folder_)[0], "20260103T120000Z-100.jsonl");
  EXPECT_EQ(names(folder_)[2], "notes.jsonl");
}

TEST_F(InFolder, AFolderThatCannotBeWrittenIsToldOnce) {
  std::ofstream(folder_ / "state").close();
  const std::string keep = (folder_ / "state" / "kept/").string();
  Logged logged;
  Ledger ledger(keep, into(logged));
  seat(ledger, "m1");
  seat(ledger, "m2");
  EXPECT_EQ(logged, Logged{keep + ": what the bot is told cannot be kept there (Not a directory): set FAIRDEAL_KEEP to "
                                  "another folder, FOLDER/, or to nothing"});
}

}  // namespace
}  // namespace fairdeal
