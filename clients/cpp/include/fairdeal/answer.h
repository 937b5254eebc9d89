// What a bot answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "fairdeal/v1/play_service.pb.h"

namespace fairdeal {

/// The answer to a decision, made by one of the functions below.
class Answer {
 public:
  /// The legal action at this position of `decision.legal().actions()`, from 0.
  static Answer index(std::uint32_t position) {
    Answer answer;
    answer.message_.set_index(position);
    return answer;
  }

  /// An action.
  static Answer action(v1::Action action) {
    Answer answer;
    *answer.message_.mutable_action() = std::move(action);
    return answer;
  }

  /// Plays a card.
  static Answer play(v1::Card card) {
    Answer answer;
    answer.message_.mutable_action()->set_play_card(card);
    return answer;
  }

  /// Chooses several cards, possibly none; their order does not matter.
  template <typename Cards>
  static Answer cards(const Cards& cards) {
    Answer answer;
    auto* list = answer.message_.mutable_action()->mutable_choose_cards();
    for (const auto card : cards) list->add_cards(static_cast<v1::Card>(card));
    return answer;
  }
  static Answer cards(std::initializer_list<v1::Card> cards) {
    return Answer::cards<std::initializer_list<v1::Card>>(cards);
  }

  /// Chooses several combinations, possibly none; their order does not matter.
  template <typename Combinations>
  static Answer combinations(const Combinations& combinations) {
    Answer answer;
    auto* list = answer.message_.mutable_action()->mutable_choose_combinations();
    for (const v1::Combination& each : combinations) *list->add_combinations() = each;
    return answer;
  }
  static Answer combinations(std::initializer_list<v1::Combination> combinations) {
    return Answer::combinations<std::initializer_list<v1::Combination>>(combinations);
  }

  /// No action at all, for which the referee plays the default action and counts a fault.
  static Answer nothing() { return action({}); }

  /// The same answer with a note for the record, a text in UTF-8 and by convention JSON. It takes the place of another.
  /// Nobody is shown it before the deals of the match are revealed, and it changes nothing. JSON has some of the keys
  /// `thought`, `tokens_in`, `tokens_out`, `cost`, `seconds`, `attempts`, `finish` and `eval`. A note of more than
  /// `kMaxNote` bytes is a line on standard error and not sent; the answer is.
  Answer with_note(std::string note) const {
    Answer answer = *this;
    answer.message_.set_note(std::move(note));
    return answer;
  }

  static constexpr std::size_t kMaxNote = 4096;

  /// The protocol's message, without match and decision.
  const v1::Answer& message() const { return message_; }

 private:
  Answer() = default;

  v1::Answer message_;
};

}  // namespace fairdeal
