#include "arguments.h"

#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>

namespace fairdeal {
namespace {

/// Return the number that a text is, the whole of it.
template <typename Number>
Number number(const std::string& option, const std::string& text, const char* kind) {
  Number found{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, found);
  if (error != std::errc() || rest != end) {
    throw BadSetting("argument " + option + ": invalid " + kind + " value: '" + text + "'");
  }
  return found;
}

int whole(const std::string& option, const std::string& text) { return number<int>(option, text, "int"); }

Seconds time(const std::string& option, const std::string& text) {
  return Seconds(number<double>(option, text, "float"));
}

std::string random_instance() {
  constexpr char digits[] = "0123456789abcdef";
  std::random_device source;
  std::string text;
  for (int i = 0; i < 8; ++i) text += digits[source() % 16];
  return text;
}

}  // namespace

const char* const kUsage =
    "usage: fairdeal-random-bot [OPTION VALUE]...\n"
    "\n"
    "Play at a referee with a bot that draws its answers.\n"
    "\n"
    "  --connect ADDRESS            the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS\n"
    "  --game G                     the game to play; by default all\n"
    "  --matches N                  how many matches to play, 0 for no limit\n"
    "  --tables N                   how many at once; by default 64\n"
    "  --seed S                     what the bot draws from; by default FAIRDEAL_SEED\n"
    "  --entry E                    the entry that plays; by default FAIRDEAL_ENTRY or random\n"
    "  --instance I                 tells several sessions of one entry apart\n"
    "  --connect-timeout SECONDS    how long to wait for the referee; by default 30\n"
    "  --reconnect-timeout SECONDS  how long to dial a lost referee again, 0 for never; by default 60\n"
    "  --help                       show this and exit\n";

Arguments parse(const std::vector<std::string>& arguments) {
  Arguments parsed;
  Options& options = parsed.options;
  std::optional<int> matches;
  const std::map<std::string, std::function<void(const std::string& option, const std::string& value)>> known = {
      {"--connect", [&](auto&, auto& value) { options.address = value; }},
      {"--game", [&](auto&, auto& value) { options.games = {value}; }},
      {"--matches", [&](auto& option, auto& value) { matches = whole(option, value); }},
      {"--tables", [&](auto& option, auto& value) { options.tables = whole(option, value); }},
      {"--seed", [&](auto&, auto& value) { options.seed = value; }},
      {"--entry", [&](auto&, auto& value) { options.entry = value; }},
      {"--instance", [&](auto&, auto& value) { options.instance = value; }},
      {"--connect-timeout", [&](auto& option, auto& value) { options.connect_timeout = time(option, value); }},
      {"--reconnect-timeout", [&](auto& option, auto& value) { options.reconnect_timeout = time(option, value); }},
  };
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (*argument == "--help" || *argument == "-h") return {.help = true};
    const std::size_t equals = argument->find('=');
    const auto found = known.find(argument->substr(0, equals));
    if (found == known.end()) throw BadSetting("unrecognized arguments: " + *argument);
    const auto& [option, set] = *found;
    if (equals != std::string::npos) {
      set(option, argument->substr(equals + 1));
    } else if (++argument != arguments.end()) {
      set(option, *argument);
    } else {
      throw BadSetting("argument " + option + ": expected one argument");
    }
  }
  const bool is_hosted = !options.address && std::getenv("FAIRDEAL_ADDRESS");
  options.matches = matches.value_or(is_hosted ? 0 : 1);
  if (!options.entry && !std::getenv("FAIRDEAL_ENTRY")) {
    options.entry = "random";
    if (!options.instance && !std::getenv("FAIRDEAL_INSTANCE")) options.instance = random_instance();
  }
  parsed.tells = options.address.has_value();
  return parsed;
}

}  // namespace fairdeal
