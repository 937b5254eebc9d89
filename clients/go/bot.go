package fairdeal

import (
	"reflect"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

// Bot is what a bot is at least: something that answers decisions.
//
// It may also have hooks: [SeatedHook], [EventHook], [ClosedHook], [RefusedHook], [FinishedHook] and [NoticeHook].
// One bot plays all tables at once, so keep its state by match. Act and the hooks are called from one
// goroutine, one at a time, in the order of the updates; meanwhile the network goes on without them, but a
// slow Act delays the other tables.
//
// A panic of the bot is logged with its trace and costs a fault, and the bot plays on.
type Bot interface {
	// Act returns the answer to a decision.
	Act(decision *Decision) Answer
}

// BotFunc is a function as a bot.
type BotFunc func(decision *Decision) Answer

// Act calls the function.
func (f BotFunc) Act(decision *Decision) Answer { return f(decision) }

// SeatedHook is a bot that is told its seats. A new attempt at a match is a seat of its own.
type SeatedHook interface{ OnSeated(match *Match) }

// EventHook is a bot that is told events; without it the referee sends none.
type EventHook interface {
	OnEvent(match *Match, event *fairdealv1.Event)
}

// ClosedHook is a bot that is told when a decision is closed. Without it faults, and notes that were
// dropped, are logged at once.
type ClosedHook interface {
	OnClosed(match *Match, closed *fairdealv1.Closed)
}

// RefusedHook is a bot that is told when an answer is refused or, with decision 0, that the referee does not go on with
// a match. The match is nil where the bot has no seat. Without it refusals are logged.
type RefusedHook interface {
	OnRefused(match *Match, refused *fairdealv1.Refused)
}

// FinishedHook is a bot that is told the end of a match.
type FinishedHook interface {
	OnFinished(match *Match, finished *fairdealv1.Finished)
}

// NoticeHook is a bot that is told notices about the session.
type NoticeHook interface {
	OnNotice(notice *fairdealv1.Notice)
}

// nameOf returns the name of a bot's type.
func nameOf(bot Bot) string {
	kind := reflect.TypeOf(bot)
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind == reflect.TypeFor[BotFunc]() || kind.Name() == "" {
		return "bot"
	}
	return kind.Name()
}
