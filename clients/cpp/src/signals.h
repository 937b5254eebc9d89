// SIGINT and SIGTERM, which end a run with a goodbye.
#pragma once

#include <functional>
#include <thread>

namespace fairdeal {

/// Calls `stop`, on a thread of its own, at the first SIGINT or SIGTERM; those that follow do what they do by default.
/// Several at once are each called. When the last is gone, the handlers are as they were before.
class Signals {
 public:
  /// Throws std::system_error: the process has no file or thread left for it.
  explicit Signals(std::function<void()> stop);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

 private:
  std::function<void()> stop_;
  int own_[2];  // a pipe: its end is the end of the thread
  std::thread thread_;
};

}  // namespace fairdeal
