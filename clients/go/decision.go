package fairdeal

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/proto"
)

// Match is a seat in an attempt at a match; of each attempt there is one, so pointers to it are good keys.
type Match struct {
	// ID is the match's.
	ID string
	// Attempt is more than 1 when earlier ones were void.
	Attempt uint32
	// Game is the game's name, such as hearts.
	Game string
	// Seat is the bot's, from 0.
	Seat int
	// Message tells the rest: options, entries, clock and more.
	Message *fairdealv1.Seated
}

// Decision is a question of the referee.
type Decision struct {
	// Match is where it is asked.
	Match *Match
	// ID numbers the decisions of this seat in this match from 1.
	ID uint32
	// Legal tells the legal answers.
	Legal *fairdealv1.Legal
	// View is all that the seat knows of the deal.
	View *fairdealv1.View
	// MoveTime is the time for this decision, Bank what the match has on top, when it was asked.
	MoveTime, Bank time.Duration
	// Chance is the decision's generator.
	Chance *Chance
	// Message is all of it as the referee sent it.
	Message *fairdealv1.Decision
}

// Answer is what [Bot.Act] returns; the zero Answer is none, which costs a fault, and may have a note, too.
type Answer struct {
	fill   func(decision *Decision, reply *fairdealv1.Answer) error
	note   []byte
	unsent error // why the note is not sent
}

// MaxNote is the most bytes of a note.
const MaxNote = 4096

// Index answers with an action by its position in the decision's list, from 0.
func Index(position int) Answer {
	return Answer{fill: func(decision *Decision, reply *fairdealv1.Answer) error {
		if legal := len(decision.Legal.GetActions().GetActions()); position < 0 || position >= legal {
			return fmt.Errorf("with index %d, of %d legal actions", position, legal)
		}
		reply.Answer = &fairdealv1.Answer_Index{Index: uint32(position)}
		return nil
	}}
}

// Action answers with an action, as it is.
func Action(action *fairdealv1.Action) Answer {
	return Answer{fill: func(_ *Decision, reply *fairdealv1.Answer) error {
		reply.Answer = &fairdealv1.Answer_Action{Action: action}
		return nil
	}}
}

// Cards answers a choice of several cards, such as the hearts pass.
func Cards(cards ...fairdealv1.Card) Answer {
	return Answer{fill: func(decision *Decision, reply *fairdealv1.Answer) error {
		legal := decision.Legal.GetChooseCards()
		same := func(a, b fairdealv1.Card) bool { return a == b }
		chosen, err := choose(cards, legal.GetCards(), legal.GetMinimum(), legal.GetMaximum(), same)
		list := &fairdealv1.CardList{Cards: chosen}
		reply.Answer = actionAnswer(&fairdealv1.Action{Kind: &fairdealv1.Action_ChooseCards{ChooseCards: list}})
		return err
	}}
}

// Combinations answers a choice of several combinations, such as further declarations in piquet.
func Combinations(combinations ...*fairdealv1.Combination) Answer {
	return Answer{fill: func(decision *Decision, reply *fairdealv1.Answer) error {
		legal := decision.Legal.GetChooseCombinations()
		same := func(a, b *fairdealv1.Combination) bool { return proto.Equal(a, b) }
		chosen, err := choose(combinations, legal.GetCombinations(), legal.GetMinimum(), legal.GetMaximum(), same)
		list := &fairdealv1.CombinationList{Combinations: chosen}
		action := &fairdealv1.Action{Kind: &fairdealv1.Action_ChooseCombinations{ChooseCombinations: list}}
		reply.Answer = actionAnswer(action)
		return err
	}}
}

// WithNote returns the answer with a note for the record: a text, or what becomes JSON. It takes the place of another.
//
// Nobody is shown it before the deals of the match are revealed, and it changes nothing. By convention JSON has some of
// the keys thought, tokens_in, tokens_out, cost, seconds, attempts, finish and eval. A note that has more than
// [MaxNote] bytes or cannot be JSON is logged and not sent; the answer is.
func (a Answer) WithNote(note any) Answer {
	a.note, a.unsent = encodeNote(note)
	return a
}

// encodeNote returns the bytes of a note; none, with the reason, where it cannot be sent.
func encodeNote(note any) ([]byte, error) {
	text, isText := note.(string)
	data := []byte(text)
	if !isText {
		var err error
		if data, err = json.Marshal(note); err != nil {
			return nil, fmt.Errorf("is neither text nor JSON: %w", err)
		}
	}
	if len(data) > MaxNote {
		return nil, fmt.Errorf("has %d bytes, and %d may be sent", len(data), MaxNote)
	}
	return data, nil
}

// onlyAnswer returns the one answer that is legal, and whether there is one that is known.
func onlyAnswer(legal *fairdealv1.Legal) (Answer, bool) {
	switch kind := legal.GetKind().(type) {
	case *fairdealv1.Legal_Actions:
		return Index(0), len(kind.Actions.GetActions()) == 1
	case *fairdealv1.Legal_ChooseCards:
		offered := kind.ChooseCards.GetCards()
		chosen, isOnly := onlyChoice(offered, kind.ChooseCards.GetMinimum(), kind.ChooseCards.GetMaximum())
		return Cards(chosen...), isOnly
	case *fairdealv1.Legal_ChooseCombinations:
		offered := kind.ChooseCombinations.GetCombinations()
		chosen, isOnly := onlyChoice(offered, kind.ChooseCombinations.GetMinimum(), kind.ChooseCombinations.GetMaximum())
		return Combinations(chosen...), isOnly
	}
	return Answer{}, false
}

func onlyChoice[T any](offered []T, minimum, maximum uint32) ([]T, bool) {
	if count := uint32(len(offered)); minimum == count && maximum == count {
		return offered, true
	}
	return nil, maximum == 0 || len(offered) == 0
}

// choose returns what was chosen in the order in which it was offered.
func choose[T any](chosen, offered []T, minimum, maximum uint32, same func(a, b T) bool) ([]T, error) {
	if count := uint32(len(chosen)); count < minimum || count > maximum {
		return nil, fmt.Errorf("with %d items, but %d to %d are to be chosen", count, minimum, maximum)
	}
	var ordered []T
	for _, each := range offered {
		if slices.ContainsFunc(chosen, func(other T) bool { return same(each, other) }) {
			ordered = append(ordered, each)
		}
	}
	if len(ordered) < len(chosen) {
		return nil, fmt.Errorf("with %v, of which one cannot be chosen or is chosen twice", chosen)
	}
	return ordered, nil
}

// Message returns the protocol's message for the answer to a decision, as it is sent; an error when it cannot be legal.
func (a Answer) Message(decision *Decision) (*fairdealv1.Answer, error) {
	reply := newReply(decision)
	if a.fill == nil {
		return nil, fmt.Errorf("nothing")
	}
	if err := a.fill(decision, reply); err != nil {
		return nil, err
	}
	reply.Note = a.note
	return reply, nil
}

// noAnswer returns an answer that is not an action, on which the referee plays the default and counts a fault.
func noAnswer(decision *Decision) *fairdealv1.Answer {
	reply := newReply(decision)
	reply.Answer = actionAnswer(&fairdealv1.Action{})
	return reply
}

func newReply(decision *Decision) *fairdealv1.Answer {
	return &fairdealv1.Answer{MatchId: decision.Match.ID, DecisionId: decision.ID}
}

func actionAnswer(action *fairdealv1.Action) *fairdealv1.Answer_Action {
	return &fairdealv1.Answer_Action{Action: action}
}
