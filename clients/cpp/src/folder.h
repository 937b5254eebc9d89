// The folder in which each run of a bot keeps its lines in files of its own.
#pragma once

#include <string>

namespace fairdeal {

/// Return the folder in which an entry keeps its lines if nothing is said, with a slash at the end.
std::string usual_folder(const std::string& entry);

/// Return the path of a new file in a folder, which is made if need be. The oldest files of runs are removed, so that
/// all of them stay below 128 MB or little more. Throws std::system_error.
std::string next_in(const std::string& folder);

}  // namespace fairdeal
