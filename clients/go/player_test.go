package fairdeal

import (
	"bytes"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

// book is a desk that keeps what is handed in.
type book struct {
	tooLate  map[uint32]bool // decisions that are closed
	replies  []*fairdealv1.Answer
	flushes  int
	unsent   int
	mostSent int // answers that were sent together
}

func (b *book) isOpen(decision *Decision) bool { return !b.tooLate[decision.ID] }

func (b *book) reply(_ *Decision, answer *fairdealv1.Answer) {
	b.replies = append(b.replies, answer)
	b.unsent++
}

func (b *book) flush() {
	b.flushes++
	b.mostSent = max(b.mostSent, b.unsent)
	b.unsent = 0
}

// recorder is a bot with every hook, which keeps what it is told.
type recorder struct {
	BotFunc
	told []string
}

func (r *recorder) keep(format string, items ...any) {
	r.told = append(r.told, fmt.Sprintf(format, items...))
}

func (r *recorder) OnSeated(match *Match) { r.keep("seated %s", match.ID) }
func (r *recorder) OnEvent(match *Match, event *fairdealv1.Event) {
	r.keep("event %s %d", match.ID, event.GetSequence())
}
func (r *recorder) OnClosed(match *Match, closed *fairdealv1.Closed) {
	r.keep("closed %s %d", match.ID, closed.GetDecisionId())
}
func (r *recorder) OnRefused(match *Match, refused *fairdealv1.Refused) {
	r.keep("refused %v %d", match == nil, refused.GetDecisionId())
}
func (r *recorder) OnFinished(match *Match, finished *fairdealv1.Finished) {
	r.keep("finished %s %d", match.ID, finished.GetScores()[0])
}
func (r *recorder) OnNotice(notice *fairdealv1.Notice) { r.keep("notice %d", notice.GetKind()) }

func firstIndex(*Decision) Answer { return Index(0) }

// playAll has a bot play updates, and returns what it logged and answered.
func playAll(t *testing.T, bot Bot, desk *book, updates ...*fairdealv1.Update) string {
	t.Helper()
	var logged bytes.Buffer
	told, err := newSession(&fairdealv1.Hello{}, "", quiet()).receive(frame(append([]*fairdealv1.Update{welcome(nil)}, updates...)...))
	if err != nil {
		t.Fatal(err)
	}
	player := newPlayer(bot, log.New(&logged, "", 0), desk, false)
	player.tell(told)
	player.close(time.Minute)
	return logged.String()
}

func TestHooksAreToldInOrder(t *testing.T) {
	bot := &recorder{BotFunc: firstIndex}
	logged := playAll(t, bot, &book{}, seated("a", 1), happened("a", 1), decision("a", 1), closed("a", 1),
		refused("a", 1), refused("b", 1), notice(draining), finished("a", completed))
	want := []string{"seated a", "event a 1", "closed a 1", "refused false 1", "refused true 1", "notice 1", "finished a 26"}
	if !slices.Equal(bot.told, want) || logged != "" {
		t.Errorf("%q, logged %q", bot.told, logged)
	}
}

func TestFaultsAndRefusalsAreLoggedForABotWithoutHooks(t *testing.T) {
	late := closed("a", 1)
	late.GetClosed().Fault = fairdealv1.Fault_FAULT_LATE
	logged := playAll(t, BotFunc(firstIndex), &book{}, seated("a", 1), happened("a", 1), decision("a", 1), late,
		closed("a", 1), refused("a", 1), refused("a", 0), notice(draining))
	want := "match a, decision 1: LATE: the referee played the default action\n" +
		"match a: decision 1: the answer was refused: MATCH_NOT_FOUND gone\n" +
		"match a: the referee does not go on with it: MATCH_NOT_FOUND gone\n"
	if logged != want {
		t.Errorf("%q", logged)
	}
}

func TestAFailureOfTheBotCostsAFaultAndItPlaysOn(t *testing.T) {
	for name, test := range map[string]struct {
		fail func() Answer
		want string
	}{
		"panic":   {func() Answer { panic("no idea") }, "the bot panicked in Act: no idea\ngoroutine"},
		"illegal": {func() Answer { return Index(3) }, "match a, decision 1: Act answered with index 3, of 3 legal actions\n"},
		"nothing": {func() Answer { return Answer{}.WithNote("why") }, "match a, decision 1: Act answered nothing\n"},
	} {
		t.Run(name, func(t *testing.T) {
			desk := &book{}
			bot := BotFunc(func(decision *Decision) Answer {
				if decision.ID == 1 {
					return test.fail()
				}
				return Index(0)
			})
			logged := playAll(t, bot, desk, seated("a", 1), decision("a", 1), decision("a", 2))
			if !strings.HasPrefix(logged, test.want) {
				t.Errorf("logged %q", logged)
			}
			if len(desk.replies) != 2 {
				t.Fatal(desk.replies)
			}
			if fault := desk.replies[0]; fault.GetAction() == nil || fault.GetAction().GetKind() != nil || fault.GetDecisionId() != 1 {
				t.Error(fault)
			}
			if note := string(desk.replies[0].GetNote()); (note == "why") != (name == "nothing") {
				t.Errorf("note %q", note)
			}
			if _, isIndex := desk.replies[1].GetAnswer().(*fairdealv1.Answer_Index); !isIndex {
				t.Error(desk.replies[1])
			}
		})
	}
}

func TestANoteThatIsNotKeptIsLoggedAndCostsNothing(t *testing.T) {
	desk := &book{}
	bot := BotFunc(func(decision *Decision) Answer {
		if decision.ID == 1 {
			return Index(0).WithNote(strings.Repeat("é", MaxNote/2+1))
		}
		return Index(0).WithNote("kept")
	})
	dropped := closed("a", 2)
	dropped.GetClosed().NoteDropped = true
	logged := playAll(t, bot, desk, seated("a", 1), decision("a", 1), closed("a", 1), decision("a", 2), dropped)
	want := []string{
		"match a, decision 1: the note is not sent: it has 4098 bytes, and 4096 may be sent",
		"match a, decision 2: the referee did not keep the note: it is too long or not UTF-8, or too many came",
	}
	lines := strings.Split(strings.TrimSpace(logged), "\n")
	slices.Sort(lines) // what the referee tells is logged at once
	if !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	if len(desk.replies) != 2 || len(desk.replies[0].GetNote()) > 0 || string(desk.replies[1].GetNote()) != "kept" {
		t.Error(desk.replies)
	}
}

type panicking struct{ BotFunc }

func (panicking) OnSeated(*Match) { panic("in the hook") }

func TestAPanicInAHookIsLogged(t *testing.T) {
	desk := &book{}
	logged := playAll(t, panicking{firstIndex}, desk, seated("a", 1), decision("a", 1))
	if !strings.HasPrefix(logged, "the bot panicked in a hook: in the hook\n") || len(desk.replies) != 1 {
		t.Errorf("%q, %v", logged, desk.replies)
	}
}

func TestADecisionThatIsClosedIsNotPlayed(t *testing.T) {
	desk := &book{tooLate: map[uint32]bool{1: true}}
	playAll(t, BotFunc(firstIndex), desk, seated("a", 1), decision("a", 1), decision("a", 2))
	if len(desk.replies) != 1 || desk.replies[0].GetDecisionId() != 2 {
		t.Error(desk.replies)
	}
}

func TestAnswersWaitForEachOtherButNotForASlowBot(t *testing.T) {
	updates := []*fairdealv1.Update{seated("a", 1)}
	for id := range uint32(8) {
		updates = append(updates, decision("a", id+1))
	}
	slow := &book{}
	playAll(t, BotFunc(func(*Decision) Answer {
		for since := time.Now(); time.Since(since) < longestWait; {
		}
		return Index(0)
	}), slow, updates...)
	if slow.mostSent != 1 || slow.unsent != 0 {
		t.Errorf("%d answers of a slow bot were sent together", slow.mostSent)
	}
	fast := &book{}
	playAll(t, BotFunc(firstIndex), fast, updates...)
	if fast.flushes > 4 || fast.unsent != 0 {
		t.Errorf("%d flushes for 8 answers of a fast bot", fast.flushes)
	}
}

func TestAFaultIsLoggedOnceAndWhileTheBotIsStuck(t *testing.T) {
	stuck, release := make(chan struct{}), make(chan struct{})
	var logged bytes.Buffer
	player := newPlayer(BotFunc(func(*Decision) Answer {
		close(stuck)
		<-release
		return Index(0)
	}), log.New(&logged, "", 0), &book{}, false)
	late := closed("a", 1)
	late.GetClosed().Fault = fairdealv1.Fault_FAULT_LATE
	session := newSession(&fairdealv1.Hello{}, "", quiet())
	tell := func(updates ...*fairdealv1.Update) {
		told, err := session.receive(frame(updates...))
		if err != nil {
			t.Fatal(err)
		}
		player.tell(told)
	}
	tell(welcome(nil), seated("a", 1), decision("a", 1))
	<-stuck
	tell(late)
	want := "match a, decision 1: LATE: the referee played the default action\n"
	if logged.String() != want {
		t.Errorf("%q", logged.String())
	}
	close(release)
	player.close(time.Minute)
	if logged.String() != want {
		t.Errorf("at the end %q", logged.String())
	}
}

func TestABotThatIsStuckIsNotWaitedForLong(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	player := newPlayer(BotFunc(func(*Decision) Answer {
		<-release
		return Index(0)
	}), log.Default(), &book{}, false)
	told, err := newSession(&fairdealv1.Hello{}, "", quiet()).receive(frame(welcome(nil), seated("a", 1), decision("a", 1)))
	if err != nil {
		t.Fatal(err)
	}
	player.tell(told)
	player.close(time.Millisecond)
	select {
	case <-player.done:
		t.Error("the bot has ended")
	default:
	}
}

func TestWhatIsForcedIsPlayedWithoutAskingTheBotWhereItWishes(t *testing.T) {
	for _, playForced := range []bool{true, false} {
		one, several := decision("a", 1), decision("a", 2)
		one.GetDecision().Legal = legalPlays(5)
		told, err := newSession(&fairdealv1.Hello{}, "", quiet()).receive(frame(welcome(nil), seated("a", 1), one, several))
		if err != nil {
			t.Fatal(err)
		}
		var asked []uint32
		bot := BotFunc(func(decision *Decision) Answer {
			asked = append(asked, decision.ID)
			return Index(0)
		})
		desk := &book{}
		player := newPlayer(bot, log.New(&bytes.Buffer{}, "", 0), desk, playForced)
		player.tell(told)
		player.close(time.Minute)
		want := []uint32{1, 2}
		if playForced {
			want = want[1:]
		}
		if !slices.Equal(asked, want) || len(desk.replies) != 2 || desk.replies[0].GetAction() != nil {
			t.Errorf("play forced %t: asked %v, replied %v", playForced, asked, desk.replies)
		}
	}
}
