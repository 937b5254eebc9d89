#include "signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

namespace fairdeal {
namespace {

// Handlers belong to the process, and so does what they need. A signal is a byte that nobody takes before the last user
// is gone, so that all see it; the first and the second have a pipe each. They stay open: a handler may still be at work.
std::mutex mutex;
int users = 0;
std::atomic<int> signals = 0;
int signalled[2][2] = {{-1, -1}, {-1, -1}};
struct sigaction before_interrupt;
struct sigaction before_terminate;

void open_pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe for signals");
  }
}

void handle(int) {
  const int error = errno;
  const bool is_first = signals++ == 0;
  if (!is_first) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
  }
  if (write(signalled[is_first ? 0 : 1][1], "", 1) != 1) {
    // the pipe holds what was written before, which says the same
  }
  errno = error;
}

void add_user() {
  const std::lock_guard lock(mutex);
  if (users == 0) {
    for (int(&ends)[2] : signalled) {
      if (ends[0] < 0) open_pipe(ends);
    }
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &before_interrupt);
    sigaction(SIGTERM, &action, &before_terminate);
  }
  ++users;
}

void remove_user() {
  const std::lock_guard lock(mutex);
  if (--users > 0) return;
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
  char bytes[2];
  for (const int(&ends)[2] : signalled) {
    while (read(ends[0], bytes, sizeof bytes) > 0) {
    }
  }
  signals = 0;
}

}  // namespace

Signals::Signals(std::function<void()> first, std::function<void()> second)
    : first_(std::move(first)), second_(std::move(second)) {
  add_user();
  try {
    open_pipe(own_);
  } catch (...) {
    remove_user();
    throw;
  }
  thread_ = std::thread([this] {
    pollfd ends[] = {{signalled[0][0], POLLIN, 0}, {signalled[1][0], POLLIN, 0}, {own_[0], POLLIN, 0}};
    auto& [first, second, end] = ends;
    while (!end.revents) {
      if (poll(ends, 3, -1) < 0) continue;  // interrupted
      if (first.revents) {
        first_();
        first.fd = -1;
      }
      if (second.revents) {
        second_();
        second.fd = -1;
      }
    }
  });
}

Signals::~Signals() {
  close(own_[1]);
  thread_.join();
  close(own_[0]);
  remove_user();
}

}  // namespace fairdeal
