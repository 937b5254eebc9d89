package fairdeal

import (
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// What a referee says, for tests.

func frame(updates ...*fairdealv1.Update) *fairdealv1.PlayResponse {
	return &fairdealv1.PlayResponse{Updates: updates}
}

// noMessage is a frame whose bytes cannot be read.
func noMessage() *fairdealv1.PlayResponse {
	message := frame()
	message.ProtoReflect().SetUnknown([]byte{0xff})
	return message
}

func welcome(change func(*fairdealv1.Welcome)) *fairdealv1.Update {
	message := &fairdealv1.Welcome{Version: 1}
	if change != nil {
		change(message)
	}
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Welcome{Welcome: message}}
}

func heartbeatEvery(interval time.Duration) func(*fairdealv1.Welcome) {
	return func(welcome *fairdealv1.Welcome) { welcome.Heartbeat = durationpb.New(interval) }
}

func seated(matchID string, attempt uint32) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Seated{Seated: &fairdealv1.Seated{
		MatchId: matchID, Attempt: attempt, Game: "hearts", Seat: fairdealv1.Seat_SEAT_1,
	}}}
}

func happened(matchID string, sequence uint32) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Happened{Happened: &fairdealv1.Happened{
		MatchId: matchID, Event: &fairdealv1.Event{Sequence: sequence},
	}}}
}

func decision(matchID string, decisionID uint32) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Decision{Decision: &fairdealv1.Decision{
		MatchId: matchID, DecisionId: decisionID, Legal: legalPlays(1, 2, 3),
		MoveTime: durationpb.New(2 * time.Second), Bank: durationpb.New(time.Minute),
	}}}
}

func legalPlays(cards ...fairdealv1.Card) *fairdealv1.Legal {
	list := &fairdealv1.ActionList{}
	for _, card := range cards {
		list.Actions = append(list.Actions, &fairdealv1.Action{Kind: &fairdealv1.Action_PlayCard{PlayCard: card}})
	}
	return &fairdealv1.Legal{Kind: &fairdealv1.Legal_Actions{Actions: list}}
}

func closed(matchID string, decisionID uint32) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Closed{Closed: &fairdealv1.Closed{
		MatchId: matchID, DecisionId: decisionID,
	}}}
}

func refused(matchID string, decisionID uint32) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Refused{Refused: &fairdealv1.Refused{
		MatchId: matchID, DecisionId: decisionID, Reason: fairdealv1.Reason_REASON_MATCH_NOT_FOUND, Text: "gone",
	}}}
}

func finished(matchID string, termination fairdealv1.Termination) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Finished{Finished: &fairdealv1.Finished{
		MatchId: matchID, Termination: termination, Scores: []int32{26, 0, -26, 0},
	}}}
}

func notice(kind fairdealv1.NoticeKind) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Notice{Notice: &fairdealv1.Notice{Kind: kind}}}
}

const (
	completed = fairdealv1.Termination_TERMINATION_COMPLETED
	void      = fairdealv1.Termination_TERMINATION_VOID

	draining  = fairdealv1.NoticeKind_NOTICE_KIND_DRAINING
	replaced  = fairdealv1.NoticeKind_NOTICE_KIND_REPLACED
	heartbeat = fairdealv1.NoticeKind_NOTICE_KIND_HEARTBEAT
)
