package fairdeal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

const (
	goodbyeTime       = 3 * time.Second // how long the end of a session may take
	answerTime        = 3 * time.Second // how long to wait for the referee to say that no more matches come
	silentHeartbeats  = 3               // after so many heartbeats without a frame the referee counts as gone
	leastPatience     = time.Second     // the last attempt needs time to find out why it fails
	longestFirstDelay = time.Second     // a referee that is just starting should be found soon
	quickMoves        = 4               // how often a bot that was just sent on is sent on again before it waits
	moment            = time.Second     // how long it waits then
	longestQuiet      = 2 * time.Second // after so long without a referee, a line says why
)

// How an error looks when a server closes the connection before it sends anything.
var hangingUp = []string{"error reading server preface", "broken pipe", "connection reset"}

// How an error looks when nothing listens at the address.
var nobodyThere = []string{"dial tcp", "dial unix", "timeout", "deadline exceeded"}

var errSilence = errors.New("nothing came for too long")

// connection is one session of a bot over gRPC, from the first dialling to its end: one reader, one writer, an end to
// every wait, and back when the stream breaks.
type connection struct {
	settings *settings
	player   *player
	wake     chan struct{} // holds something when the writer has something to send

	mu      sync.Mutex // guards session, which the player answers meanwhile
	session *session

	welcomedAt time.Time
	wasLost    bool
	home       string // the address at which the bot began; settings have that of the current stream
	isSent     bool   // whether the referee has sent the bot there
	moves      int
}

func newConnection(s *settings, bot Bot) *connection {
	_, events := bot.(EventHook)
	c := &connection{
		settings: s, home: s.address, wake: make(chan struct{}, 1), session: newSession(s.hello(events), s.seed, s.ledger),
	}
	c.player = newPlayer(bot, s.logger, c, s.playForced)
	return c
}

// run connects and plays until the session ends; when ctx is done, it says goodbye first. When finish is done, it
// finishes what it plays, takes no more matches, and then ends.
func (c *connection) run(ctx, finish context.Context) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer context.AfterFunc(finish, func() { c.finish(leave) })()
	err := c.stay(ctx)
	if nonsense, ok := errors.AsType[*ProtocolError](err); ok {
		nonsense.text += "; check that " + c.settings.address + " " + asItShouldBe
	}
	c.mu.Lock()
	c.session.leave() // from now on no decision is open
	c.mu.Unlock()
	c.player.close(goodbyeTime)
	return err
}

// finish has the session end after what it plays; leave ends it at once where there is no session yet.
func (c *connection) finish(leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	playing := len(c.session.seats)
	switch {
	case playing == 0 && !c.session.welcomed:
		leave()
		return
	case playing == 1:
		c.settings.logger.Print("finishing 1 match; a second Ctrl-C leaves now")
	case playing > 1:
		c.settings.logger.Printf("finishing %d matches; a second Ctrl-C leaves now", playing)
	}
	c.session.retire()
	c.flush()
	time.AfterFunc(answerTime, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.session.drain() // an older referee does not know the request, and does not answer
		if c.session.leaving {
			leave()
		}
	})
}

// stay plays over one stream after the other; nil when the bot has left.
func (c *connection) stay(ctx context.Context) error {
	s := c.settings
	began := time.Now()
	schedule := newBackoff(began, s.connectTimeout, longestFirstDelay, rand.Float64)
	isComeback, hasTold := false, false
	for {
		patience := max(leastPatience, min(s.connectTimeout, schedule.left(time.Now())))
		broken := c.overStream(ctx, patience)
		if broken == nil {
			return nil
		}
		now := time.Now()
		if c.session.welcomed {
			if !isComeback {
				schedule = newBackoff(now, s.reconnectTimeout, longestDelay, rand.Float64)
				isComeback = true
			}
			// a bot that is too fast whenever it is back must not dial forever
			if lasted := now.Sub(c.welcomedAt); lasted >= lasting || !isPassing(broken) {
				schedule.restart(now, s.reconnectTimeout, lasted)
			}
		}
		c.mu.Lock()
		isDone := c.session.retiring && len(c.session.seats) == 0
		sentTo := c.session.sentTo
		c.mu.Unlock()
		if isDone {
			return nil
		}
		if sentTo != nil {
			if !c.moveOn(ctx, *sentTo, now) {
				return nil
			}
			continue
		}
		if !(isComeback || isPassing(broken)) || c.isOver(broken) {
			return broken
		}
		delay, hasTime := schedule.next(now)
		if !hasTime {
			return c.inVain(broken)
		}
		if c.session.welcomed || c.isSent {
			c.wasLost = true
			s.logger.Printf("%v; dialling again for up to %g s", broken, s.reconnectTimeout.Seconds())
		} else if !c.wasLost && !hasTold && now.Sub(began) >= longestQuiet {
			hasTold = true
			s.logger.Printf("%v; dialling for up to %g s", broken, s.connectTimeout.Seconds())
		}
		s.address, c.isSent = c.home, false
		if !c.rejoinAfter(ctx, delay) {
			return nil
		}
	}
}

// moveOn goes on where the referee sends the bot, at once unless it is sent to and fro; false when it is to leave.
func (c *connection) moveOn(ctx context.Context, sentTo string, now time.Time) bool {
	c.moves++
	if now.Sub(c.welcomedAt) >= moment {
		c.moves = 0
	}
	c.settings.address, c.isSent = placeOf(sentTo, c.home), true
	if c.moves > quickMoves {
		return c.rejoinAfter(ctx, moment)
	}
	return c.rejoinAfter(ctx, 0)
}

// rejoinAfter has the session go on over a new stream after a while; false when the bot is to leave.
func (c *connection) rejoinAfter(ctx context.Context, delay time.Duration) bool {
	c.mu.Lock()
	c.session.rejoin()
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		return false
	case <-time.After(delay):
		return true
	}
}

// isOver reports whether nothing is gained by dialling again.
func (c *connection) isOver(broken error) bool {
	_, isNonsense := errors.AsType[*ProtocolError](broken)
	return isNonsense || isFinal(broken, len(c.session.seats) > 0)
}

// inVain returns the error for the end of the time for dialling.
func (c *connection) inVain(broken error) error {
	s := c.settings
	notThere, isNotThere := errors.AsType[*notThereError](broken)
	rejected, isRejected := errors.AsType[*RejectedError](broken)
	switch {
	case c.session.welcomed:
		return broken // there was no time to dial again
	case c.wasLost:
		text := fmt.Sprintf("%v; the bot dialled again for %g s", broken, s.reconnectTimeout.Seconds())
		return &ConnectionLostError{text}
	case isNotThere:
		return &CannotConnectError{fmt.Sprintf("no referee answers at %s within %g s: %s%s",
			s.address, s.connectTimeout.Seconds(), notThere.why, c.hint(notThere.why))}
	case isRejected:
		text := fmt.Sprintf("%v; the bot dialled for %g s", broken, s.connectTimeout.Seconds())
		return &RejectedError{Reason: rejected.Reason, Incident: rejected.Incident, text: text}
	}
	return broken
}

// hint returns advice where a server answers, but TLS may be missing on one side, or differ.
func (c *connection) hint(why string) string {
	says := func(sign string) bool { return strings.Contains(why, sign) }
	hangsUp := slices.ContainsFunc(hangingUp, says)
	tls := c.settings.tls
	switch {
	case tls == nil && hangsUp:
		return "; if it speaks TLS, give its CA (FAIRDEAL_CA)"
	case tls == nil || slices.ContainsFunc(nobodyThere, says):
		return ""
	}
	text := "; check FAIRDEAL_CA, and that the referee speaks TLS"
	if hangsUp && tls.Certificates == nil {
		text += "; if it wants a certificate, give one and its key (FAIRDEAL_CERT, FAIRDEAL_KEY)"
	}
	return text
}

// overStream plays over one stream until it ends; it returns what broke it, nil when the bot has left.
func (c *connection) overStream(ctx context.Context, patience time.Duration) error {
	conn, err := dial(c.settings)
	if err != nil {
		return err
	}
	defer conn.Close()
	life, end := context.WithCancelCause(context.WithoutCancel(ctx)) // it outlives ctx by a goodbye
	defer end(nil)
	watch := time.AfterFunc(patience, func() { end(errSilence) })
	defer watch.Stop()
	isReached := false
	forget := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.session.leave()
		if isReached {
			watch.Reset(goodbyeTime)
			c.flush()
		} else {
			end(nil) // do not wait for a referee that was never reached
		}
	})
	defer forget()

	stream, err := openStream(life, conn, c.settings.token)
	if err != nil {
		return c.broken(life, meaning(err, nil, c.settings.address, false))
	}
	c.mu.Lock()
	isReached = true
	c.mu.Unlock()
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(life, stream)
	}()
	err, failure := c.read(stream, watch)
	end(nil)
	<-written // or it would take the requests of the next stream
	if failure != nil {
		return failure
	}
	return c.broken(life, meaning(err, stream.Trailer(), c.settings.address, c.session.welcomed))
}

// broken returns what broke a stream, given what its end means by itself.
func (c *connection) broken(life context.Context, meaning error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	address := c.settings.address
	switch {
	case c.session.leaving:
		return nil
	case context.Cause(life) != errSilence:
		return meaning
	case !c.session.welcomed:
		return &CannotConnectError{"the referee at " + address + " did not welcome the bot in time"}
	}
	return &ConnectionLostError{"the referee at " + address + " is not responding"}
}

// read has the player play what comes until the stream ends with err.
//
// After a failure, which no other stream can mend, it waits for that end only.
func (c *connection) read(stream playStream, watch *time.Timer) (err, failure error) {
	for {
		frame, err := stream.Recv()
		if err != nil {
			return err, failure
		}
		if failure != nil {
			continue
		}
		c.mu.Lock()
		wasLeaving := c.session.leaving
		told, problem := c.session.receive(frame)
		if problem != nil {
			failure = problem
			c.session.leave()
		}
		switch {
		case wasLeaving: // the time for that runs already
		case c.session.leaving:
			watch.Reset(goodbyeTime)
		case c.session.heartbeat > 0:
			watch.Reset(silentHeartbeats * c.session.heartbeat)
		default:
			watch.Stop()
		}
		isFirst, isDue := c.session.frames == 1, c.session.isDue
		c.mu.Unlock()
		if isFirst && failure == nil {
			c.arrive()
		}
		c.player.tell(told)
		if isDue {
			c.flush()
		}
	}
}

func (c *connection) arrive() {
	c.welcomedAt = time.Now()
	if c.wasLost && !c.isSent {
		c.settings.logger.Printf("the session with the referee at %s is back", c.settings.address)
	}
}

// write sends what there is to send until goodbye; when the stream is over, the reader says why.
func (c *connection) write(life context.Context, stream playStream) {
	for {
		c.mu.Lock()
		requests, left := c.session.takeRequests(), c.session.left
		c.mu.Unlock()
		for _, request := range requests {
			if stream.Send(request) != nil {
				return
			}
		}
		if left {
			_ = stream.CloseSend() // it never fails
			return
		}
		select {
		case <-c.wake:
		case <-life.Done():
			return
		}
	}
}

func (c *connection) isOpen(decision *Decision) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.isOpen(decision)
}

func (c *connection) reply(decision *Decision, answer *fairdealv1.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session.reply(decision, answer)
}

func (c *connection) flush() {
	select {
	case c.wake <- struct{}{}:
	default: // the writer is about to look anyway
	}
}
