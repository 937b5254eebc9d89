// SIGINT and SIGTERM: the first lets a run finish, the second ends it with a goodbye.
#pragma once

#include <functional>
#include <thread>

namespace fairdeal {

/// Calls `first` and `second`, on a thread of its own, at the first and the second SIGINT or SIGTERM; those that follow
/// do what they do by default. Several at once are each called. When the last is gone, the handlers are as they were before.
class Signals {
 public:
  /// Throws std::system_error: the process has no file or thread left for it.
  Signals(std::function<void()> first, std::function<void()> second);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

 private:
  std::function<void()> first_;
  std::function<void()> second_;
  int own_[2];  // a pipe: its end is the end of the thread
  std::thread thread_;
};

}  // namespace fairdeal
