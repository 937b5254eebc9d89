#include "fairdeal/bot.h"

#include <string>
#include <string_view>

#include "log.h"

namespace fairdeal {
namespace {

/// Return the name of an enum's value without its prefix, or its number when this version does not know it.
std::string short_name(const std::string& name, int number, std::string_view prefix) {
  return name.empty() ? std::to_string(number) : name.substr(prefix.size());
}

}  // namespace

void Bot::on_seated(const Match&) {}

void Bot::on_event(const Match&, const v1::Event&) {}

void Bot::on_closed(const Match& match, const v1::Closed& closed) {
  if (!closed.fault()) return;
  log_line("match " + match.id + ", decision " + std::to_string(closed.decision_id()) + ": " +
           short_name(v1::Fault_Name(closed.fault()), closed.fault(), "FAULT_") +
           ": the referee played the default action");
}

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
