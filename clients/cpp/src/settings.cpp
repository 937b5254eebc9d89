#include "settings.h"

#include <errno.h>  // program_invocation_short_name

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fairdeal/errors.h"
#include "folder.h"
#include "log.h"
#include "session.h"

namespace fairdeal {
namespace {

constexpr const char* kDefaultAddress = "127.0.0.1:7447";  // where `fairdeal serve` listens
constexpr std::string_view kUnix = "unix:";

std::string found(const std::optional<std::string>& given, const char* variable, const char* otherwise = "") {
  if (given) return *given;
  const char* value = std::getenv(variable);
  return value ? value : otherwise;
}

/// Return what is wrong with an address; nothing where it is one.
std::string problem_of_address(std::string_view address) {
  const std::string wrong = "must be HOST:PORT or unix:/PATH";
  if (address.starts_with(kUnix)) return address.size() > kUnix.size() ? "" : wrong;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong;
  const std::string port(address.substr(colon + 1));
  if (port.empty() || port.find_first_not_of("0123456789") != std::string::npos) return wrong;
  const bool is_port = port.size() <= 5 && std::stoi(port) > 0 && std::stoi(port) < 65536;
  return is_port ? "" : "the port must be 1 to 65535";
}

bool is_within(std::string_view text, unsigned char first, unsigned char last) {
  return std::all_of(text.begin(), text.end(), [=](unsigned char each) { return first <= each && each <= last; });
}

void check(const Settings& settings) {
  const auto fail = [](const std::string& text) { throw BadSetting(text); };
  if (settings.address.empty()) {
    fail(std::string("the address is empty: give one, such as ") + kDefaultAddress + " or unix:/path");
  }
  if (const std::string problem = problem_of_address(settings.address); !problem.empty()) {
    fail("address '" + settings.address + "': " + problem);
  }
  if (settings.tables < 1) fail("tables " + std::to_string(settings.tables) + ": must be 1 or more");
  if (settings.matches < 0) {
    fail("matches " + std::to_string(settings.matches) + ": must be 0, for no limit, or more");
  }
  if (!(settings.connect_timeout >= 0)) {
    fail("connect_timeout " + plain(settings.connect_timeout) + ": must be 0, to try once, or more");
  }
  if (!(settings.reconnect_timeout >= 0)) {
    fail("reconnect_timeout " + plain(settings.reconnect_timeout) + ": must be 0, for never, or more");
  }
  if (!is_within(settings.token, ' ', '~')) fail("token: must be printable ASCII");
  if (!is_within(settings.seed, 0, 127)) fail("seed '" + settings.seed + "': must be ASCII");
}

}  // namespace

Settings settle(const Options& options) {
  const std::string entry = found(options.entry, "FAIRDEAL_ENTRY", program_invocation_short_name);
  Settings settings{
      .address = found(options.address, "FAIRDEAL_ADDRESS", kDefaultAddress),
      .token = found(options.token, "FAIRDEAL_TOKEN"),
      .entry = entry,
      .instance = found(options.instance, "FAIRDEAL_INSTANCE"),
      .games = options.games,
      .tables = options.tables,
      .matches = options.matches,
      .seed = found(options.seed, "FAIRDEAL_SEED"),
      .keep = found(options.keep, "FAIRDEAL_KEEP", usual_folder(entry).c_str()),
      .tls = load_tls(found(options.ca, "FAIRDEAL_CA"), found(options.cert, "FAIRDEAL_CERT"),
                      found(options.key, "FAIRDEAL_KEY")),
      .connect_timeout = options.connect_timeout.count(),
      .reconnect_timeout = options.reconnect_timeout.count(),
  };
  check(settings);
  return settings;
}

std::string place_of(const std::string& sent_to, const std::string& address) {
  if (sent_to.empty()) return address;
  return sent_to[0] == ':' ? address.substr(0, address.rfind(':')) + sent_to : sent_to;
}

v1::Hello hello(const Settings& settings, bool events) {
  v1::Hello hello;
  hello.add_versions(Session::kVersion);
  hello.set_entry(settings.entry);
  hello.set_instance(settings.instance);
  for (const std::string& game : settings.games) hello.add_games(game);
  hello.set_tables(static_cast<std::uint32_t>(settings.tables));
  hello.set_matches(static_cast<std::uint32_t>(settings.matches));
  hello.set_events(events);
  hello.set_agent("fairdeal-cpp/" FAIRDEAL_VERSION);
  hello.set_redirects(true);
  return hello;
}

}  // namespace fairdeal
