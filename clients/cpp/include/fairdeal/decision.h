// A seat in a match, and a question to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fairdeal/chance.h"
#include "fairdeal/v1/play_service.pb.h"

namespace fairdeal {

using Seconds = std::chrono::duration<double>;

/// A match in which the bot has a seat.
struct Match {
  std::string id;
  /// More than 1 when earlier ones were void.
  std::uint32_t attempt;
  /// The game's name, such as "hearts".
  std::string game;
  /// The bot's seat, from 0.
  int seat;
  /// All else that is told with the seat: options, entries, sides, clock...
  v1::Seated message;
};

/// A question to the bot's seat.
class Decision {
 public:
  Decision(std::shared_ptr<const Match> match, v1::Decision message, std::shared_ptr<const std::string> seed);

  /// The match, and the seat that is asked.
  const Match& match() const { return *match_; }

  /// Numbers the decisions of this seat in this match, from 1.
  std::uint32_t id() const { return message_.decision_id(); }

  /// The legal answers: a list of actions, or a choice of several cards or of several combinations.
  const v1::Legal& legal() const { return message_.legal(); }

  /// All that the seat knows.
  const v1::View& view() const { return message_.view(); }

  /// The time for this decision.
  Seconds move_time() const;

  /// What is left in the bank.
  Seconds bank() const;

  /// The generator of this decision: with the same seed it draws the same in every run.
  /// Throws std::invalid_argument: the match id is not ASCII.
  Chance& chance() const;

  /// The protocol's message.
  const v1::Decision& message() const { return message_; }

 private:
  friend class Session;

  std::shared_ptr<const Match> match_;
  v1::Decision message_;
  std::shared_ptr<const std::string> seed_;
  mutable std::optional<Chance> chance_;
};

}  // namespace fairdeal
