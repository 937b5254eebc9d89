// The files for TLS, read and checked before anything is dialled.
#pragma once

#include <optional>
#include <string>

namespace fairdeal {

/// What a bot trusts and, for mutual TLS, who it is; contents of PEM files, empty where there is none.
struct Tls {
  std::string ca;
  std::string cert;
  std::string key;
};

/// Read the files that are named; nothing without any.
/// Throws BadSetting: one is missing, cannot be read, or holds something else.
std::optional<Tls> load_tls(const std::string& ca, const std::string& cert, const std::string& key);

}  // namespace fairdeal
