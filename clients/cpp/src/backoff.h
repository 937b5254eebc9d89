// When a bot dials again: a schedule, without a clock of its own.
#pragma once

#include <functional>
#include <optional>

namespace fairdeal {

/// The delays between attempts, doubling up to `longest`; all times are seconds. Each is shortened by up to a half,
/// so that bots that were cut off together do not come back together. `draw` returns numbers from 0 to 1.
class Backoff {
 public:
  static constexpr double kFirstDelay = 0.1;
  static constexpr double kLongestDelay = 5;
  /// A session that lasted this long restarts the schedule; one that breaks at once keeps it slow.
  static constexpr double kLasting = 10;

  Backoff(double now, double timeout, double longest = kLongestDelay, std::function<double()> draw = at_random);

  /// Record the loss of a session that lasted so long; the time for dialling again begins now.
  void restart(double now, double timeout, double lasted);

  /// Return how long to wait until the next attempt; nothing when the time for attempts is over.
  std::optional<double> next_delay(double now);

  /// Return how much time is left for attempts.
  double left(double now) const;

 private:
  static double at_random();

  double until_;
  double longest_;
  double delay_ = kFirstDelay;
  std::function<double()> draw_;
};

}  // namespace fairdeal
