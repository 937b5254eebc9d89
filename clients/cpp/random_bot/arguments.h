// The command line of the random bot.
#pragma once

#include <fairdeal/fairdeal.h>

#include <string>
#include <vector>

namespace fairdeal {

/// What the command line says.
struct Arguments {
  Options options = {};
  /// Whether to print a line for each match seated and finished.
  bool tells = false;
  /// Whether only to print `kUsage`.
  bool help = false;
};

extern const char* const kUsage;

/// Return what the arguments, without the program's name, and the environment say.
/// Throws BadSetting: an invalid argument.
Arguments parse(const std::vector<std::string>& arguments);

}  // namespace fairdeal
