// The calling of a bot's methods.
#pragma once

#include <optional>

#include "connection.h"
#include "fairdeal/bot.h"

namespace fairdeal {

/// Return the one answer that is legal; nothing where there are several or none is known.
std::optional<Answer> only_answer(const v1::Legal& legal);

/// Pass a bot what a connection receives, until its session ends. With `plays_forced` it is not asked where one answer
/// is legal. Throws Error: the session failed.
void play(Connection& connection, Bot& bot, bool plays_forced);

}  // namespace fairdeal
