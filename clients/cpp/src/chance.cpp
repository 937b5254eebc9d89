#include "fairdeal/chance.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bytes.h"

namespace fairdeal {
namespace {

constexpr std::uint64_t kParts = 1'000'000;

std::string with_length(std::string_view item) {
  return u32be(static_cast<std::uint32_t>(item.size())).append(item);
}

std::string_view ascii(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](unsigned char each) { return each > 127; })) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is not ASCII: a bot's seed and match ids are ASCII texts");
  }
  return text;
}

}  // namespace

Chance::Chance(std::string_view seed, std::string_view match_id, std::uint32_t seat, std::uint32_t decision_id)
    : prefix_(with_length("fairdeal/1/bot") + with_length(ascii(seed)) + with_length(ascii(match_id)) +
              with_length(u32be(seat)) + with_length(u32be(decision_id))) {}

std::uint32_t Chance::draw(std::uint64_t n) {
  if (n < 1 || n > std::uint64_t{1} << 32) {
    throw std::invalid_argument("cannot draw one of " + std::to_string(n) + ": must be one of 1 to 2**32");
  }
  if (n == 1) return 0;
  const std::size_t size = n <= 256 ? 1 : 4;
  const std::uint64_t space = std::uint64_t{1} << (8 * size);
  // numbers from the limit on are skipped: with them the low results would come up too often
  const std::uint64_t limit = space - space % n;
  std::uint64_t number = take(size);
  while (number >= limit) number = take(size);
  return static_cast<std::uint32_t>(number % n);
}

bool Chance::happens(double probability) {
  if (!(probability >= 0 && probability <= 1)) {
    throw std::invalid_argument(std::to_string(probability) + " is not a probability: must be 0 to 1");
  }
  return draw(kParts) < static_cast<std::uint64_t>(std::nearbyint(probability * kParts));
}

std::uint32_t Chance::take(std::size_t size) {
  if (row_.size() - used_ < size) {
    const std::string block = prefix_ + with_length(u32be(blocks_++));
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
    SHA256(reinterpret_cast<const unsigned char*>(block.data()), block.size(), digest.data());
    row_.erase(0, used_);
    used_ = 0;
    row_.append(digest.begin(), digest.end());
  }
  std::uint32_t number = 0;
  for (; size > 0; --size) number = number << 8 | static_cast<unsigned char>(row_[used_++]);
  return number;
}

}  // namespace fairdeal
