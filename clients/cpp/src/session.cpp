#include "session.h"

#include <algorithm>
#include <utility>

#include "durations.h"
#include "fairdeal/errors.h"

namespace fairdeal {
namespace {

constexpr std::size_t kItemOverhead = 4;    // bytes around an item of a frame: its tag and its length, below 32 KiB
constexpr std::size_t kFrameOverhead = 16;  // bytes of a frame besides its items

/// Append a request in parts of at most `limit` bytes, goodbye in the last.
void split(v1::PlayRequest request, std::size_t limit, std::vector<v1::PlayRequest>& parts) {
  if (request.ByteSizeLong() + kFrameOverhead <= limit) {
    parts.push_back(std::move(request));
    return;
  }
  v1::PlayRequest part;
  std::size_t size = kFrameOverhead;
  const auto make_room = [&](std::size_t item) {
    if (size + item + kItemOverhead > limit && size > kFrameOverhead) {
      parts.push_back(std::exchange(part, {}));
      size = kFrameOverhead;
    }
    size += item + kItemOverhead;
  };
  for (v1::Ready& ready : *request.mutable_ready()) {
    make_room(ready.ByteSizeLong());
    *part.add_ready() = std::move(ready);
  }
  for (v1::Answer& answer : *request.mutable_answers()) {
    make_room(answer.ByteSizeLong());
    *part.add_answers() = std::move(answer);
  }
  part.set_no_more_matches(request.no_more_matches());
  if (request.has_bye()) part.mutable_bye();
  parts.push_back(std::move(part));
}

}  // namespace

Session::Session(v1::Hello hello, std::string seed, Ledger ledger)
    : opening_(std::move(hello)),
      hello_(opening_),
      seed_(std::make_shared<const std::string>(std::move(seed))),
      ledger_(std::move(ledger)) {}

std::vector<Update> Session::receive(v1::PlayResponse frame) {
  ++frames_;
  unacknowledged_bytes_ += frame.ByteSizeLong();
  if (!welcomed_ && !leaving_ && (frame.updates().empty() || !frame.updates(0).has_welcome())) {
    throw ProtocolError("the referee sent a message before its welcome");
  }
  Updates told;
  for (v1::Update& update : *frame.mutable_updates()) {
    if (leaving_) break;  // it has said goodbye, later updates do not concern it
    take(update, told);
  }
  return told;
}

void Session::rejoin() {
  hello_ = opening_;
  for (const auto& [id, table] : matches_) {
    v1::ResumePoint& point = *hello_->add_resume();
    point.set_match_id(id);
    point.set_sequence(table.sequence);
    point.set_attempt(table.match->attempt);
  }
  if (opening_.matches()) hello_->set_matches(opening_.matches() - finished_);
  held_.Clear();
  pending_.Clear();
  frames_ = acknowledged_ = unacknowledged_bytes_ = 0;
  must_acknowledge_ = welcomed_ = false;
  sent_to_.reset();
  draining_ = draining_ && retiring_;
  for (auto& [id, table] : matches_) table.is_asked_here = false;
}

void Session::answer(const Decision& decision, const Answer& answer) {
  if (!table_of(decision)) return;
  Table& table = matches_.at(decision.match().id);
  table.is_open = false;
  table.reply = answer.message();
  table.reply->set_match_id(decision.match().id);
  table.reply->set_decision_id(decision.id());
  if (table.is_asked_here) *held_.Add() = *table.reply;  // else it is still to come again
}

void Session::flush() {
  pending_.mutable_answers()->MergeFrom(held_);
  held_.Clear();
}

void Session::retire() {
  retiring_ = true;
  pending_.set_no_more_matches(true);
}

void Session::drain() {
  draining_ = true;
  leave_if_done();
}

bool Session::is_open(const Decision& decision) const { return !leaving_ && table_of(decision); }

std::vector<v1::PlayRequest> Session::take_requests() {
  std::vector<v1::PlayRequest> requests;
  if (left_) return requests;
  if (hello_) {
    v1::PlayRequest& first = requests.emplace_back();
    *first.mutable_hello() = std::move(*hello_);
    first.set_no_more_matches(retiring_);
    hello_.reset();
  }
  if (leaving_) {
    pending_.mutable_bye();
    left_ = true;
  }
  if (pending_.ByteSizeLong() || owes_acknowledgement()) {
    split(std::exchange(pending_, {}), max_frame_bytes_, requests);
  }
  for (v1::PlayRequest& request : requests) request.set_frames_received(frames_);
  if (!requests.empty()) {
    acknowledged_ = frames_;
    unacknowledged_bytes_ = 0;
    must_acknowledge_ = false;
  }
  return requests;
}

void Session::take(v1::Update& update, Updates& told) {
  switch (update.kind_case()) {
    case v1::Update::kWelcome:
      return take(update.welcome());
    case v1::Update::kSeated:
      return take(*update.mutable_seated(), told);
    case v1::Update::kHappened:
      return take(*update.mutable_happened(), told);
    case v1::Update::kDecision:
      return take(*update.mutable_decision(), told);
    case v1::Update::kClosed:
      return take(*update.mutable_closed(), told);
    case v1::Update::kRefused:
      return take(*update.mutable_refused(), told);
    case v1::Update::kFinished:
      return take(*update.mutable_finished(), told);
    case v1::Update::kNotice:
      return take(*update.mutable_notice(), told);
    case v1::Update::kRedirect:
      sent_to_ = update.redirect().address();
      return;
    default:
      return;  // of a later version
  }
}

void Session::take(const v1::Welcome& message) {
  if (message.version() != kVersion) {
    throw ProtocolError("the referee speaks version " + std::to_string(message.version()) +
                        " of the protocol, not " + std::to_string(kVersion));
  }
  welcomed_ = true;
  heartbeat_ = seconds(message.heartbeat()).count();
  max_frame_bytes_ = message.max_frame_bytes() ? message.max_frame_bytes() : kMaxFrameBytes;
  if (const auto most = message.max_unacknowledged_frames()) acknowledge_frames_ = std::max(1u, most / 4);
  if (const auto most = message.max_unacknowledged_bytes()) acknowledge_bytes_ = std::max(1u, most / 4);
}

void Session::take(v1::Seated& message, Updates& told) {
  // a new stream repeats the seat, which must be taken again: it is not ready without a session
  pending_.add_ready()->set_match_id(message.match_id());
  Table& table = matches_[message.match_id()];
  const bool is_known = table.match && table.match->attempt == message.attempt();
  if (table.match && !is_known) {
    // there is no new attempt before the earlier one is void
    v1::Finished ended;
    ended.set_match_id(message.match_id());
    ended.set_termination(v1::TERMINATION_VOID);
    ledger_.finished(ended);
    told.push_back(Finished{table.match, std::move(ended)});
  }
  ledger_.seated(message);
  if (is_known) return;
  table = {};
  table.match = std::make_shared<const Match>(
      Match{message.match_id(), message.attempt(), message.game(), message.seat() - 1, message});
  told.push_back(Seated{table.match});
}

void Session::take(v1::Happened& message, Updates& told) {
  Table& table = this->table(message.match_id());
  const std::uint32_t sequence = message.event().sequence();
  if (sequence <= table.sequence) return;  // the bot already has it
  if (sequence > table.sequence + 1) {
    throw ProtocolError("event " + std::to_string(sequence) + " of match '" + message.match_id() +
                        "' follows event " + std::to_string(table.sequence) + ": the referee left some out");
  }
  table.sequence = sequence;
  told.push_back(Happened{table.match, std::move(*message.mutable_event())});
}

void Session::take(v1::Decision& message, Updates& told) {
  Table& table = this->table(message.match_id());
  if (message.decision_id() < table.asked) return;
  table.is_asked_here = true;
  if (message.decision_id() > table.asked) {
    table.asked = message.decision_id();
    table.is_open = true;
    table.reply.reset();
    ledger_.asked(message);
    told.push_back(Decision(table.match, std::move(message), seed_));
  } else if (table.reply) {
    *pending_.add_answers() = *table.reply;
  }
}

void Session::take(v1::Closed& message, Updates& told) {
  const auto found = matches_.find(message.match_id());
  if (found == matches_.end()) return;  // it travels with the next frame, and the match may be over by then
  Table& table = found->second;
  if (message.decision_id() == table.asked) {
    ledger_.closed(message, table.reply ? &*table.reply : nullptr);
    table.is_open = false;
    table.reply.reset();
  }
  told.push_back(Closed{table.match, std::move(message)});
}

void Session::take(v1::Refused& message, Updates& told) {
  const auto found = matches_.find(message.match_id());
  const bool is_known = found != matches_.end();
  // decisions count from 1: with 0 it is the resume point of the match that is refused
  const bool ends_match = is_known && !message.decision_id();
  told.push_back(Refused{is_known ? found->second.match : nullptr, std::move(message)});
  if (ends_match) {
    ledger_.forgotten(found->first);
    matches_.erase(found);
    ++finished_;  // it is over, one way or another
    leave_if_done();
  }
}

void Session::take(v1::Finished& message, Updates& told) {
  const MatchPtr match = table(message.match_id()).match;
  matches_.erase(message.match_id());
  ledger_.finished(message);
  if (message.termination() != v1::TERMINATION_VOID) ++finished_;  // a void match is played again
  leave_if_done();
  told.push_back(Finished{match, std::move(message)});
}

void Session::take(v1::Notice& message, Updates& told) {
  switch (message.kind()) {
    case v1::NOTICE_KIND_HEARTBEAT:
      must_acknowledge_ = true;
      return;
    case v1::NOTICE_KIND_REPLACED: {
      const std::string otherwise = "a newer session of the same entry and instance took over";
      throw Replaced("this session was replaced: " + (message.text().empty() ? otherwise : message.text()) +
                         "; to run both, give one another entry or instance (FAIRDEAL_ENTRY, FAIRDEAL_INSTANCE)",
                     "REPLACED");
    }
    case v1::NOTICE_KIND_DRAINING:
      drain();
      break;
    default:
      break;
  }
  told.push_back(Notice{std::move(message)});
}

void Session::leave_if_done() {
  const bool has_played = opening_.matches() && finished_ >= opening_.matches();
  if (has_played || (draining_ && matches_.empty())) leaving_ = true;
}

Session::Table& Session::table(const std::string& match_id) {
  const auto found = matches_.find(match_id);
  if (found == matches_.end()) {
    throw ProtocolError("the referee sent a message about match '" + match_id + "', in which the bot has no seat");
  }
  return found->second;
}

const Session::Table* Session::table_of(const Decision& decision) const {
  const auto found = matches_.find(decision.match().id);
  if (found == matches_.end()) return nullptr;
  const Table& table = found->second;
  const bool is_of_now = table.match == decision.match_ && table.asked == decision.id() && table.is_open;
  return is_of_now ? &table : nullptr;
}

bool Session::owes_acknowledgement() const {
  return must_acknowledge_ || frames_ - acknowledged_ >= acknowledge_frames_ ||
         unacknowledged_bytes_ >= acknowledge_bytes_;
}

}  // namespace fairdeal
