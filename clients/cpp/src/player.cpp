#include "player.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "log.h"

namespace fairdeal {
namespace {

/// Call a function of the bot, print what it throws, and return whether it threw nothing.
template <typename Function>
bool forgiving(const std::string& where, Function function) {
  try {
    function();
    return true;
  } catch (const std::exception& error) {
    log_line("the bot failed in " + where + ": " + error.what());
  } catch (...) {
    log_line("the bot failed in " + where + ": it threw something that is not a std::exception");
  }
  return false;
}

class Player {
 public:
  Player(Connection& connection, Bot& bot, bool plays_forced)
      : connection_(connection), bot_(bot), plays_forced_(plays_forced) {}

  void operator()(const Decision& decision) {
    if (!connection_.is_open(decision)) return;  // it ran out while the bot was busy
    Answer answer = Answer::nothing();
    const std::string where = "match " + decision.match().id + ", decision " + std::to_string(decision.id());
    const std::optional<Answer> forced = plays_forced_ ? only_answer(decision.legal()) : std::nullopt;
    forgiving("act (" + where + ")", [&] { answer = forced ? *forced : bot_.act(decision); });
    if (const std::size_t size = answer.message().note().size(); size > Answer::kMaxNote) {
      log_line(where + ": the note is not sent: it has " + std::to_string(size) + " bytes, and " +
               std::to_string(Answer::kMaxNote) + " may be sent");
      answer = answer.with_note({});
    }
    connection_.answer(decision, answer);
    has_answered_ = true;
  }
  void operator()(const Seated& seated) {
    forgiving("on_seated", [&] { bot_.on_seated(*seated.match); });
  }
  void operator()(const Happened& happened) {
    forgiving("on_event", [&] { bot_.on_event(*happened.match, happened.event); });
  }
  void operator()(const Closed& closed) {
    forgiving("on_closed", [&] { bot_.on_closed(*closed.match, closed.message); });
  }
  void operator()(const Refused& refused) {
    forgiving("on_refused", [&] { bot_.on_refused(refused.match.get(), refused.message); });
  }
  void operator()(const Finished& finished) {
    forgiving("on_finished", [&] { bot_.on_finished(*finished.match, finished.message); });
  }
  void operator()(const Notice& notice) {
    forgiving("on_notice", [&] { bot_.on_notice(notice.message); });
  }

  void flush() {
    if (std::exchange(has_answered_, false)) connection_.flush();
  }

 private:
  Connection& connection_;
  Bot& bot_;
  bool plays_forced_;
  bool has_answered_ = false;
};

}  // namespace

std::optional<Answer> only_answer(const v1::Legal& legal) {
  // whether exactly these can be chosen, or nothing
  const auto all = [](int offered, std::uint32_t minimum, std::uint32_t maximum) {
    const auto count = static_cast<std::uint32_t>(offered);
    return minimum == count && maximum == count;
  };
  if (legal.has_actions()) {
    if (legal.actions().actions_size() == 1) return Answer::index(0);
  } else if (legal.has_choose_cards()) {
    const auto& choice = legal.choose_cards();
    if (all(choice.cards_size(), choice.minimum(), choice.maximum())) return Answer::cards(choice.cards());
    if (choice.maximum() == 0 || choice.cards().empty()) return Answer::cards({});
  } else if (legal.has_choose_combinations()) {
    const auto& choice = legal.choose_combinations();
    const auto& offered = choice.combinations();
    if (all(offered.size(), choice.minimum(), choice.maximum())) return Answer::combinations(offered);
    if (choice.maximum() == 0 || offered.empty()) return Answer::combinations({});
  }
  return std::nullopt;
}

void play(Connection& connection, Bot& bot, bool plays_forced) {
  Player player(connection, bot, plays_forced);
  std::vector<Update> updates;
  while (connection.wait(updates)) {
    for (const Update& update : updates) std::visit(player, update);
    player.flush();
  }
}

}  // namespace fairdeal
