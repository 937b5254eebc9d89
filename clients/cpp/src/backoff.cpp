#include "backoff.h"

#include <algorithm>
#include <random>
#include <utility>

namespace fairdeal {

Backoff::Backoff(double now, double timeout, double longest, std::function<double()> draw)
    : until_(now + timeout), longest_(longest), draw_(std::move(draw)) {}

void Backoff::restart(double now, double timeout, double lasted) {
  until_ = now + timeout;
  if (lasted >= kLasting) delay_ = kFirstDelay;
}

std::optional<double> Backoff::next_delay(double now) {
  const double delay = delay_ * (1 - draw_() / 2);
  if (now + delay >= until_) return std::nullopt;
  delay_ = std::min(2 * delay_, longest_);
  return delay;
}

double Backoff::left(double now) const { return std::max(0.0, until_ - now); }

double Backoff::at_random() {
  std::random_device source;
  return std::uniform_real_distribution<double>()(source);
}

}  // namespace fairdeal
