package main

import (
	"bytes"
	"slices"
	"testing"

	fairdeal "github.com/fairdeal/fairdeal/clients/go"
	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

func chance(t *testing.T) *fairdeal.Chance {
	t.Helper()
	made, err := fairdeal.NewChance("s", "m", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// answered returns what the bot answers to a decision.
func answered(t *testing.T, legal *fairdealv1.Legal) *fairdealv1.Answer {
	t.Helper()
	decision := &fairdeal.Decision{Match: &fairdeal.Match{ID: "m"}, ID: 1, Legal: legal, Chance: chance(t)}
	message, err := random{}.Act(decision).Message(decision)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestAnActionIsDrawn(t *testing.T) {
	actions := &fairdealv1.ActionList{}
	for card := range fairdealv1.Card(13) {
		kind := &fairdealv1.Action_PlayCard{PlayCard: card + 1}
		actions.Actions = append(actions.Actions, &fairdealv1.Action{Kind: kind})
	}
	answer := answered(t, &fairdealv1.Legal{Kind: &fairdealv1.Legal_Actions{Actions: actions}})
	if want := uint32(chance(t).Draw(13)); answer.GetIndex() != want {
		t.Errorf("%v, want %d", answer, want)
	}
}

func TestCardsAreChosenInTheOrderOfTheList(t *testing.T) {
	choice := &fairdealv1.ChooseCards{Minimum: 2, Maximum: 5}
	for card := range fairdealv1.Card(13) {
		choice.Cards = append(choice.Cards, card+1)
	}
	answer := answered(t, &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCards{ChooseCards: choice}})
	want := fairdeal.Choose(chance(t), choice.GetCards(), 2, 5)
	slices.Sort(want)
	if got := answer.GetAction().GetChooseCards().GetCards(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCombinationsAreChosen(t *testing.T) {
	choice := &fairdealv1.ChooseCombinations{Maximum: 4}
	for suit := range fairdealv1.Suit(4) {
		kind := &fairdealv1.Combination_Point{Point: &fairdealv1.PointCombination{Suit: suit + 1}}
		choice.Combinations = append(choice.Combinations, &fairdealv1.Combination{Kind: kind})
	}
	answer := answered(t, &fairdealv1.Legal{Kind: &fairdealv1.Legal_ChooseCombinations{ChooseCombinations: choice}})
	want := len(fairdeal.Choose(chance(t), choice.GetCombinations(), 0, 4))
	chosen := answer.GetAction().GetChooseCombinations()
	if chosen == nil || len(chosen.GetCombinations()) != want {
		t.Errorf("%v, want %d", answer, want)
	}
}

func TestItTellsItsMatches(t *testing.T) {
	var out bytes.Buffer
	bot := telling{out: &out}
	match := &fairdeal.Match{ID: "m-1", Game: "hearts", Seat: 2, Message: &fairdealv1.Seated{Entries: []string{"a", "b"}}}
	bot.OnSeated(match)
	bot.OnSeated(&fairdeal.Match{ID: "m-2", Game: "piquet", Message: &fairdealv1.Seated{}})
	bot.OnFinished(match, &fairdealv1.Finished{
		Termination: fairdealv1.Termination_TERMINATION_COMPLETED, Scores: []int32{26, -26},
	})
	bot.OnFinished(match, &fairdealv1.Finished{Termination: fairdealv1.Termination_TERMINATION_FORFEIT})
	want := "m-1: hearts, seat 2 with a, b\nm-2: piquet, seat 0\nm-1: completed, scores by side: 26, -26\nm-1: forfeit\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}
