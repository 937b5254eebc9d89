// What a bot is.
#pragma once

#include "fairdeal/answer.h"
#include "fairdeal/decision.h"

namespace fairdeal {

/// A bot: something that answers decisions. All is called on the thread that called `run`, one call at a time. One
/// object plays at all its tables, so keep its state by `Match::id`.
class Bot {
 public:
  virtual ~Bot() = default;

  /// Return the answer to a decision. An exception is printed and costs a fault.
  virtual Answer act(const Decision& decision) = 0;

  /// Return whether events are wanted, for `on_event`; asked once, at the start.
  virtual bool wants_events() const { return false; }

  /// The bot has a seat.
  virtual void on_seated(const Match& match);

  /// Something happened in a match.
  virtual void on_event(const Match& match, const v1::Event& event);

  /// A decision is closed. For a fault, and a note that was dropped, there has been a line on standard error.
  virtual void on_closed(const Match& match, const v1::Closed& closed);

  /// An answer is refused or, with decision 0, the referee does not go on with a match. `match` is null where the
  /// bot has no seat. By default a line on standard error.
  virtual void on_refused(const Match* match, const v1::Refused& refused);

  /// A match is over; a void one will be played again.
  virtual void on_finished(const Match& match, const v1::Finished& finished);

  /// The referee tells something about the session itself.
  virtual void on_notice(const v1::Notice& notice);
};

}  // namespace fairdeal
