// The generator, against the vectors that every kit is tested with.
#include "fairdeal/chance.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

namespace fairdeal {
namespace {

using Object = google::protobuf::Map<std::string, google::protobuf::Value>;

std::uint64_t whole(const google::protobuf::Value& value) { return static_cast<std::uint64_t>(value.number_value()); }

google::protobuf::Struct vectors() {
  std::ostringstream text;
  text << std::ifstream(FAIRDEAL_DATA "/bot_vectors.json").rdbuf();
  google::protobuf::Struct found;
  const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &found);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return found;
}

void check(Chance& chance, const Object& step) {
  const auto& gives = step.at("gives");
  if (step.contains("draw")) {
    EXPECT_EQ(chance.draw(whole(step.at("draw"))), whole(gives));
  } else if (step.contains("happens")) {
    EXPECT_EQ(chance.happens(step.at("happens").number_value()), gives.bool_value());
  } else {
    const Object& choose = step.at("choose").struct_value().fields();
    std::vector<std::uint64_t> items(whole(choose.at("of")));
    std::iota(items.begin(), items.end(), 0);
    std::vector<std::uint64_t> expected;
    for (const auto& each : gives.list_value().values()) expected.push_back(whole(each));
    EXPECT_EQ(chance.choose(items, whole(choose.at("minimum")), whole(choose.at("maximum"))), expected);
  }
}

TEST(Chance, GivesWhatTheVectorsSay) {
  const google::protobuf::Struct file = vectors();
  int steps = 0;
  for (const auto& each : file.fields().at("decisions").list_value().values()) {
    const Object& decision = each.struct_value().fields();
    SCOPED_TRACE(each.ShortDebugString().substr(0, 200));
    Chance chance(decision.at("seed").string_value(), decision.at("match_id").string_value(),
                  static_cast<std::uint32_t>(whole(decision.at("seat"))),
                  static_cast<std::uint32_t>(whole(decision.at("decision_id"))));
    for (const auto& step : decision.at("steps").list_value().values()) {
      check(chance, step.struct_value().fields());
      ++steps;
    }
  }
  EXPECT_GE(steps, 80);
}

TEST(Chance, PassesOverWhatWouldComeUpTooOften) {
  for (std::uint32_t decision = 1; decision < 2000; ++decision) {
    Chance bytes("s", "m", 0, decision);
    std::uint32_t expected = bytes.draw(256);
    while (expected >= 129) expected = bytes.draw(256);
    EXPECT_EQ(Chance("s", "m", 0, decision).draw(129), expected);
  }
}

TEST(Chance, ChoiceIsADrawOfThePosition) {
  const std::vector<int> items = {5, 6, 7};
  for (std::uint32_t decision = 1; decision < 20; ++decision) {
    Chance chance("s", "m", 0, decision);
    Chance same("s", "m", 0, decision);
    EXPECT_EQ(chance.choice(items), items[same.draw(3)]);
  }
}

TEST(Chance, RefusesWhatCannotBe) {
  Chance chance("s", "m", 0, 1);
  const std::vector<int> items = {1, 2};
  EXPECT_THROW(chance.draw(0), std::invalid_argument);
  EXPECT_THROW(chance.draw((std::uint64_t{1} << 32) + 1), std::invalid_argument);
  EXPECT_THROW(chance.choice(std::vector<int>()), std::invalid_argument);
  EXPECT_THROW(chance.choose(items, 2, 1), std::invalid_argument);
  EXPECT_THROW(chance.choose(items, 0, 3), std::invalid_argument);
  EXPECT_THROW(chance.happens(-0.1), std::invalid_argument);
  EXPECT_THROW(chance.happens(std::nan("")), std::invalid_argument);
  EXPECT_THROW(Chance("s\xc3\xa4", "m", 0, 1), std::invalid_argument);
  EXPECT_THROW(Chance("s", "m\xc3\xa4", 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace fairdeal
