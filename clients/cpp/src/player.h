// The calling of a bot's methods.
#pragma once

#include "connection.h"
#include "fairdeal/bot.h"

namespace fairdeal {

/// Have a bot play what a connection tells, until its session ends.
/// Throws Error: the session failed.
void play(Connection& connection, Bot& bot);

}  // namespace fairdeal
