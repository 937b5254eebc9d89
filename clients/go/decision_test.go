package fairdeal

import (
	"strings"
	"testing"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

var (
	match = &Match{ID: "m", Attempt: 1, Game: "hearts", Seat: 1}

	plays = legalPlays(5, 6)
	cards = &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCards{ChooseCards: &fairdealv1.ChooseCards{
		Cards: []fairdealv1.Card{4, 9, 30}, Minimum: 1, Maximum: 2,
	}}}
	combinations = &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCombinations{
		ChooseCombinations: &fairdealv1.ChooseCombinations{
			Combinations: []*fairdealv1.Combination{set(9, 3), set(10, 4)}, Maximum: 2,
		},
	}}
)

func set(rank fairdealv1.Rank, count uint32) *fairdealv1.Combination {
	return &fairdealv1.Combination{Kind: &fairdealv1.Combination_Set{
		Set: &fairdealv1.SetCombination{Rank: rank, Count: count},
	}}
}

func TestAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		legal  *fairdealv1.Legal
		answer Answer
		want   string // of the message besides match and decision
	}{
		"first":        {plays, Index(0), "index: 0"},
		"last":         {plays, Index(1), "index: 1"},
		"action":       {plays, Action(plays.GetActions().GetActions()[1]), "action { play_card: CARD_SEVEN_OF_CLUBS }"},
		"as it is":     {cards, Action(&fairdealv1.Action{}), "action {}"},
		"in order":     {cards, Cards(30, 4), "action { choose_cards { cards: [4, 30] } }"},
		"no cards":     {exchange(0), Cards(), "action { choose_cards {} }"},
		"combinations": {combinations, Combinations(set(10, 4), set(9, 3)), "action { choose_combinations { combinations { set { rank: 9 count: 3 } } combinations { set { rank: 10 count: 4 } } } }"},
		"none of them": {combinations, Combinations(), "action { choose_combinations {} }"},
		"text as note": {plays, Index(0).WithNote("low ♠"), `index: 0 note: "low ♠"`},
		"JSON as note": {plays, Index(0).WithNote(map[string]any{"eval": 0.5, "thought": "x"}), `index: 0 note: '{"eval":0.5,"thought":"x"}'`},
		"longest note": {plays, Index(0).WithNote(strings.Repeat("x", MaxNote)), `index: 0 note: "` + strings.Repeat("x", MaxNote) + `"`},
		"too long":     {plays, Index(0).WithNote(strings.Repeat("x", MaxNote+1)), "index: 0"},
		"no JSON":      {plays, Index(0).WithNote(func() {}), "index: 0"},
		"last note":    {plays, Index(0).WithNote(func() {}).WithNote("x"), `index: 0 note: "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.answer.Message(&Decision{Match: match, ID: 7, Legal: test.legal})
			if err != nil {
				t.Fatal(err)
			}
			want := &fairdealv1.Answer{}
			if err := prototext.Unmarshal([]byte(`match_id: "m" decision_id: 7 `+test.want), want); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

func exchange(minimum uint32) *fairdealv1.Legal {
	return &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCards{ChooseCards: &fairdealv1.ChooseCards{
		Cards: []fairdealv1.Card{4}, Minimum: minimum, Maximum: 1,
	}}}
}

func TestAnswersThatCannotBeLegal(t *testing.T) {
	for name, test := range map[string]struct {
		legal  *fairdealv1.Legal
		answer Answer
		want   string
	}{
		"nothing":             {plays, Answer{}, "nothing"},
		"negative":            {plays, Index(-1), "index -1, of 2"},
		"beyond":              {plays, Index(2), "index 2, of 2"},
		"index of cards":      {cards, Index(0), "index 0, of 0"},
		"cards of a list":     {plays, Cards(5), "1 items, but 0 to 0"},
		"too few":             {cards, Cards(), "0 items, but 1 to 2"},
		"too many":            {cards, Cards(4, 9, 30), "3 items, but 1 to 2"},
		"twice":               {cards, Cards(4, 4), "chosen twice"},
		"foreign":             {cards, Cards(5), "cannot be chosen"},
		"foreign combination": {combinations, Combinations(set(9, 4)), "cannot be chosen"},
		"combination twice":   {combinations, Combinations(set(9, 3), set(9, 3)), "chosen twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.answer.Message(&Decision{Match: match, ID: 7, Legal: test.legal})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestTheOnlyAnswer(t *testing.T) {
	choice := func(minimum, maximum uint32, cards ...fairdealv1.Card) *fairdealv1.Legal {
		chosen := &fairdealv1.ChooseCards{Cards: cards, Minimum: minimum, Maximum: maximum}
		return &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCards{ChooseCards: chosen}}
	}
	sets := func(minimum, maximum uint32, sets ...*fairdealv1.Combination) *fairdealv1.Legal {
		chosen := &fairdealv1.ChooseCombinations{Combinations: sets, Minimum: minimum, Maximum: maximum}
		return &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCombinations{ChooseCombinations: chosen}}
	}
	for name, test := range map[string]struct {
		legal *fairdealv1.Legal
		want  Answer // the zero one: there is none
	}{
		"one action":        {legalPlays(5), Index(0)},
		"all cards":         {choice(2, 2, 4, 9), Cards(4, 9)},
		"no cards":          {choice(0, 0, 4, 9), Cards()},
		"all combinations":  {sets(1, 1, set(9, 3)), Combinations(set(9, 3))},
		"none offered":      {sets(0, 0), Combinations()},
		"two actions":       {plays, Answer{}},
		"some cards":        {choice(1, 2, 4, 9), Answer{}},
		"some combinations": {sets(0, 1, set(9, 3)), Answer{}},
		"unknown":           {&fairdealv1.Legal{}, Answer{}},
	} {
		decision := &Decision{Match: match, ID: 3, Legal: test.legal}
		answer, isOnly := onlyAnswer(test.legal)
		if isOnly != (test.want.fill != nil) {
			t.Errorf("%s: %t", name, isOnly)
			continue
		}
		if !isOnly {
			continue
		}
		got, err := answer.Message(decision)
		want, _ := test.want.Message(decision)
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
