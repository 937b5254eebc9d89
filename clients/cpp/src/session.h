// A session as pure logic: frames in, updates out; answers in, requests out. No I/O and no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairdeal/answer.h"
#include "fairdeal/decision.h"
#include "ledger.h"

namespace fairdeal {

using MatchPtr = std::shared_ptr<const Match>;

// What a bot is told, besides decisions.
struct Seated {
  MatchPtr match;
};
struct Happened {
  MatchPtr match;
  v1::Event event;
};
struct Closed {
  MatchPtr match;
  v1::Closed message;
};
struct Refused {
  MatchPtr match;  // null where the bot has no seat
  v1::Refused message;
};
struct Finished {
  MatchPtr match;
  v1::Finished message;
};
struct Notice {
  v1::Notice message;
};
using Update = std::variant<Seated, Decision, Happened, Closed, Refused, Finished, Notice>;

/// One session with a referee, over one stream or, by `rejoin`, several; its first request is the hello. It takes
/// every seat that it is given. It leaves by itself after the hello's number of matches, and when it plays nothing and
/// no more matches come: the referee is about to leave, or was asked for no more.
class Session {
 public:
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::size_t kMaxFrameBytes = 32 * 1024;

  /// `seed` is what the decisions' generators are made from, `ledger` keeps what is told and answered.
  explicit Session(v1::Hello hello, std::string seed = "", Ledger ledger = Ledger());

  /// Take a frame in and return what it tells the bot, in order.
  /// Throws Replaced: a newer session took over; ProtocolError: the frame is invalid.
  std::vector<Update> receive(v1::PlayResponse frame);

  /// Go on over a new stream: the next request is a hello that tells where the bot is in its matches. What was not
  /// sent yet is dropped. An answer that the bot has given, or gives meanwhile, is sent when the decision comes
  /// again.
  void rejoin();

  /// Answer a decision; of one that is closed by now, nothing is sent. The answer waits for `flush`.
  void answer(const Decision& decision, const Answer& answer);

  /// Have the answers given so far sent with the next requests.
  void flush();

  /// Return whether an answer to the decision would still be heard.
  bool is_open(const Decision& decision) const;

  /// Ask for no more matches: leave once the matches are over and the referee has confirmed it.
  void retire();

  /// Expect no more matches: leave once the matches are over.
  void drain();

  /// Leave with the next requests.
  void leave() { leaving_ = true; }

  /// Return what is to be sent now, each a frame of a size that the referee takes.
  std::vector<v1::PlayRequest> take_requests();

  /// How many frames were received over the current stream.
  std::uint64_t frames() const { return frames_; }
  /// Whether the referee has opened the session over the current stream.
  bool welcomed() const { return welcomed_; }
  /// How often the referee sends something, in seconds; 0: only when there is something to send.
  double heartbeat() const { return heartbeat_; }
  /// How many matches are over, void ones not counted; one that the referee has forgotten is.
  std::uint32_t finished() const { return finished_; }
  /// Whether the bot wants no more matches, which the referee is told over each stream.
  bool retiring() const { return retiring_; }
  /// Whether the referee has said that no more matches come.
  bool draining() const { return draining_; }
  /// Whether the bot says goodbye with the next requests.
  bool leaving() const { return leaving_; }
  /// Whether all requests were given, goodbye the last.
  bool left() const { return left_; }
  /// Where the referee has sent the bot, whose next stream goes there; empty: where it began.
  const std::optional<std::string>& sent_to() const { return sent_to_; }
  /// How many matches are being played.
  std::size_t playing() const { return matches_.size(); }

 private:
  struct Table {
    MatchPtr match;
    std::uint32_t sequence = 0;       // the last event received
    std::uint32_t asked = 0;          // the last decision, one at a time
    bool is_open = false;             // whether it is neither answered nor closed
    bool is_asked_here = false;       // whether it came over the current stream
    std::optional<v1::Answer> reply;  // what it was answered, until it is closed
  };
  using Updates = std::vector<Update>;

  void take(v1::Update& update, Updates& told);
  void take(const v1::Welcome& message);
  void take(v1::Seated& message, Updates& told);
  void take(v1::Happened& message, Updates& told);
  void take(v1::Decision& message, Updates& told);
  void take(v1::Closed& message, Updates& told);
  void take(v1::Refused& message, Updates& told);
  void take(v1::Finished& message, Updates& told);
  void take(v1::Notice& message, Updates& told);
  void leave_if_done();
  Table& table(const std::string& match_id);
  const Table* table_of(const Decision& decision) const;
  bool owes_acknowledgement() const;

  v1::Hello opening_;
  std::optional<v1::Hello> hello_;
  std::shared_ptr<const std::string> seed_;
  Ledger ledger_;
  std::map<std::string, Table> matches_;
  google::protobuf::RepeatedPtrField<v1::Answer> held_;  // answers that wait for others, to share a frame
  v1::PlayRequest pending_;
  std::uint64_t frames_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::size_t unacknowledged_bytes_ = 0;
  bool must_acknowledge_ = false;
  std::size_t max_frame_bytes_ = kMaxFrameBytes;
  // A frame received is acknowledged with the next request; without one, after so many frames or bytes, which is a
  // quarter of what the referee allows.
  std::uint64_t acknowledge_frames_ = 16;
  std::size_t acknowledge_bytes_ = 64 * 1024;
  double heartbeat_ = 0;
  std::uint32_t finished_ = 0;
  bool welcomed_ = false;
  bool draining_ = false;
  bool retiring_ = false;
  bool leaving_ = false;
  bool left_ = false;
  std::optional<std::string> sent_to_;
};

}  // namespace fairdeal
