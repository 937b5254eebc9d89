// fairdeal-random-bot: exit status 0, 1 when the session failed, 2 for a wrong setting.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>

#include "arguments.h"
#include "random_bot.h"

namespace {

class RandomBot final : public fairdeal::Bot {
 public:
  explicit RandomBot(bool tells) : tells_(tells) {}

  fairdeal::Answer act(const fairdeal::Decision& decision) override { return fairdeal::random_answer(decision); }

  void on_seated(const fairdeal::Match& match) override {
    if (!tells_) return;
    std::cout << match.id << ": " << match.game << ", seat " << match.seat;
    const char* before = " with ";
    for (const std::string& name : match.message.entries()) {
      std::cout << before << name;
      before = ", ";
    }
    std::cout << std::endl;
  }

  void on_finished(const fairdeal::Match& match, const fairdeal::v1::Finished& finished) override {
    if (!tells_) return;
    std::string termination = "unknown";
    if (finished.termination() && fairdeal::v1::Termination_IsValid(finished.termination())) {
      termination = fairdeal::v1::Termination_Name(finished.termination()).substr(sizeof "TERMINATION_" - 1);
      std::transform(termination.begin(), termination.end(), termination.begin(),
                     [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    }
    std::cout << match.id << ": " << termination;
    const char* before = ", scores by side: ";
    for (const int score : finished.scores()) {
      std::cout << before << score;
      before = ", ";
    }
    std::cout << std::endl;
  }

 private:
  bool tells_;
};

}  // namespace

int main(int argc, char** argv) {
  return fairdeal::run_program("fairdeal-random-bot", [&] {
    const fairdeal::Arguments arguments = fairdeal::parse({argv + 1, argv + argc});
    if (arguments.help) {
      std::cout << fairdeal::kUsage;
      return;
    }
    RandomBot bot(arguments.tells);
    fairdeal::run(bot, arguments.options);
  });
}
