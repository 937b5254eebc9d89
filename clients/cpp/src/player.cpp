#include "player.h"

#include <exception>
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
  Player(Connection& connection, Bot& bot) : connection_(connection), bot_(bot) {}

  void operator()(const Decision& decision) {
    if (!connection_.is_open(decision)) return;  // it ran out while the bot was busy
    Answer answer = Answer::nothing();
    const std::string where = "match " + decision.match().id + ", decision " + std::to_string(decision.id());
    forgiving("act (" + where + ")", [&] { answer = bot_.act(decision); });
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
  bool has_answered_ = false;
};

}  // namespace

void play(Connection& connection, Bot& bot) {
  Player player(connection, bot);
  std::vector<Update> updates;
  while (connection.wait(updates)) {
    for (const Update& update : updates) std::visit(player, update);
    player.flush();
  }
}

}  // namespace fairdeal
