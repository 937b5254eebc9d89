// Lines for people, on standard error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace fairdeal {

/// Write a line in one piece, so that those of several threads do not mix. It begins with who writes it.
inline void log_line(const std::string& text, const std::string& who = "fairdeal") {
  std::fputs((who + ": " + text + '\n').c_str(), stderr);
}

/// Return a number as people write it.
inline std::string plain(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

/// Return the name of an enum's value without its prefix, or its number when this version does not know it.
inline std::string short_name(const std::string& name, int number, std::string_view prefix) {
  return name.empty() ? std::to_string(number) : name.substr(prefix.size());
}

}  // namespace fairdeal
