#include "signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

namespace fairdeal {
namespace {

// Handlers belong to the process, and so does what they need. A signal is a byte that nobody takes before the last user
// is gone, so that all see it. The pipe stays open: a handler may still be at work.
std::mutex mutex;
int users = 0;
int signalled[2] = {-1, -1};
struct sigaction before_interrupt;
struct sigaction before_terminate;

void open_pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe for signals");
  }
}

void handle(int) {
  const int error = errno;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (write(signalled[1], "", 1) != 1) {
    // the pipe holds what was written before, which says the same
  }
  errno = error;
}

void add_user() {
  const std::lock_guard lock(mutex);
  if (users == 0) {
    if (signalled[0] < 0) open_pipe(signalled);
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
  while (read(signalled[0], bytes, sizeof bytes) > 0) {
  }
}

}  // namespace

Signals::Signals(std::function<void()> stop) : stop_(std::move(stop)) {
  add_user();
  try {
    open_pipe(own_);
  } catch (...) {
    remove_user();
    throw;
  }
  thread_ = std::thread([this] {
    pollfd ends[] = {{signalled[0], POLLIN, 0}, {own_[0], POLLIN, 0}};
    while (poll(ends, 2, -1) < 0 && errno == EINTR) {
    }
    if (ends[0].revents) stop_();
  });
}

Signals::~Signals() {
  close(own_[1]);
  thread_.join();
  close(own_[0]);
  remove_user();
}

}  // namespace fairdeal
