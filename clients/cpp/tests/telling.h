// What a referee tells, as texts of the protocol's messages, and what a session answers.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "session.h"

namespace fairdeal::testing {

template <typename Message>
Message parse(const std::string& text) {
  Message message;
  if (!google::protobuf::TextFormat::ParseFromString(text, &message)) throw std::invalid_argument(text);
  return message;
}

/// Return a frame of the referee; each item is the text of an update.
inline v1::PlayResponse frame(std::initializer_list<std::string> updates) {
  std::string text;
  for (const std::string& update : updates) text += "updates {" + update + "} ";
  return parse<v1::PlayResponse>(text);
}

inline std::string welcome(const std::string& more = "") { return "welcome { version: 1 " + more + "}"; }

inline std::string seated(const std::string& match, const std::string& more = "seat: SEAT_0 attempt: 1") {
  return "seated { match_id: '" + match + "' game: 'hearts' " + more + "}";
}

inline std::string asks(const std::string& match, int decision, const std::string& legal = "actions { actions {} }") {
  return "decision { match_id: '" + match + "' decision_id: " + std::to_string(decision) + " legal {" + legal + "} }";
}

inline std::string happened(const std::string& match, int sequence) {
  return "happened { match_id: '" + match + "' event { sequence: " + std::to_string(sequence) + "} }";
}

inline std::string closed(const std::string& match, int decision) {
  return "closed { match_id: '" + match + "' decision_id: " + std::to_string(decision) + "}";
}

inline std::string finished(const std::string& match, const std::string& termination = "COMPLETED") {
  return "finished { match_id: '" + match + "' termination: TERMINATION_" + termination + "}";
}

inline std::string refused(const std::string& match, int decision) {
  return "refused { match_id: '" + match + "' decision_id: " + std::to_string(decision) +
         " reason: REASON_MATCH_NOT_FOUND }";
}

inline std::string notice(const std::string& kind, const std::string& text = "") {
  return "notice { kind: NOTICE_KIND_" + kind + " text: '" + text + "' }";
}

/// Return a session that has sent its hello, got a welcome and these updates, and taken its seats.
inline Session opened(std::initializer_list<std::string> updates = {}, std::uint32_t matches = 0) {
  v1::Hello hello;
  hello.set_matches(matches);
  Session session(hello, "seed");
  session.take_requests();
  session.receive(frame({welcome()}));
  for (const std::string& update : updates) session.receive(frame({update}));
  session.take_requests();
  return session;
}

/// Answer a decision, and have that sent.
inline void answer(Session& session, const Decision& decision, const Answer& answer) {
  session.answer(decision, answer);
  session.flush();
}

/// Return the text of requests, one a line; the empty text for none.
inline std::string shown(const std::vector<v1::PlayRequest>& requests) {
  std::string text;
  for (const v1::PlayRequest& request : requests) text += request.ShortDebugString() + "\n";
  return text;
}

/// Return what `shown` shows of one request of this text.
inline std::string request(const std::string& text) { return shown({parse<v1::PlayRequest>(text)}); }

/// Return the answers in requests, as "match/decision/index" each.
inline std::vector<std::string> answers(const std::vector<v1::PlayRequest>& requests) {
  std::vector<std::string> found;
  for (const v1::PlayRequest& request : requests) {
    for (const v1::Answer& each : request.answers()) {
      found.push_back(each.match_id() + "/" + std::to_string(each.decision_id()) + "/" +
                      (each.has_index() ? std::to_string(each.index()) : "action"));
    }
  }
  return found;
}

/// Return the only update, which is of this kind.
template <typename Kind>
Kind only(std::vector<Update> updates) {
  if (updates.size() != 1) throw std::length_error(std::to_string(updates.size()) + " updates");
  return std::get<Kind>(std::move(updates.front()));
}

}  // namespace fairdeal::testing
