#include "fairdeal/decision.h"

#include <utility>

#include "durations.h"

namespace fairdeal {

Decision::Decision(std::shared_ptr<const Match> match, v1::Decision message,
                   std::shared_ptr<const std::string> seed)
    : match_(std::move(match)), message_(std::move(message)), seed_(std::move(seed)) {}

Seconds Decision::move_time() const { return seconds(message_.move_time()); }

Seconds Decision::bank() const { return seconds(message_.bank()); }

Chance& Decision::chance() const {
  if (!chance_) chance_.emplace(*seed_, match_->id, static_cast<std::uint32_t>(match_->seat), id());
  return *chance_;
}

}  // namespace fairdeal
