package main

import (
	"fmt"
	"io"
	"strings"

	fairdeal "github.com/fairdeal/fairdeal/clients/go"
	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

// random answers with any legal answer, all equally likely. It plays every game.
type random struct{}

// Act draws the answer from the decision's generator.
func (random) Act(decision *fairdeal.Decision) fairdeal.Answer {
	switch legal := decision.Legal.GetKind().(type) {
	case *fairdealv1.Legal_ChooseCards:
		choice := legal.ChooseCards
		return fairdeal.Cards(
			fairdeal.Choose(decision.Chance, choice.GetCards(), int(choice.GetMinimum()), int(choice.GetMaximum()))...)
	case *fairdealv1.Legal_ChooseCombinations:
		choice := legal.ChooseCombinations
		return fairdeal.Combinations(fairdeal.Choose(
			decision.Chance, choice.GetCombinations(), int(choice.GetMinimum()), int(choice.GetMaximum()))...)
	}
	return fairdeal.Index(decision.Chance.Draw(len(decision.Legal.GetActions().GetActions())))
}

// telling is the same bot saying what it plays, a line for each match begun and finished.
type telling struct {
	random
	out io.Writer
}

// OnSeated says where the bot has its seat.
func (t telling) OnSeated(match *fairdeal.Match) {
	with := ""
	if names := match.Message.GetEntries(); len(names) > 0 {
		with = " with " + strings.Join(names, ", ")
	}
	fmt.Fprintf(t.out, "%s: %s, seat %d%s\n", match.ID, match.Game, match.Seat, with)
}

// OnFinished says how a match ended, with the scores if there are any.
func (t telling) OnFinished(match *fairdeal.Match, finished *fairdealv1.Finished) {
	termination := strings.ToLower(strings.TrimPrefix(finished.GetTermination().String(), "TERMINATION_"))
	fmt.Fprintf(t.out, "%s: %s", match.ID, termination)
	before := ", scores by side: "
	for _, score := range finished.GetScores() {
		fmt.Fprintf(t.out, "%s%d", before, score)
		before = ", "
	}
	fmt.Fprintln(t.out)
}
