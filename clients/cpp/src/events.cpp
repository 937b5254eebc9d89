#include "events.h"

#include <grpc/support/time.h>

#include <chrono>

namespace fairdeal {
namespace {

constexpr double kForever = 1e9;  // seconds

gpr_timespec time_until(double deadline) {
  const double left = deadline - now();
  if (left > kForever) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  const auto nanoseconds = static_cast<std::int64_t>(left * 1e9);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(nanoseconds, GPR_TIMESPAN));
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Events::~Events() {
  alarm_.Cancel();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

Events::Event Events::next(double deadline) {
  Event event{Kind::operation};
  if (queue_.AsyncNext(&event.tag, &event.ok, time_until(deadline)) != grpc::CompletionQueue::GOT_EVENT) {
    return {Kind::timeout};
  }
  if (event.tag != &alarm_) return event;
  const std::lock_guard lock(mutex_);
  is_waking_ = false;
  return {Kind::wake};
}

void Events::wake(double delay) {
  const std::lock_guard lock(mutex_);
  if (!is_waking_) {
    is_waking_ = true;
    alarm_.Set(&queue_, time_until(now() + delay), &alarm_);
  } else if (delay <= 0) {
    alarm_.Cancel();  // which has it go off at once
  }
}

}  // namespace fairdeal
