// The random bot: any legal answer, all equally likely. It plays every game.
#pragma once

#include <fairdeal/fairdeal.h>

namespace fairdeal {

/// Return one of the legal answers, drawn from the decision's generator.
/// Throws std::invalid_argument: there is none of a kind that this version knows.
Answer random_answer(const Decision& decision);

}  // namespace fairdeal
