package fairdeal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

var secretOfTests = bytes.Repeat([]byte{7}, 32)

func quiet() *ledger { return newLedger(nil, log.New(io.Discard, "", 0)) }

// keeping is a session that keeps its lines in a file.
func keeping(t *testing.T, path string) (*session, *bytes.Buffer) {
	t.Helper()
	var logged bytes.Buffer
	ledger, err := openLedger(path, log.New(&logged, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(&fairdealv1.Hello{}, "", ledger)
	s.takeRequests()
	receive(t, s, welcome(nil))
	return s, &logged
}

func promisedSeat(matchID, epoch string, secret []byte, manifest string) *fairdealv1.Update {
	commit := sha256.Sum256(enc([]byte("fairdeal/1/commit"), []byte(epoch), secret))
	update := seated(matchID, 1)
	update.GetSeated().Commitment = &fairdealv1.Commitment{
		Scheme: "fairdeal/2", EpochId: epoch, Commit: commit[:], Manifest: []byte(manifest),
	}
	return update
}

func ended(matchID string, secret []byte) *fairdealv1.Update {
	return &fairdealv1.Update{Kind: &fairdealv1.Update_Finished{Finished: &fairdealv1.Finished{
		MatchId: matchID, Termination: fairdealv1.Termination_TERMINATION_COMPLETED, Secret: secret,
		Ranks: []uint32{1, 2}, Scores: []int32{-3, 4},
	}}}
}

func linesIn(t *testing.T, path string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for text := range strings.Lines(string(data)) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func breaches(t *testing.T, path string) []string {
	var found []string
	for _, line := range linesIn(t, path) {
		if line["type"] == "breach" {
			found = append(found, line["breach"].(string))
		}
	}
	return found
}

func TestAMatchHasALineBeforeItsFirstCardAndOneAtItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	s, _ := keeping(t, path)
	receive(t, s, promisedSeat("m", "m.1", secretOfTests, "manifest"))
	line := linesIn(t, path)[0]
	if line["type"] != "seated" || line["epoch_id"] != "m.1" || line["manifest"] != hex.EncodeToString([]byte("manifest")) {
		t.Error(line)
	}
	asked := receive(t, s, decision("m", 1))
	answerFirst(t, s, asked[0].decision)
	receive(t, s, decision("m", 4))
	receive(t, s, ended("m", secretOfTests))
	line = linesIn(t, path)[1]
	expected := `{"attempt":1,"commit":"` + line["commit"].(string) + `","decisions":4,"entries":[],"epoch_id":"m.1",` +
		`"game":"hearts","manifest":"6d616e6966657374","match_id":"m","missed":[[2,3]],"ranks":[1,2],` +
		`"scheme":"fairdeal/2","scores":[-3,4],"seat":1,"secret":"` + hex.EncodeToString(secretOfTests) +
		`","termination":"completed","told":"` + line["told"].(string) + `","type":"finished","unknown":[1,4]}`
	if found, _ := json.Marshal(line); string(found) != expected {
		t.Errorf("%s\n%s", found, expected)
	}
	if found := breaches(t, path); found != nil {
		t.Error(found)
	}
}

func TestWhatDoesNotOpenTheCommitmentIsABreach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	s, logged := keeping(t, path)
	receive(t, s, promisedSeat("m", "m.1", secretOfTests, ""), ended("m", make([]byte, 32)))
	if found := breaches(t, path); !slices.Equal(found, []string{"what it reveals does not open its commitment"}) {
		t.Error(found)
	}
	if !strings.HasPrefix(logged.String(), "BREACH by the referee in match m, attempt 1: ") {
		t.Error(logged)
	}
}

func TestAnotherManifestIsABreachAndTheSameSeatAgainIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	s, _ := keeping(t, path)
	receive(t, s, promisedSeat("m", "m.1", secretOfTests, "m"), promisedSeat("m", "m.1", secretOfTests, "m"))
	receive(t, s, promisedSeat("m", "m.1", secretOfTests, "n"))
	if found := breaches(t, path); !slices.Equal(found, []string{"its manifest is another than before: 6e, it was 6d"}) {
		t.Error(found)
	}
}

func TestTwoCommitmentsForOneEpochAreABreachAmongProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	first, _ := keeping(t, path)
	second, _ := keeping(t, path)
	receive(t, first, promisedSeat("m1", "set.1", secretOfTests, ""))
	receive(t, second, promisedSeat("m2", "set.1", secretOfTests, ""))
	if found := breaches(t, path); found != nil {
		t.Error(found)
	}
	third, _ := keeping(t, path)
	for i, each := range []*session{first, second, third} {
		receive(t, each, promisedSeat("n"+string(rune('1'+i)), "set.1", make([]byte, 32), ""))
	}
	if found := breaches(t, path); len(found) != 3 || !strings.HasPrefix(found[0], "epoch set.1 has another commitment") {
		t.Error(found)
	}
}

func TestBreachesAreLoggedThoughNothingIsKept(t *testing.T) {
	s, logged := keeping(t, "")
	receive(t, s, promisedSeat("m", "m.1", secretOfTests, ""), ended("m", make([]byte, 32)))
	if !strings.Contains(logged.String(), "does not open its commitment") {
		t.Error(logged)
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	var logged bytes.Buffer
	if _, err := openLedger(filepath.Join(t.TempDir(), "none", "kept"), log.New(&logged, "", 0)); err == nil ||
		!strings.Contains(err.Error(), "FAIRDEAL_KEEP") {
		t.Error(err)
	}
	if ledger, err := openLedger("/dev/fd/987", log.New(&logged, "", 0)); err != nil || ledger.file != nil {
		t.Error(err)
	}
	if !strings.Contains(logged.String(), "is not there: what the bot is told is not kept") {
		t.Error(logged.String())
	}
}

func TestTheOrderOfChosenCardsAndCombinationsDoesNotMatter(t *testing.T) {
	cards := func(cards ...fairdealv1.Card) *fairdealv1.Answer {
		return &fairdealv1.Answer{Answer: &fairdealv1.Answer_Action{Action: &fairdealv1.Action{
			Kind: &fairdealv1.Action_ChooseCards{ChooseCards: &fairdealv1.CardList{Cards: cards}}}}}
	}
	given := cards(3, 1)
	if !bytes.Equal(canonical(given), canonical(cards(1, 3))) || given.GetAction().GetChooseCards().GetCards()[0] != 3 {
		t.Error("cards")
	}
	point := func(suit fairdealv1.Suit) *fairdealv1.Combination {
		return &fairdealv1.Combination{Kind: &fairdealv1.Combination_Point{Point: &fairdealv1.PointCombination{Suit: suit}}}
	}
	combinations := func(all ...*fairdealv1.Combination) *fairdealv1.Answer {
		return &fairdealv1.Answer{Answer: &fairdealv1.Answer_Action{Action: &fairdealv1.Action{
			Kind: &fairdealv1.Action_ChooseCombinations{
				ChooseCombinations: &fairdealv1.CombinationList{Combinations: all}}}}}
	}
	if !bytes.Equal(canonical(combinations(point(2), point(1))), canonical(combinations(point(1), point(2)))) {
		t.Error("combinations")
	}
}
