// What the network thread waits for: the ends of gRPC's operations, and others' calls to wake up.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <mutex>

namespace fairdeal {

/// Return the time in seconds, of a clock that only goes forward.
double now();

/// The operations of one thread's streams.
class Events {
 public:
  enum class Kind { operation, wake, timeout };

  struct Event {
    Kind kind;
    void* tag = nullptr;  // of an operation
    bool ok = false;      // whether it succeeded
  };

  Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events();

  /// Wait for the next event until `deadline`, a time of `now`; infinity is for ever.
  Event next(double deadline);

  /// Have `next` return after `delay` seconds, or earlier for another call; from any thread.
  void wake(double delay = 0);

  grpc::CompletionQueue& queue() { return queue_; }

 private:
  grpc::CompletionQueue queue_;
  std::mutex mutex_;
  grpc::Alarm alarm_;
  bool is_waking_ = false;
};

}  // namespace fairdeal
