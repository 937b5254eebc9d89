package fairdeal

import (
	"log"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

// An answer waits no longer than this for those of other tables, to share a frame with them.
const longestWait = time.Millisecond

// desk is where a player hands its answers in.
type desk interface {
	isOpen(decision *Decision) bool
	reply(decision *Decision, answer *fairdealv1.Answer)
	flush() // has what was handed in sent
}

// player calls a bot, from one goroutine, one thing at a time.
type player struct {
	bot        Bot
	logger     *log.Logger
	playForced bool
	done       chan struct{}

	mu     sync.Mutex
	more   sync.Cond
	told   []update
	closed bool
}

// newPlayer returns a player; its goroutine ends some time after close.
func newPlayer(bot Bot, logger *log.Logger, desk desk, playForced bool) *player {
	p := &player{bot: bot, logger: logger, playForced: playForced, done: make(chan struct{})}
	p.more.L = &p.mu
	go p.run(desk)
	return p
}

// tell has the bot play updates, after those before.
//
// Faults and lost notes are logged at once, for the bot may be busy for ever.
func (p *player) tell(updates []update) {
	for _, each := range updates {
		p.logClosed(each)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, updates...)
	p.more.Signal()
}

// close gives the bot so much time to hear what it was told; a call that takes longer is abandoned.
func (p *player) close(grace time.Duration) {
	p.mu.Lock()
	p.closed = true
	p.more.Signal()
	p.mu.Unlock()
	select {
	case <-p.done:
	case <-time.After(grace):
	}
}

func (p *player) run(desk desk) {
	defer close(p.done)
	for batch := p.take(); len(batch) > 0; batch = p.take() {
		since := time.Now()
		for _, each := range batch {
			p.play(each, desk)
			if now := time.Now(); now.Sub(since) >= longestWait {
				desk.flush()
				since = now
			}
		}
		desk.flush()
	}
}

// take waits for updates and returns them; none when the player is closed and has played all.
func (p *player) take() []update {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.told) == 0 && !p.closed {
		p.more.Wait()
	}
	batch := p.told
	p.told = nil
	return batch
}

func (p *player) play(told update, desk desk) {
	decision := told.decision
	if decision == nil {
		p.guard("a hook", func() { p.hook(told) })
		return
	}
	if !desk.isOpen(decision) {
		return // it came too late to the bot, which was busy
	}
	reply := noAnswer(decision)
	p.guard("Act", func() {
		answer, isForced := Answer{}, false
		if p.playForced {
			answer, isForced = onlyAnswer(decision.Legal)
		}
		if !isForced {
			answer = p.bot.Act(decision)
		}
		if answer.unsent != nil {
			p.logger.Printf("match %s, decision %d: the note is not sent: it %v",
				decision.Match.ID, decision.ID, answer.unsent)
		}
		given, err := answer.Message(decision)
		if err != nil {
			p.logger.Printf("match %s, decision %d: Act answered %v", decision.Match.ID, decision.ID, err)
			reply.Note = answer.note // it says perhaps why
			return
		}
		reply = given
	})
	desk.reply(decision, reply)
}

func (p *player) guard(name string, call func()) {
	defer func() {
		if reason := recover(); reason != nil {
			p.logger.Printf("the bot panicked in %s: %v\n%s", name, reason, debug.Stack())
		}
	}()
	call()
}

func (p *player) hook(told update) {
	switch message := told.message.(type) {
	case *fairdealv1.Seated:
		if bot, ok := p.bot.(SeatedHook); ok {
			bot.OnSeated(told.match)
		}
	case *fairdealv1.Happened:
		if bot, ok := p.bot.(EventHook); ok {
			bot.OnEvent(told.match, message.GetEvent())
		}
	case *fairdealv1.Closed:
		if bot, ok := p.bot.(ClosedHook); ok {
			bot.OnClosed(told.match, message)
		}
	case *fairdealv1.Refused:
		if bot, ok := p.bot.(RefusedHook); ok {
			bot.OnRefused(told.match, message)
		} else {
			p.logRefusal(message)
		}
	case *fairdealv1.Finished:
		if bot, ok := p.bot.(FinishedHook); ok {
			bot.OnFinished(told.match, message)
		}
	case *fairdealv1.Notice:
		if bot, ok := p.bot.(NoticeHook); ok {
			bot.OnNotice(message)
		}
	}
}

// logClosed logs a fault, and that a note was dropped, unless the bot has a hook for it.
func (p *player) logClosed(told update) {
	closed, isClosed := told.message.(*fairdealv1.Closed)
	if _, hasHook := p.bot.(ClosedHook); hasHook || !isClosed {
		return
	}
	if closed.GetFault() != fairdealv1.Fault_FAULT_UNSPECIFIED {
		p.logger.Printf("match %s, decision %d: %s: the referee played the default action",
			told.match.ID, closed.GetDecisionId(), strings.TrimPrefix(closed.GetFault().String(), "FAULT_"))
	}
	if closed.GetNoteDropped() {
		p.logger.Printf("match %s, decision %d: the referee did not keep the note: it is too long or not UTF-8, or too many came",
			told.match.ID, closed.GetDecisionId())
	}
}

func (p *player) logRefusal(message *fairdealv1.Refused) {
	what := "decision " + strconv.FormatUint(uint64(message.GetDecisionId()), 10) + ": the answer was refused"
	if message.GetDecisionId() == 0 {
		what = "the referee does not go on with it"
	}
	reason := strings.TrimPrefix(message.GetReason().String(), "REASON_")
	p.logger.Printf("match %s: %s: %s %s", message.GetMatchId(), what, reason, message.GetText())
}
