package fairdeal

import (
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/proto"
)

const (
	protocolVersion = 1
	maxFrameBytes   = 32 * 1024

	// A frame received is acknowledged with the next request; without one, after so many frames or bytes, which is a
	// quarter of what the referee allows.
	acknowledgeFrames = 16
	acknowledgeBytes  = 64 * 1024
)

// seatState is what is known of a match that the bot has a seat in.
type seatState struct {
	match       *Match
	sequence    uint32             // the last event received
	asked       uint32             // the last decision, one at a time
	isOpen      bool               // whether it is neither answered nor closed
	isAskedHere bool               // whether it came over the current stream
	answer      *fairdealv1.Answer // what it was answered, until it is closed
}

// update is one thing that the bot is told; message is the protocol's, match its match, nil where there is none.
type update struct {
	match    *Match
	decision *Decision // of a decision
	message  proto.Message
}

// session is pure logic: frames in, updates out; answers in, requests out. No I/O and no clock.
//
// It goes over one stream or, by rejoin, several; its first request is the hello. It takes every seat that it is given.
// It leaves by itself after the hello's number of matches, and when it plays nothing and no more matches come: the
// referee is about to leave, or was asked for no more.
type session struct {
	opening *fairdealv1.Hello
	hello   *fairdealv1.Hello // until it is sent
	seed    string
	ledger  *ledger
	seats   map[string]*seatState
	pending *fairdealv1.PlayRequest

	frames              uint64 // received over the current stream
	acknowledged        uint64
	unacknowledgedBytes int
	isDue               bool // whether something is to be sent even when no answer is
	maxFrameBytes       int
	acknowledgeFrames   uint64
	acknowledgeBytes    int

	welcomed  bool          // whether the referee has opened the session over the current stream
	heartbeat time.Duration // how often the referee sends something; 0: only when there is something to send
	finished  uint32        // matches that are over, void ones not counted; one that the referee has forgotten is
	draining  bool          // whether the referee has said that no more matches come
	retiring  bool          // whether the bot wants no more matches, which the referee is told over each stream
	leaving   bool          // whether the bot says goodbye with the next requests
	left      bool          // whether all requests were given, goodbye the last
	sentTo    *string       // where the referee has sent the bot, whose next stream goes there; empty: where it began
}

func newSession(hello *fairdealv1.Hello, seed string, ledger *ledger) *session {
	return &session{
		opening:           hello,
		hello:             hello,
		seed:              seed,
		ledger:            ledger,
		seats:             map[string]*seatState{},
		pending:           &fairdealv1.PlayRequest{},
		maxFrameBytes:     maxFrameBytes,
		acknowledgeFrames: acknowledgeFrames,
		acknowledgeBytes:  acknowledgeBytes,
	}
}

// receive takes a frame in and returns what it tells the bot, in order.
//
// The error, after which the session is over, is a ProtocolError or, when a newer session took over, a RejectedError.
func (s *session) receive(frame *fairdealv1.PlayResponse) ([]update, error) {
	s.frames++
	s.unacknowledgedBytes += proto.Size(frame)
	if s.frames-s.acknowledged >= s.acknowledgeFrames || s.unacknowledgedBytes >= s.acknowledgeBytes {
		s.isDue = true
	}
	if updates := frame.GetUpdates(); !s.welcomed && !s.leaving && (len(updates) == 0 || updates[0].GetWelcome() == nil) {
		return nil, protocolError("the referee sent a message before its welcome")
	}
	var told []update
	for _, message := range frame.GetUpdates() {
		if s.leaving {
			break // it has said goodbye, later updates do not concern it
		}
		taken, err := s.take(message)
		told = append(told, taken...)
		if err != nil {
			return told, err
		}
	}
	return told, nil
}

// rejoin goes on over a new stream: the next request is a hello that tells where the bot is in its matches.
//
// What was not sent yet is dropped. An answer that the bot has given, or gives meanwhile, is sent when the decision
// comes again.
func (s *session) rejoin() {
	s.hello = proto.CloneOf(s.opening)
	for _, seat := range s.seats {
		s.hello.Resume = append(s.hello.Resume, &fairdealv1.ResumePoint{
			MatchId: seat.match.ID, Sequence: seat.sequence, Attempt: seat.match.Attempt,
		})
		seat.isAskedHere = false
	}
	if s.opening.GetMatches() > 0 {
		s.hello.Matches -= s.finished
	}
	s.pending = &fairdealv1.PlayRequest{}
	s.frames, s.acknowledged, s.unacknowledgedBytes = 0, 0, 0
	s.isDue, s.welcomed, s.sentTo = false, false, nil
	s.draining = s.draining && s.retiring
}

// reply answers a decision; of one that is closed by now, nothing is sent.
func (s *session) reply(decision *Decision, reply *fairdealv1.Answer) {
	if !s.isOpen(decision) {
		return
	}
	// it is kept, and sent unless the decision is still to come again
	seat := s.seats[decision.Match.ID]
	seat.isOpen, seat.answer = false, reply
	if seat.isAskedHere {
		s.pending.Answers = append(s.pending.Answers, reply)
	}
}

// isOpen reports whether a decision still waits for its answer.
func (s *session) isOpen(decision *Decision) bool {
	seat := s.seats[decision.Match.ID]
	return !s.leaving && seat != nil && seat.match == decision.Match && seat.asked == decision.ID && seat.isOpen
}

// retire asks for no more matches: the bot leaves once its matches are over and the referee has confirmed it.
func (s *session) retire() {
	s.retiring, s.isDue = true, true
	s.pending.NoMoreMatches = true
}

// drain expects no more matches: the bot leaves once its matches are over.
func (s *session) drain() {
	s.draining = true
	s.leaveIfDone()
}

// leave says goodbye with the next requests.
func (s *session) leave() { s.leaving, s.isDue = true, true }

// takeRequests returns what is to be sent now, each a frame of a size that the referee takes.
func (s *session) takeRequests() []*fairdealv1.PlayRequest {
	if s.left {
		return nil
	}
	var requests []*fairdealv1.PlayRequest
	if s.hello != nil {
		requests = append(requests, &fairdealv1.PlayRequest{Hello: s.hello, NoMoreMatches: s.retiring})
		s.hello = nil
	}
	if s.leaving {
		s.pending.Bye = &fairdealv1.Bye{}
		s.left = true
	}
	if s.isDue || len(s.pending.Answers) > 0 {
		requests = append(requests, split(s.pending, s.maxFrameBytes)...)
		s.pending = &fairdealv1.PlayRequest{}
	}
	for _, request := range requests {
		request.FramesReceived = s.frames
	}
	if requests != nil {
		s.acknowledged, s.unacknowledgedBytes, s.isDue = s.frames, 0, false
	}
	return requests
}

func (s *session) take(message *fairdealv1.Update) ([]update, error) {
	switch kind := message.GetKind().(type) {
	case *fairdealv1.Update_Welcome:
		return nil, s.takeWelcome(kind.Welcome)
	case *fairdealv1.Update_Seated:
		return s.takeSeated(kind.Seated), nil
	case *fairdealv1.Update_Happened:
		return s.takeHappened(kind.Happened)
	case *fairdealv1.Update_Decision:
		return s.takeDecision(kind.Decision)
	case *fairdealv1.Update_Closed:
		return s.takeClosed(kind.Closed), nil
	case *fairdealv1.Update_Refused:
		return s.takeRefused(kind.Refused), nil
	case *fairdealv1.Update_Finished:
		return s.takeFinished(kind.Finished)
	case *fairdealv1.Update_Notice:
		return s.takeNotice(kind.Notice)
	case *fairdealv1.Update_Redirect:
		address := kind.Redirect.GetAddress()
		s.sentTo = &address
	}
	return nil, nil // of a later version
}

func (s *session) takeWelcome(welcome *fairdealv1.Welcome) error {
	if welcome.GetVersion() != protocolVersion {
		return protocolError(
			"the referee speaks version %d of the protocol, not %d", welcome.GetVersion(), protocolVersion)
	}
	s.welcomed = true
	s.heartbeat = welcome.GetHeartbeat().AsDuration()
	if limit := welcome.GetMaxFrameBytes(); limit > 0 {
		s.maxFrameBytes = int(limit)
	}
	if limit := welcome.GetMaxUnacknowledgedFrames(); limit > 0 {
		s.acknowledgeFrames = uint64(limit) / 4
	}
	if limit := welcome.GetMaxUnacknowledgedBytes(); limit > 0 {
		s.acknowledgeBytes = int(limit) / 4
	}
	return nil
}

func (s *session) takeSeated(message *fairdealv1.Seated) []update {
	// a new stream repeats the seat, which must be taken again: it is not ready without a session
	s.pending.Ready = append(s.pending.Ready, &fairdealv1.Ready{MatchId: message.GetMatchId()})
	s.isDue = true
	var told []update
	if known := s.seats[message.GetMatchId()]; known != nil {
		if known.match.Attempt == message.GetAttempt() {
			s.ledger.seated(message)
			return nil
		}
		// there is no new attempt before the earlier one is void
		void := &fairdealv1.Finished{
			MatchId: message.GetMatchId(), Termination: fairdealv1.Termination_TERMINATION_VOID,
		}
		s.ledger.finished(void)
		told = append(told, update{match: known.match, message: void})
	}
	s.ledger.seated(message)
	match := &Match{
		ID:      message.GetMatchId(),
		Attempt: message.GetAttempt(),
		Game:    message.GetGame(),
		Seat:    int(message.GetSeat()) - 1,
		Message: message,
	}
	s.seats[match.ID] = &seatState{match: match}
	return append(told, update{match: match, message: message})
}

func (s *session) takeHappened(message *fairdealv1.Happened) ([]update, error) {
	seat, err := s.seat(message.GetMatchId())
	if err != nil {
		return nil, err
	}
	sequence := message.GetEvent().GetSequence()
	if sequence <= seat.sequence {
		return nil, nil // the bot already has it
	}
	if sequence > seat.sequence+1 {
		return nil, protocolError("event %d of match %q follows event %d: the referee left some out",
			sequence, seat.match.ID, seat.sequence)
	}
	seat.sequence = sequence
	return []update{{match: seat.match, message: message}}, nil
}

func (s *session) takeDecision(message *fairdealv1.Decision) ([]update, error) {
	seat, err := s.seat(message.GetMatchId())
	if err != nil || message.GetDecisionId() < seat.asked {
		return nil, err
	}
	seat.isAskedHere = true
	if message.GetDecisionId() == seat.asked {
		if seat.answer != nil {
			s.pending.Answers = append(s.pending.Answers, seat.answer)
			s.isDue = true
		}
		return nil, nil
	}
	chance, err := NewChance(s.seed, seat.match.ID, seat.match.Seat, message.GetDecisionId())
	if err != nil {
		chance = &Chance{problem: err} // a bot that draws loses this decision, not the session
	}
	seat.asked, seat.isOpen, seat.answer = message.GetDecisionId(), true, nil
	s.ledger.asked(message)
	decision := &Decision{
		Match:    seat.match,
		ID:       message.GetDecisionId(),
		Legal:    message.GetLegal(),
		View:     message.GetView(),
		MoveTime: message.GetMoveTime().AsDuration(),
		Bank:     message.GetBank().AsDuration(),
		Chance:   chance,
		Message:  message,
	}
	return []update{{match: seat.match, decision: decision, message: message}}, nil
}

func (s *session) takeClosed(message *fairdealv1.Closed) []update {
	seat := s.seats[message.GetMatchId()]
	if seat == nil {
		return nil // it travels with the next frame, and the match may be over by then
	}
	if message.GetDecisionId() == seat.asked {
		s.ledger.closed(message, seat.answer)
		seat.isOpen, seat.answer = false, nil
	}
	return []update{{match: seat.match, message: message}}
}

func (s *session) takeRefused(message *fairdealv1.Refused) []update {
	seat := s.seats[message.GetMatchId()]
	if seat == nil {
		return []update{{message: message}}
	}
	// decisions count from 1: with 0 it is the resume point of the match that is refused
	if message.GetDecisionId() == 0 {
		delete(s.seats, message.GetMatchId())
		s.ledger.forgotten(message.GetMatchId())
		s.finished++ // it is over, one way or another
		s.leaveIfDone()
	}
	return []update{{match: seat.match, message: message}}
}

func (s *session) takeFinished(message *fairdealv1.Finished) ([]update, error) {
	seat, err := s.seat(message.GetMatchId())
	if err != nil {
		return nil, err
	}
	delete(s.seats, message.GetMatchId())
	s.ledger.finished(message)
	if message.GetTermination() != fairdealv1.Termination_TERMINATION_VOID { // a void match is played again
		s.finished++
	}
	s.leaveIfDone()
	return []update{{match: seat.match, message: message}}, nil
}

func (s *session) takeNotice(message *fairdealv1.Notice) ([]update, error) {
	switch message.GetKind() {
	case fairdealv1.NoticeKind_NOTICE_KIND_HEARTBEAT:
		s.isDue = true
		return nil, nil
	case fairdealv1.NoticeKind_NOTICE_KIND_REPLACED:
		text := message.GetText()
		if text == "" {
			text = "a newer session of the same entry and instance took over"
		}
		return nil, &RejectedError{Reason: reasonReplaced, text: "this session was replaced: " + text +
			"; to run both, give one another entry or instance (FAIRDEAL_ENTRY, FAIRDEAL_INSTANCE)"}
	case fairdealv1.NoticeKind_NOTICE_KIND_DRAINING:
		s.drain()
	}
	return []update{{message: message}}, nil
}

func (s *session) leaveIfDone() {
	limit := s.opening.GetMatches()
	if (limit > 0 && s.finished >= limit) || (s.draining && len(s.seats) == 0) {
		s.leave()
	}
}

func (s *session) seat(matchID string) (*seatState, error) {
	seat := s.seats[matchID]
	if seat == nil {
		return nil, protocolError("the referee sent a message about match %q, in which the bot has no seat", matchID)
	}
	return seat, nil
}
