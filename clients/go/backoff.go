package fairdeal

import "time"

const (
	firstDelay   = 100 * time.Millisecond
	longestDelay = 5 * time.Second
	// A session that lasted this long restarts the schedule; one that breaks at once keeps it slow.
	lasting = 10 * time.Second
)

// backoff is when a bot dials again: delays that double up to the longest.
//
// Each is shortened by up to a half, so that bots that were cut off together do not come back together; draw returns
// numbers from 0 to 1.
type backoff struct {
	until          time.Time
	delay, longest time.Duration
	draw           func() float64
}

func newBackoff(now time.Time, timeout, longest time.Duration, draw func() float64) *backoff {
	return &backoff{until: now.Add(timeout), delay: firstDelay, longest: longest, draw: draw}
}

// restart records the loss of a session that lasted so long; the time for dialling again begins now.
func (b *backoff) restart(now time.Time, timeout, lasted time.Duration) {
	b.until = now.Add(timeout)
	if lasted >= lasting {
		b.delay = firstDelay
	}
}

// next returns how long to wait until the next attempt; false when the time for attempts is over.
func (b *backoff) next(now time.Time) (time.Duration, bool) {
	delay := time.Duration(float64(b.delay) * (1 - b.draw()/2))
	if !now.Add(delay).Before(b.until) {
		return 0, false
	}
	b.delay = min(2*b.delay, b.longest)
	return delay, true
}

// left returns how much time is left for attempts.
func (b *backoff) left(now time.Time) time.Duration { return max(0, b.until.Sub(now)) }
