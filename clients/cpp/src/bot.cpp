#include "fairdeal/bot.h"

#include <string>

#include "log.h"

namespace fairdeal {

void Bot::on_seated(const Match&) {}

void Bot::on_event(const Match&, const v1::Event&) {}

void Bot::on_closed(const Match&, const v1::Closed&) {}

void Bot::on_refused(const Match* match, const v1::Refused& refused) {
  const std::string where = "match " + (match ? match->id : "unknown");
  const std::string why =
      short_name(v1::Reason_Name(refused.reason()), refused.reason(), "REASON_") + " " + refused.text();
  if (!refused.decision_id()) {
    log_line(where + ": the referee does not go on with it: " + why);
  } else {
    log_line(where + ", decision " + std::to_string(refused.decision_id()) + ": the answer was refused: " + why);
  }
}

void Bot::on_finished(const Match&, const v1::Finished&) {}

void Bot::on_notice(const v1::Notice&) {}

}  // namespace fairdeal
