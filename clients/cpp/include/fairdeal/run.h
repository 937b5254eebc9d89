// Running a bot.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fairdeal/bot.h"

namespace fairdeal {

/// Where and how a bot plays. What is not given comes from the environment, as hosted bots find it.
struct Options {
  /// `host:port`, `[::1]:port` or `unix:/path`; else FAIRDEAL_ADDRESS, else 127.0.0.1:7447.
  std::optional<std::string> address = {};
  /// What tells the referee who plays; else FAIRDEAL_TOKEN.
  std::optional<std::string> token = {};
  /// The entry that plays; else FAIRDEAL_ENTRY, else the name of the program.
  std::optional<std::string> entry = {};
  /// Tells several sessions of one entry apart; else FAIRDEAL_INSTANCE.
  std::optional<std::string> instance = {};
  /// The games that the bot plays; none: all.
  std::vector<std::string> games = {};
  /// How many tables at once.
  int tables = 64;
  /// After how many matches to leave; 0: never.
  int matches = 0;
  /// What `Decision::chance` draws from; else FAIRDEAL_SEED.
  std::optional<std::string> seed = {};
  /// A PEM file with the certificates to trust, for TLS; else FAIRDEAL_CA.
  std::optional<std::string> ca = {};
  /// PEM files with the bot's own certificate and key, for mutual TLS; else FAIRDEAL_CERT and FAIRDEAL_KEY.
  std::optional<std::string> cert = {};
  std::optional<std::string> key = {};
  /// A file to which lines are appended that show afterwards what the bot was told and answered, or with a slash at
  /// the end a folder of such files; empty: none. Else FAIRDEAL_KEEP, or ~/.local/state/fairdeal/kept/ENTRY/.
  std::optional<std::string> keep = {};
  /// Whether what has one legal answer is played without a call of `act`.
  bool play_forced = false;
  /// How long to wait for the referee at first; 0: try once.
  Seconds connect_timeout{30};
  /// How long to dial a lost referee again; 0: never.
  Seconds reconnect_timeout{60};
};

/// Play with a bot until its matches are over or its referee leaves. The first SIGINT or SIGTERM lets it finish its
/// matches and take no new ones, a second one ends the run with a goodbye, and a third one ends the process at once. A
/// call of `act` is not interrupted: one that never returns holds `run` for ever, and only a third signal helps. When
/// the session breaks, the bot comes back by itself; it answers repeated decisions as before, without another call
/// of `act`.
///
/// Throws BadSetting, CannotConnect, ConnectionLost, ProtocolError or Rejected (Replaced).
void run(Bot& bot, const Options& options = {});

/// Play with a function as the bot.
void run(std::function<Answer(const Decision&)> act, const Options& options = {});

/// Return the exit status of a program that plays: 0 when `program`, which calls `run`, returns, 2 when it throws
/// BadSetting, 1 when it throws another std::exception. What it throws is one line on standard error, behind the
/// program's name; `path` is `argv[0]`.
int run_program(const char* path, const std::function<void()>& program);

}  // namespace fairdeal
