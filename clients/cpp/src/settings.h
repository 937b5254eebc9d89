// Where and how a bot plays: what `run` was given, else what the environment says, else the default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fairdeal/run.h"
#include "tls.h"

namespace fairdeal {

/// Options that are settled.
struct Settings {
  std::string address;
  std::string token;
  std::string entry;
  std::string instance;
  std::vector<std::string> games;
  int tables;
  int matches;
  std::string seed;
  std::string keep;
  std::optional<Tls> tls;
  double connect_timeout;    // seconds
  double reconnect_timeout;  // seconds
};

/// Return the settings.
/// Throws BadSetting: one of them is invalid; the text names it.
Settings settle(const Options& options);

/// Return the address that a bot is sent to by a referee which it dialled at `address`.
std::string place_of(const std::string& sent_to, const std::string& address);

/// Return the message that opens a session.
v1::Hello hello(const Settings& settings, bool events);

}  // namespace fairdeal
