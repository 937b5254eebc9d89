package fairdeal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// Run plays with a bot until its matches are over, the referee leaves or ctx is done; then it says goodbye to the
// referee and returns nil.
//
// When the session breaks, the bot comes back by itself and its matches go on: it dials again, after 0.1 seconds at
// first and later every five, until the referee was gone for the reconnect timeout. It answers repeated decisions as
// before, without another call of Act. The loss and the return are each a line in the log. A session that the referee
// ends for good, such as one that a newer session has replaced, is not dialled again.
//
// The error is a *[BadSettingError], *[CannotConnectError], *[ConnectionLostError], *[RejectedError] or *[ProtocolError].
func Run(ctx context.Context, bot Bot, options ...Option) error {
	s, err := settle(nameOf(bot), options)
	if err != nil {
		return err
	}
	return newConnection(s, bot).run(ctx, s.finish)
}

// Main is [Run] as a whole program: the first SIGINT or SIGTERM lets the bot finish its matches and take no new ones, a
// second one ends it with a goodbye to the referee, and a third one at once. An error is one line on standard error, and
// the exit status is 1, or 2 for a wrong setting.
func Main(bot Bot, options ...Option) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	finish, isAsked := context.WithCancel(context.Background())
	ctx, leave := context.WithCancel(context.Background())
	go func() {
		<-signals
		isAsked()
		<-signals
		signal.Stop(signals) // a third signal does what it does by default
		leave()
	}()
	err := Run(ctx, bot, append(options, WithFinish(finish))...)
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
	if _, isSetting := errors.AsType[*BadSettingError](err); isSetting {
		os.Exit(2)
	}
	os.Exit(1)
}
