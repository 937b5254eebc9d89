// The calling of a bot's methods.
#pragma once

#include "connection.h"
#include "fairdeal/bot.h"

namespace fairdeal {

/// Pass a bot what a connection receives, until its session ends.
/// Throws Error: the session failed.
void play(Connection& connection, Bot& bot);

}  // namespace fairdeal
