package fairdeal

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

type step struct {
	Draw    *int     `json:"draw"`
	Happens *float64 `json:"happens"`
	Choose  *struct{ Of, Minimum, Maximum int }
	Gives   json.RawMessage
}

func TestVectors(t *testing.T) {
	content, err := os.ReadFile("../../tests/data/bot_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Decisions []struct {
			Seed       string
			MatchID    string `json:"match_id"`
			Seat       int
			DecisionID uint32 `json:"decision_id"`
			Steps      []step
		}
	}
	if err := json.Unmarshal(content, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Decisions) == 0 {
		t.Fatal("there are no vectors")
	}
	for _, decision := range vectors.Decisions {
		chance := mustChance(t, decision.Seed, decision.MatchID, decision.Seat, decision.DecisionID)
		for i, step := range decision.Steps {
			if !step.holds(t, chance) {
				t.Fatalf("seed %q, match %s, step %d: must give %s", decision.Seed, decision.MatchID, i, step.Gives)
			}
		}
	}
}

func (s step) holds(t *testing.T, chance *Chance) bool {
	switch {
	case s.Draw != nil:
		return chance.Draw(*s.Draw) == gives[int](t, s)
	case s.Happens != nil:
		return chance.Happens(*s.Happens) == gives[bool](t, s)
	case s.Choose != nil:
		chosen := Choose(chance, numbers(s.Choose.Of), s.Choose.Minimum, s.Choose.Maximum)
		return slices.Equal(chosen, gives[[]int](t, s))
	}
	t.Fatal("a step of a kind that is not known")
	return false
}

func gives[T any](t *testing.T, s step) T {
	var value T
	if err := json.Unmarshal(s.Gives, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func numbers(count int) []int {
	items := make([]int, count)
	for i := range items {
		items[i] = i
	}
	return items
}

func mustChance(t *testing.T, seed, matchID string, seat int, decisionID uint32) *Chance {
	t.Helper()
	chance, err := NewChance(seed, matchID, seat, decisionID)
	if err != nil {
		t.Fatal(err)
	}
	return chance
}

func TestChoiceIsTheItemThatIsDrawn(t *testing.T) {
	items := numbers(52)
	for range 20 {
		chance, same := mustChance(t, "s", "m", 0, 1), mustChance(t, "s", "m", 0, 1)
		if Choice(chance, items) != same.Draw(len(items)) {
			t.Fatal("choice is not draw")
		}
	}
}

func TestChooseLeavesTheItemsAsTheyWere(t *testing.T) {
	items := numbers(13)
	Choose(mustChance(t, "s", "m", 0, 1), items, 3, 3)
	if !slices.Equal(items, numbers(13)) {
		t.Errorf("the items are now %v", items)
	}
}

func TestWhatCannotBeDrawnPanics(t *testing.T) {
	for name, call := range map[string]func(*Chance){
		"draw of none":      func(chance *Chance) { chance.Draw(0) },
		"draw of too many":  func(chance *Chance) { chance.Draw(1<<32 + 1) },
		"choice of none":    func(chance *Chance) { Choice(chance, []int{}) },
		"choose too many":   func(chance *Chance) { Choose(chance, numbers(2), 1, 3) },
		"choose minus one":  func(chance *Chance) { Choose(chance, numbers(2), -1, 1) },
		"choose 2 to 1":     func(chance *Chance) { Choose(chance, numbers(3), 2, 1) },
		"probability 1.01":  func(chance *Chance) { chance.Happens(1.01) },
		"probability -0.01": func(chance *Chance) { chance.Happens(-0.01) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it does not panic")
				}
			}()
			call(mustChance(t, "s", "m", 0, 1))
		})
	}
}

func TestMillionthsAreRoundedHalvesToEven(t *testing.T) {
	for probability, want := range map[float64]int{0: 0, 0.5e-6: 0, 1.5e-6: 2, 2.6e-6: 3, 0.5: 500_000, 1: 1_000_000} {
		if got := millionths(probability); got != want {
			t.Errorf("%g: %d, want %d", probability, got, want)
		}
	}
}

func TestNoChanceForWhatHasNoEncoding(t *testing.T) {
	for _, test := range []struct {
		seed, matchID string
		seat          int
	}{{"ä", "m", 0}, {"s", "ä", 0}, {"s", "m", -1}, {"s", "m", 1 << 32}} {
		if _, err := NewChance(test.seed, test.matchID, test.seat, 1); err == nil {
			t.Errorf("%v: no error", test)
		}
	}
}
