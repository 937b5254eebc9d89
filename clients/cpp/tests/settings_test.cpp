// What `run` is given and what the environment says.
#include "settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "environment.h"
#include "fairdeal/errors.h"

namespace fairdeal {
namespace {

std::string refusal(const Options& options) {
  try {
    settle(options);
  } catch (const BadSetting& error) {
    return error.what();
  }
  return "";
}

class SettingsTest : public testing::CleanEnvironment {};

TEST_F(SettingsTest, WithoutAnythingThereAreDefaults) {
  const Settings settings = settle({});
  EXPECT_EQ(settings.address, "127.0.0.1:7447");
  EXPECT_EQ(settings.entry, "fairdeal_tests");  // the program's name
  EXPECT_EQ(settings.token + settings.instance + settings.seed + settings.keep, "");
  EXPECT_EQ(settings.tables, 64);
  EXPECT_EQ(settings.matches, 0);
  EXPECT_FALSE(settings.tls);
  EXPECT_EQ(settings.connect_timeout, 30);
  EXPECT_EQ(settings.reconnect_timeout, 60);
}

TEST_F(SettingsTest, WhatIsGivenGoesBeforeTheEnvironment) {
  set("ADDRESS", "[::1]:1");
  set("TOKEN", "t");
  set("ENTRY", "e");
  set("INSTANCE", "i");
  set("SEED", "s");
  set("KEEP", "k");
  Settings settings = settle({});
  EXPECT_EQ(settings.address, "[::1]:1");
  EXPECT_EQ(settings.token + settings.entry + settings.instance + settings.seed + settings.keep, "teisk");
  settings = settle({.address = "unix:/x", .token = "T", .entry = "E", .instance = "", .seed = "S", .keep = "K"});
  EXPECT_EQ(settings.address, "unix:/x");
  EXPECT_EQ(settings.token + settings.entry + settings.instance + settings.seed + settings.keep, "TESK");
}

TEST_F(SettingsTest, LinesAreKeptInAFolderOfTheUserUnlessAnotherIsSet) {
  const auto keep = [](const char* entry, const char* home, const char* state) {
    setenv("HOME", home, 1);
    setenv("XDG_STATE_HOME", state, 1);
    return settle({.entry = entry}).keep;
  };
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  EXPECT_EQ(keep("bot", "/h", ""), "");
  unsetenv("FAIRDEAL_KEEP");
  EXPECT_EQ(keep("bot", "/home/ann", ""), "/home/ann/.local/state/fairdeal/kept/bot/");
  EXPECT_EQ(keep("bot", "/h", "/state"), "/state/fairdeal/kept/bot/");
  EXPECT_EQ(keep("bot", "/h", "state"), "/h/.local/state/fairdeal/kept/bot/");
  EXPECT_EQ(keep("../a b", "/h", ""), "/h/.local/state/fairdeal/kept/___a_b/");
  EXPECT_EQ(keep("", "", ""), "/.local/state/fairdeal/kept/bot/");
  setenv("HOME", home.c_str(), 1);
  unsetenv("XDG_STATE_HOME");
}

TEST_F(SettingsTest, TheHelloSaysWhoPlaysWhat) {
  const Settings settings =
      settle({.entry = "e", .instance = "i", .games = {"hearts", "piquet"}, .tables = 3, .matches = 2});
  EXPECT_EQ(hello(settings, true).ShortDebugString(),
            "versions: 1 entry: \"e\" instance: \"i\" games: \"hearts\" games: \"piquet\" tables: 3 matches: 2 "
            "events: true agent: \"fairdeal-cpp/0.1.0\" redirects: true");
  EXPECT_FALSE(hello(settings, false).events());
}

TEST_F(SettingsTest, WhatCannotBeIsNamed) {
  EXPECT_EQ(refusal({.address = ""}), "the address is empty: give one, such as 127.0.0.1:7447 or unix:/path");
  for (const std::string address : {"host", "host:", ":1", ":0", "host:x", "host:-1", "unix:"}) {
    EXPECT_EQ(refusal({.address = address}), "address '" + address + "': must be HOST:PORT or unix:/PATH");
  }
  for (const std::string address : {"host:0", "host:65536", "host:99999", "[::1]:99999999999999999999"}) {
    EXPECT_EQ(refusal({.address = address}), "address '" + address + "': the port must be 1 to 65535");
  }
  EXPECT_EQ(refusal({.tables = 0}), "tables 0: must be 1 or more");
  EXPECT_EQ(refusal({.matches = -1}), "matches -1: must be 0, for no limit, or more");
  EXPECT_EQ(refusal({.connect_timeout = Seconds(-0.5)}), "connect_timeout -0.5: must be 0, to try once, or more");
  EXPECT_EQ(refusal({.reconnect_timeout = Seconds(std::nan(""))}),
            "reconnect_timeout nan: must be 0, for never, or more");
  EXPECT_EQ(refusal({.token = "a\nb"}), "token: must be printable ASCII");
  EXPECT_EQ(refusal({.token = "\xc3\xa4"}), "token: must be printable ASCII");
  EXPECT_EQ(refusal({.seed = "\xc3\xa4"}), "seed '\xc3\xa4': must be ASCII");
}

}  // namespace
}  // namespace fairdeal
