// The generator that bots draw from: the same seed gives the same match, in any language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fairdeal {

/// What a bot draws for one decision. Each decision has a generator of its own, so that nothing drawn depends on
/// what was drawn before or on other tables. clients/python/fairdeal/chance.py describes the algorithm.
class Chance {
 public:
  /// `seat` counts from 0, `decision_id` is the referee's.
  /// Throws std::invalid_argument: seed or match id is not ASCII.
  Chance(std::string_view seed, std::string_view match_id, std::uint32_t seat, std::uint32_t decision_id);

  /// Return one of 0 .. n-1, all equally likely.
  /// Throws std::invalid_argument: n is not 1 to 2^32.
  std::uint32_t draw(std::uint64_t n);

  /// Return one of the items.
  /// Throws std::invalid_argument: there are none.
  template <typename Items>
  auto choice(const Items& items) -> typename Items::value_type {
    return *std::next(std::begin(items), draw(std::size(items)));
  }

  /// Return `minimum` to `maximum` of the items: first the count is drawn, then one after the other; each is
  /// taken out of what remains, which stays in its order.
  /// Throws std::invalid_argument: the bounds do not fit the number of items.
  template <typename Items>
  auto choose(const Items& items, std::size_t minimum, std::size_t maximum)
      -> std::vector<typename Items::value_type> {
    std::vector<typename Items::value_type> remaining(std::begin(items), std::end(items));
    if (minimum > maximum || maximum > remaining.size()) {
      throw std::invalid_argument("cannot choose " + std::to_string(minimum) + " to " +
                                  std::to_string(maximum) + " of " + std::to_string(remaining.size()) + " items");
    }
    std::vector<typename Items::value_type> chosen;
    for (std::size_t count = minimum + draw(maximum - minimum + 1); count > 0; --count) {
      const auto taken = std::next(remaining.begin(), draw(remaining.size()));
      chosen.push_back(*taken);
      remaining.erase(taken);
    }
    return chosen;
  }

  /// Return whether something of this probability happens, in millionths, rounded, halves to even.
  /// Throws std::invalid_argument: the probability is not 0 to 1.
  bool happens(double probability);

 private:
  std::uint32_t take(std::size_t size);

  std::string prefix_;
  std::uint32_t blocks_ = 0;
  std::string row_;       // the bytes of the block in use and what is left of the one before
  std::size_t used_ = 0;  // of the row
};

}  // namespace fairdeal
