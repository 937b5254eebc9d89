// A session over gRPC: an end to every wait, and back when the stream breaks.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "backoff.h"
#include "events.h"
#include "session.h"
#include "settings.h"
#include "stream.h"

namespace fairdeal {

/// One session of a bot, from the first dialling to its end. The network thread calls `run`, the bot's thread the
/// functions from `wait` to `flush`, and any thread `finish` and `stop`.
class Connection {
 public:
  /// An answer waits for at most so many seconds for others, to share a frame with them.
  static constexpr double kShare = 0.005;

  Connection(const Settings& settings, bool wants_events, double share = kShare);

  /// Connect and play until the session ends.
  void run();

  /// Wait for updates, those of an ended session included; false when there will be no more.
  /// Throws Error: the session failed.
  bool wait(std::vector<Update>& updates);

  /// Return whether an answer to the decision would still be heard.
  bool is_open(const Decision& decision);

  /// Answer a decision. It is sent soon, however long the next call of the bot takes.
  void answer(const Decision& decision, const Answer& answer);

  /// Send the answers given at once.
  void flush() { events_.wake(); }

  /// Finish what is being played, take no more matches, and then end the session.
  void finish();

  /// End the session with a goodbye.
  void stop();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void play();
  std::optional<Broken> over_stream(Backoff& backoff);
  std::optional<Broken> converse(Stream& stream, double deadline);
  void send(Stream& stream);
  double receive(v1::PlayResponse frame);
  bool pause(double seconds);
  Broken silence();
  bool is_leaving();
  double answer_by();
  [[noreturn]] void give_up(const Broken& broken) const;

  bool move_on(const std::string& sent_to, double time);

  Settings settings_;  // with the address of the current stream
  const std::string home_;
  bool is_sent_ = false;  // whether the referee has sent the bot there
  int moves_ = 0;
  const double share_;
  Events events_;
  double welcomed_at_ = 0;  // the network thread's own
  bool was_lost_ = false;   // the same

  std::mutex mutex_;  // guards what follows
  Session session_;
  std::vector<Update> updates_;
  double answer_by_;  // until when the referee may say that no more matches come
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::condition_variable told_;
};

}  // namespace fairdeal
