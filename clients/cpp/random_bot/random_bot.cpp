#include "random_bot.h"

namespace fairdeal {

Answer random_answer(const Decision& decision) {
  const v1::Legal& legal = decision.legal();
  Chance& chance = decision.chance();
  switch (legal.kind_case()) {
    case v1::Legal::kChooseCards: {
      const v1::ChooseCards& choice = legal.choose_cards();
      return Answer::cards(chance.choose(choice.cards(), choice.minimum(), choice.maximum()));
    }
    case v1::Legal::kChooseCombinations: {
      const v1::ChooseCombinations& choice = legal.choose_combinations();
      return Answer::combinations(chance.choose(choice.combinations(), choice.minimum(), choice.maximum()));
    }
    default:
      return Answer::index(chance.draw(static_cast<std::uint64_t>(legal.actions().actions_size())));
  }
}

}  // namespace fairdeal
