package fairdeal

import (
	"testing"
	"time"
)

var start = time.Unix(1_000, 0)

func full() float64 { return 0 } // no delay is shortened
func half() float64 { return 1 } // each is, by a half

func TestDelaysDoubleUpToTheLongest(t *testing.T) {
	for name, test := range map[string]struct {
		longest time.Duration
		draw    func() float64
		want    []time.Duration
	}{
		"full":    {time.Second, full, []time.Duration{100, 200, 400, 800, 1000, 1000}},
		"half":    {time.Second, half, []time.Duration{50, 100, 200, 400, 500, 500}},
		"longest": {longestDelay, full, []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 5000}},
	} {
		t.Run(name, func(t *testing.T) {
			schedule := newBackoff(start, time.Hour, test.longest, test.draw)
			for i, want := range test.want {
				if got, hasTime := schedule.next(start); !hasTime || got != want*time.Millisecond {
					t.Errorf("delay %d: %v, %v; want %v ms", i, got, hasTime, int64(want))
				}
			}
		})
	}
}

func TestNoAttemptBeginsAfterTheTimeForThem(t *testing.T) {
	schedule := newBackoff(start, time.Second, longestDelay, full)
	if _, hasTime := schedule.next(start.Add(900*time.Millisecond - 1)); !hasTime {
		t.Error("there is time for an attempt just before the end")
	}
	if _, hasTime := schedule.next(start.Add(800 * time.Millisecond)); hasTime {
		t.Error("an attempt at the very end is none")
	}
	if left := schedule.left(start.Add(400 * time.Millisecond)); left != 600*time.Millisecond {
		t.Errorf("left %v", left)
	}
	if left := schedule.left(start.Add(time.Hour)); left != 0 {
		t.Errorf("left %v", left)
	}
}

func TestASessionThatLastedStartsTheScheduleAfresh(t *testing.T) {
	for _, test := range []struct{ lasted, want time.Duration }{
		{10 * time.Second, 100 * time.Millisecond},
		{10*time.Second - 1, 400 * time.Millisecond},
	} {
		schedule := newBackoff(start, time.Second, longestDelay, full)
		schedule.next(start)
		schedule.next(start)
		now := start.Add(time.Minute)
		schedule.restart(now, time.Second, test.lasted)
		if got, hasTime := schedule.next(now); !hasTime || got != test.want {
			t.Errorf("after %v: %v, %v; want %v", test.lasted, got, hasTime, test.want)
		}
	}
}
