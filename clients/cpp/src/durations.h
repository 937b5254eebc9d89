// The protocol's durations.
#pragma once

#include <google/protobuf/duration.pb.h>

#include "fairdeal/decision.h"

namespace fairdeal {

/// Return a duration in seconds.
inline Seconds seconds(const google::protobuf::Duration& duration) {
  return Seconds(static_cast<double>(duration.seconds()) + duration.nanos() / 1e9);
}

}  // namespace fairdeal
