package fairdeal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// newWelcomed returns a session that has sent its hello and got its welcome.
func newWelcomed(t *testing.T, matches uint32) *session {
	t.Helper()
	s := newSession(&fairdealv1.Hello{Entry: "e", Matches: matches}, "seed", quiet())
	requests := s.takeRequests()
	if len(requests) != 1 || requests[0].GetHello().GetEntry() != "e" {
		t.Fatalf("the first request must be the hello, not %v", requests)
	}
	receive(t, s, welcome(nil))
	return s
}

func receive(t *testing.T, s *session, updates ...*fairdealv1.Update) []update {
	t.Helper()
	told, err := s.receive(frame(updates...))
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// take returns the one request that is to be sent.
func take(t *testing.T, s *session) *fairdealv1.PlayRequest {
	t.Helper()
	requests := s.takeRequests()
	if len(requests) != 1 {
		t.Fatalf("%d requests, want one: %v", len(requests), requests)
	}
	return requests[0]
}

func takeNothing(t *testing.T, s *session) {
	t.Helper()
	if requests := s.takeRequests(); requests != nil {
		t.Fatalf("there must be nothing to send, but %v", requests)
	}
}

func answerFirst(t *testing.T, s *session, decision *Decision) {
	t.Helper()
	reply, err := Index(0).Message(decision)
	if err != nil {
		t.Fatal(err)
	}
	s.reply(decision, reply)
}

func kinds(told []update) []string {
	var names []string
	for _, each := range told {
		names = append(names, string(each.message.ProtoReflect().Descriptor().Name()))
	}
	return names
}

func TestEverySeatIsTakenAndTold(t *testing.T) {
	s := newWelcomed(t, 0)
	told := receive(t, s, seated("a", 1), seated("b", 3))
	if !slices.Equal(kinds(told), []string{"Seated", "Seated"}) {
		t.Fatal(kinds(told))
	}
	if b := told[1].match; b.ID != "b" || b.Attempt != 3 || b.Game != "hearts" || b.Seat != 1 || b.Message == nil {
		t.Errorf("%+v", b)
	}
	request := take(t, s)
	if len(request.GetReady()) != 2 || request.GetReady()[1].GetMatchId() != "b" || request.GetFramesReceived() != 2 {
		t.Error(request)
	}
	takeNothing(t, s)
}

func TestADecisionHasAllThatItNeeds(t *testing.T) {
	s := newWelcomed(t, 0)
	asked := receive(t, s, seated("a", 1), decision("a", 5))[1].decision
	if asked.ID != 5 || asked.MoveTime != 2*time.Second || asked.Bank != time.Minute || asked.Legal == nil {
		t.Errorf("%+v", asked)
	}
	if want := mustChance(t, "seed", "a", 1, 5).Draw(1 << 32); asked.Chance.Draw(1<<32) != want {
		t.Error("its chance is another decision's")
	}
}

func TestAnswersShareAFrame(t *testing.T) {
	s := newWelcomed(t, 0)
	told := receive(t, s, seated("a", 1), seated("b", 1), decision("a", 1), decision("b", 1))
	answerFirst(t, s, told[2].decision)
	answerFirst(t, s, told[3].decision)
	request := take(t, s)
	if len(request.GetAnswers()) != 2 || len(request.GetReady()) != 2 {
		t.Error(request)
	}
}

func TestAnAnswerThatComesTooLateIsNotSent(t *testing.T) {
	for name, later := range map[string][]*fairdealv1.Update{
		"closed":   {closed("a", 1)},
		"finished": {finished("a", completed)},
		"asked on": {decision("a", 2)},
		"voided":   {seated("a", 2), decision("a", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWelcomed(t, 0)
			asked := receive(t, s, seated("a", 1), decision("a", 1))[1].decision
			receive(t, s, later...)
			take(t, s)
			if s.isOpen(asked) {
				t.Error("the decision is open")
			}
			answerFirst(t, s, asked)
			takeNothing(t, s)
		})
	}
}

func TestADecisionIsAnsweredOnce(t *testing.T) {
	s := newWelcomed(t, 0)
	asked := receive(t, s, seated("a", 1), decision("a", 1))[1].decision
	answerFirst(t, s, asked)
	answerFirst(t, s, asked)
	if request := take(t, s); len(request.GetAnswers()) != 1 {
		t.Error(request)
	}
}

func TestFramesAreAcknowledgedInTime(t *testing.T) {
	for name, test := range map[string]struct {
		limits func(*fairdealv1.Welcome)
		frames int // after so many one is due
	}{
		"by default":  {nil, acknowledgeFrames},
		"in frames":   {func(w *fairdealv1.Welcome) { w.MaxUnacknowledgedFrames = 20 }, 5},
		"every frame": {func(w *fairdealv1.Welcome) { w.MaxUnacknowledgedFrames = 2 }, 1},
		"in bytes":    {func(w *fairdealv1.Welcome) { w.MaxUnacknowledgedBytes = 100 }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(&fairdealv1.Hello{}, "", quiet())
			s.takeRequests()
			receive(t, s, welcome(test.limits), seated("a", 1))
			take(t, s)
			for i := range test.frames - 1 {
				receive(t, s, happened("a", uint32(i+1))) // of 9 bytes each
				takeNothing(t, s)
			}
			receive(t, s, happened("a", uint32(test.frames)))
			if request := take(t, s); request.GetFramesReceived() != uint64(test.frames+1) {
				t.Error(request)
			}
			takeNothing(t, s)
		})
	}
}

func TestAHeartbeatIsAcknowledgedAtOnceAndNotTold(t *testing.T) {
	s := newWelcomed(t, 0)
	if told := receive(t, s, notice(heartbeat)); len(told) > 0 {
		t.Error(kinds(told))
	}
	if request := take(t, s); request.GetFramesReceived() != 2 {
		t.Error(request)
	}
	takeNothing(t, s)
}

func TestLargeRequestsAreSplit(t *testing.T) {
	const limit = 250 // two of about 100 bytes fit in
	s := newSession(&fairdealv1.Hello{}, "", quiet())
	s.takeRequests()
	receive(t, s, welcome(func(w *fairdealv1.Welcome) { w.MaxFrameBytes = limit }))
	for i := range 40 {
		id := fmt.Sprintf("match-%090d", i)
		answerFirst(t, s, receive(t, s, seated(id, 1), decision(id, 1))[1].decision)
	}
	s.leave()
	requests := s.takeRequests()
	ready, answers := 0, 0
	for i, request := range requests {
		if size := proto.Size(request); size > limit || size == 0 {
			t.Errorf("request %d has %d bytes", i, size)
		}
		if isLast := i == len(requests)-1; (request.GetBye() != nil) != isLast {
			t.Errorf("request %d of %d: goodbye belongs in the last", i, len(requests))
		}
		ready += len(request.GetReady())
		answers += len(request.GetAnswers())
	}
	if ready != 40 || answers != 40 || len(requests) != 40 {
		t.Errorf("%d requests with %d ready and %d answers", len(requests), ready, answers)
	}
}

func TestARejoinTellsWhereTheBotIs(t *testing.T) {
	s := newWelcomed(t, 3)
	receive(t, s, seated("over", 1), finished("over", completed), seated("a", 2), happened("a", 1), happened("a", 2))
	s.rejoin()
	hello := take(t, s).GetHello()
	resume := hello.GetResume()
	if hello.GetMatches() != 2 || hello.GetEntry() != "e" || len(resume) != 1 {
		t.Fatal(hello)
	}
	if point := resume[0]; point.GetMatchId() != "a" || point.GetSequence() != 2 || point.GetAttempt() != 2 {
		t.Error(point)
	}
	if s.welcomed {
		t.Error("the new stream has no welcome yet")
	}
	told := receive(t, s, welcome(nil), seated("a", 2), happened("a", 2), happened("a", 3))
	if !slices.Equal(kinds(told), []string{"Happened"}) {
		t.Error(kinds(told))
	}
	if request := take(t, s); len(request.GetReady()) != 1 || request.GetFramesReceived() != 1 {
		t.Error(request)
	}
}

func TestASecondRejoinBeginsFromTheSameHello(t *testing.T) {
	s := newWelcomed(t, 3)
	receive(t, s, seated("a", 1))
	s.rejoin()
	s.rejoin()
	if hello := take(t, s).GetHello(); len(hello.GetResume()) != 1 || hello.GetMatches() != 3 {
		t.Error(hello)
	}
}

func TestADecisionAskedAgainIsAnsweredAsBefore(t *testing.T) {
	for name, when := range map[string]string{"before": "before", "meanwhile": "meanwhile", "after": "after"} {
		t.Run(name, func(t *testing.T) {
			s := newWelcomed(t, 0)
			asked := receive(t, s, seated("a", 1), decision("a", 1))[1].decision
			if when == "before" {
				answerFirst(t, s, asked)
			}
			s.rejoin()
			if when == "meanwhile" {
				answerFirst(t, s, asked)
			}
			if request := take(t, s); len(request.GetAnswers()) > 0 {
				t.Fatal("an answer is sent before the decision comes again")
			}
			receive(t, s, welcome(nil), seated("a", 1))
			take(t, s)
			if told := receive(t, s, decision("a", 1)); len(told) > 0 {
				t.Fatal("the bot is asked twice")
			}
			if s.isDue == (when == "after") {
				t.Error("the answer as before is due at once")
			}
			if when == "after" {
				answerFirst(t, s, asked)
			}
			if request := take(t, s); len(request.GetAnswers()) != 1 {
				t.Error(request)
			}
		})
	}
}

func TestANewAttemptVoidsTheOneBefore(t *testing.T) {
	s := newWelcomed(t, 1)
	old := receive(t, s, seated("a", 1), decision("a", 1))[0].match
	told := receive(t, s, seated("a", 2), decision("a", 1))
	if !slices.Equal(kinds(told), []string{"Finished", "Seated", "Decision"}) {
		t.Fatal(kinds(told))
	}
	if end := told[0].message.(*fairdealv1.Finished); told[0].match != old || end.GetTermination() != void {
		t.Error(end)
	}
	if told[1].match == old || s.leaving {
		t.Error("the new attempt is a match of its own, and still to be played")
	}
}

func TestItLeavesAfterItsMatches(t *testing.T) {
	s := newWelcomed(t, 2)
	receive(t, s, seated("a", 1), seated("b", 1), seated("c", 1))
	receive(t, s, finished("a", completed), finished("b", void))
	if s.leaving {
		t.Fatal("a void match does not count")
	}
	told := receive(t, s, refused("c", 0), notice(draining))
	if !slices.Equal(kinds(told), []string{"Refused"}) || told[0].match == nil {
		t.Error("a forgotten match is over, and nothing is told after goodbye")
	}
	if request := take(t, s); request.GetBye() == nil || !s.left {
		t.Error(request)
	}
	receive(t, s, notice(heartbeat))
	takeNothing(t, s)
}

func TestItLeavesADrainingRefereeWhenNoMatchIsLeft(t *testing.T) {
	s := newWelcomed(t, 0)
	receive(t, s, seated("a", 1))
	if told := receive(t, s, notice(draining)); !slices.Equal(kinds(told), []string{"Notice"}) || s.leaving {
		t.Fatal("a match is left")
	}
	receive(t, s, finished("a", completed))
	if request := take(t, s); request.GetBye() == nil {
		t.Error(request)
	}
	idle := newWelcomed(t, 0)
	if receive(t, idle, notice(draining)); !idle.leaving {
		t.Error("no match is left")
	}
}

func TestItWantsNoMoreMatchesOverEachStreamAndPlaysThoseThatItHas(t *testing.T) {
	s := newWelcomed(t, 0)
	receive(t, s, seated("a", 1), seated("b", 1))
	s.takeRequests()
	s.retire()
	if request := take(t, s); !request.GetNoMoreMatches() {
		t.Error(request)
	}
	receive(t, s, notice(draining), finished("a", completed))
	s.rejoin()
	if request := take(t, s); request.GetHello() == nil || !request.GetNoMoreMatches() {
		t.Error(request)
	}
	if receive(t, s, welcome(nil), seated("b", 1)); s.leaving {
		t.Error("a match is left")
	}
	if receive(t, s, finished("b", completed)); !s.leaving {
		t.Error("no match is left")
	}
}

func TestARefusedAnswerEndsNothing(t *testing.T) {
	s := newWelcomed(t, 1)
	told := receive(t, s, seated("a", 1), decision("a", 1), refused("a", 1), refused("unknown", 1))
	if !slices.Equal(kinds(told), []string{"Seated", "Decision", "Refused", "Refused"}) || told[3].match != nil {
		t.Error(kinds(told))
	}
	if s.leaving || !s.isOpen(told[1].decision) {
		t.Error("the match goes on")
	}
}

func TestFramesThatEndTheSession(t *testing.T) {
	for name, updates := range map[string][]*fairdealv1.Update{
		"version":       {welcome(func(w *fairdealv1.Welcome) { w.Version = 2 })},
		"no welcome":    {seated("a", 1)},
		"late welcome":  {notice(heartbeat), welcome(nil)},
		"empty":         {},
		"gap":           {welcome(nil), seated("a", 1), happened("a", 2)},
		"event":         {welcome(nil), happened("a", 1)},
		"decision":      {welcome(nil), decision("a", 1)},
		"finished":      {welcome(nil), finished("a", completed)},
		"twice the end": {welcome(nil), seated("a", 1), finished("a", completed), finished("a", completed)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(&fairdealv1.Hello{}, "", quiet())
			_, err := s.receive(frame(updates...))
			if _, ok := errors.AsType[*ProtocolError](err); !ok {
				t.Errorf("%v is no protocol error", err)
			}
		})
	}
}

func TestWhereNothingCanBeDrawnADrawCostsTheDecisionOnly(t *testing.T) {
	desk := &book{}
	logged := playAll(t, BotFunc(func(decision *Decision) Answer { return Index(decision.Chance.Draw(1)) }), desk,
		seated("ä", 1), decision("ä", 1), seated("a", 1), decision("a", 1))
	if !strings.HasPrefix(logged, "the bot panicked in Act: fairdeal: cannot draw: seed \"\", match id \"ä\": must be ASCII\n") {
		t.Errorf("logged %q", logged)
	}
	if len(desk.replies) != 2 || desk.replies[0].GetAction() == nil || desk.replies[1].GetAction() != nil {
		t.Error(desk.replies)
	}
}

func TestANewerSessionTakesOver(t *testing.T) {
	s := newWelcomed(t, 0)
	_, err := s.receive(frame(notice(replaced)))
	if rejected, ok := errors.AsType[*RejectedError](err); !ok || rejected.Reason != "REPLACED" {
		t.Errorf("%v", err)
	}
}

func TestABotIsSentOn(t *testing.T) {
	s := newWelcomed(t, 0)
	redirect := &fairdealv1.Update{Kind: &fairdealv1.Update_Redirect{Redirect: &fairdealv1.Redirect{Address: ":2"}}}
	if told := receive(t, s, redirect); len(told) > 0 || s.sentTo == nil || *s.sentTo != ":2" {
		t.Error(kinds(told), s.sentTo)
	}
	if s.rejoin(); s.sentTo != nil {
		t.Error("it is still sent on over the next stream")
	}
}

func TestThePlaceThatABotIsSentTo(t *testing.T) {
	for _, one := range [][3]string{
		{"", "host:1", "host:1"}, {":2", "host:1", "host:2"}, {":2", "[::1]:1", "[::1]:2"},
		{"other:2", "host:1", "other:2"}, {"unix:/s.1", "unix:/s", "unix:/s.1"},
	} {
		if place := placeOf(one[0], one[1]); place != one[2] {
			t.Error(one, place)
		}
	}
}

func TestWhatALaterVersionSaysIsIgnored(t *testing.T) {
	s := newWelcomed(t, 0)
	later := &fairdealv1.Update{}
	later.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 99, protowire.BytesType), "new"))
	if told := receive(t, s, later, closed("unknown", 1)); len(told) > 0 {
		t.Error(kinds(told))
	}
	if told := receive(t, s, notice(99)); !slices.Equal(kinds(told), []string{"Notice"}) {
		t.Error(kinds(told))
	}
	if told := receive(t, s, seated("a", 1), finished("a", 99)); !slices.Equal(kinds(told), []string{"Seated", "Finished"}) {
		t.Error(kinds(told))
	}
}
