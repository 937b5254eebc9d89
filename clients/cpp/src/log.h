// Lines for people, on standard error.
#pragma once

#include <cstdio>
#include <string>

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

}  // namespace fairdeal
