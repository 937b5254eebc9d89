// Everything that a bot needs; see README.md.
#pragma once

#include "fairdeal/answer.h"
#include "fairdeal/bot.h"
#include "fairdeal/cards.h"
#include "fairdeal/chance.h"
#include "fairdeal/decision.h"
#include "fairdeal/errors.h"
#include "fairdeal/run.h"
