#include "folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <regex>
#include <system_error>
#include <vector>

namespace fairdeal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;
constexpr std::uintmax_t kMostEarlier = std::uintmax_t{96} << 20;  // bytes of earlier files

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string usual_folder(const std::string& entry) {
  std::string state = variable("XDG_STATE_HOME");
  if (!state.starts_with('/')) state = variable("HOME") + "/.local/state";
  std::string name = std::regex_replace(entry.substr(0, 100), std::regex("[^A-Za-z0-9_-]"), "_");
  if (name.empty()) name = "bot";
  return state + "/fairdeal/kept/" + name + "/";
}

std::string next_in(const std::string& folder) {
  if (fs::create_directories(folder)) fs::permissions(folder, fs::perms::owner_all);
  static const std::regex of_a_run(R"(\d{8}T\d{6}Z-\d+\.jsonl)");
  std::vector<fs::path> runs;
  for (const auto& found : fs::directory_iterator(folder)) {
    if (std::regex_match(found.path().filename().string(), of_a_run)) runs.push_back(found.path());
  }
  std::sort(runs.begin(), runs.end(), std::greater());
  std::uintmax_t size = 0;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    std::error_code removed;  // by another process
    const std::uintmax_t length = fs::file_size(runs[number], removed);
    if (!removed) size += length;
    if (size > kMostEarlier || number >= kMostFiles) fs::remove(runs[number], removed);
  }
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char time[sizeof "20260101T120000Z"];
  std::strftime(time, sizeof time, "%Y%m%dT%H%M%SZ", &utc);
  return fs::path(folder) / (std::string(time) + "-" + std::to_string(getpid()) + ".jsonl");
}

}  // namespace fairdeal
