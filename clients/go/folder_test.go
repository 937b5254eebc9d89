package fairdeal

import (
	"bytes"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

// TestMain keeps the tests from writing into the home of whoever runs them.
func TestMain(m *testing.M) {
	os.Setenv("FAIRDEAL_KEEP", "")
	os.Exit(m.Run())
}

func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, each := range found {
		names = append(names, each.Name())
	}
	return names
}

func TestAFolderHasAFileForEachRun(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "kept")
	var logged bytes.Buffer
	ledger, err := openLedger(folder+"/", log.New(&logged, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("it is made before the first match")
	}
	for _, id := range []string{"m1", "m2"} {
		ledger.seated(&fairdealv1.Seated{MatchId: id})
	}
	names := filesIn(t, folder)
	if len(names) != 1 || !ofARun.MatchString(names[0]) {
		t.Fatal(names)
	}
	text, _ := os.ReadFile(filepath.Join(folder, names[0]))
	if strings.Count(string(text), `"seated"`) != 2 {
		t.Error(string(text))
	}
	if want := "what the bot is told is kept in " + filepath.Join(folder, names[0]) + "\n"; logged.String() != want {
		t.Error(logged.String())
	}
	first := "19700101T000000Z-1.jsonl" // as if it were of another second
	os.Rename(filepath.Join(folder, names[0]), filepath.Join(folder, first))
	ledger.folder.most = 5
	ledger.seated(&fairdealv1.Seated{MatchId: "m3"})
	if names = filesIn(t, folder); len(names) != 2 || names[0] != first {
		t.Error(names)
	}
}

func TestTheOldestFilesOfRunsAreRemoved(t *testing.T) {
	folder := t.TempDir()
	sizes := map[string]int64{
		"notes.jsonl":                0,
		"20260101T120000Z-77.jsonl":  10,
		"20260102T120000Z-9.jsonl":   mostEarlier,
		"20260103T120000Z-100.jsonl": 0,
	}
	for name, size := range sizes {
		os.WriteFile(filepath.Join(folder, name), nil, 0o600)
		os.Truncate(filepath.Join(folder, name), size)
	}
	ledger, _ := openLedger(folder+"/", log.New(&bytes.Buffer{}, "", 0))
	ledger.seated(&fairdealv1.Seated{MatchId: "m1"})
	names := filesIn(t, folder)
	if len(names) != 4 || slices.Contains(names, "20260101T120000Z-77.jsonl") {
		t.Error(names)
	}
}

func TestAFolderThatCannotBeWrittenIsToldOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	os.WriteFile(file, nil, 0o600)
	var logged bytes.Buffer
	ledger, _ := openLedger(file+"/kept/", log.New(&logged, "", 0))
	for _, id := range []string{"m1", "m2"} {
		ledger.seated(&fairdealv1.Seated{MatchId: id})
	}
	if strings.Count(logged.String(), file+"/kept/: what the bot is told cannot be kept there") != 1 {
		t.Error(logged.String())
	}
}

func TestTheUsualFolderIsThatOfTheUser(t *testing.T) {
	for _, test := range []struct{ entry, state, home, folder string }{
		{"bot", "", "/home/ann", "/home/ann/.local/state/fairdeal/kept/bot/"},
		{"bot", "/state", "/home/ann", "/state/fairdeal/kept/bot/"},
		{"bot", "state", "/home/ann", "/home/ann/.local/state/fairdeal/kept/bot/"},
		{"../a b", "", "/h", "/h/.local/state/fairdeal/kept/___a_b/"},
		{"", "", "", "/.local/state/fairdeal/kept/bot/"},
	} {
		t.Setenv("XDG_STATE_HOME", test.state)
		t.Setenv("HOME", test.home)
		if found := usualFolder(test.entry); found != test.folder {
			t.Error(found)
		}
	}
	os.Unsetenv("FAIRDEAL_KEEP")
	defer os.Setenv("FAIRDEAL_KEEP", "")
	s, err := settle("ann", nil)
	if err != nil || s.ledger.folder == nil || s.ledger.folder.path != "/.local/state/fairdeal/kept/ann/" {
		t.Error(err)
	}
}
