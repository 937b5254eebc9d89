// Numbers as bytes.
#pragma once

#include <cstdint>
#include <string>

namespace fairdeal {

/// Return a number as four bytes, the highest first, as the pages on dealing and on what bots keep write it.
inline std::string u32be(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)};
}

}  // namespace fairdeal
