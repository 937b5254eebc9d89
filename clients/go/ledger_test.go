package fairdeal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/proto"
)

func quiet() *ledger { return newLedger(nil, log.New(io.Discard, "", 0)) }

type keptCase struct {
	Name  string
	Keeps bool
	Steps []struct {
		Process                 int
		Hears, Answers, Appends *string
	}
	Lines, Logged any
}

// keeping is a process of a bot, which answers what it is told to.
type keeping struct {
	session *session
	asked   *Decision
}

func decoded(t *testing.T, text string, message proto.Message) {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err == nil {
		err = proto.Unmarshal(data, message)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinesAreWhatTheVectorsSay(t *testing.T) {
	content, err := os.ReadFile("../../tests/data/kept_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Cases []keptCase }
	if err := json.Unmarshal(content, &vectors); err != nil || len(vectors.Cases) == 0 {
		t.Fatal(err)
	}
	for _, each := range vectors.Cases {
		t.Run(each.Name, each.check)
	}
}

func (c keptCase) check(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	keep := ""
	if c.Keeps {
		keep = path
	}
	var logged bytes.Buffer
	processes := map[int]*keeping{}
	for _, step := range c.Steps {
		if step.Appends != nil {
			file.Seek(0, io.SeekEnd)
			file.WriteString(*step.Appends)
			continue
		}
		process := processes[step.Process]
		if process == nil {
			ledger, err := openLedger(keep, log.New(&logged, "", 0))
			if err != nil {
				t.Fatal(err)
			}
			process = &keeping{session: newSession(&fairdealv1.Hello{}, "", ledger)}
			processes[step.Process] = process
		}
		process.take(t, step.Hears, step.Answers)
	}
	lines := []any{}
	content, _ := io.ReadAll(io.NewSectionReader(file, 0, mostRead))
	for text := range strings.Lines(string(content)) {
		var line any
		if json.Unmarshal([]byte(text), &line) == nil {
			if object, isObject := line.(map[string]any); isObject && object["match_id"] != nil {
				lines = append(lines, line)
			}
		}
	}
	if !reflect.DeepEqual(any(lines), c.Lines) {
		t.Errorf("kept %v, not %v", lines, c.Lines)
	}
	log := []any{}
	for line := range strings.Lines(logged.String()) {
		log = append(log, strings.TrimSuffix(line, "\n"))
	}
	if !reflect.DeepEqual(any(log), c.Logged) {
		t.Errorf("logged %v, not %v", log, c.Logged)
	}
}

func (k *keeping) take(t *testing.T, hears, answers *string) {
	t.Helper()
	switch {
	case hears != nil:
		frame := &fairdealv1.PlayResponse{}
		decoded(t, *hears, frame)
		told, err := k.session.receive(frame)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range told {
			if each.decision != nil {
				k.asked = each.decision
			}
		}
	case answers != nil:
		answer := &fairdealv1.Answer{}
		decoded(t, *answers, answer)
		k.session.reply(k.asked, answer)
	default:
		k.session.rejoin()
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

func TestThatLinesCannotBeKeptIsToldOnce(t *testing.T) {
	var logged bytes.Buffer
	ledger, err := openLedger("/dev/full", log.New(&logged, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"m1", "m2"} {
		ledger.seated(&fairdealv1.Seated{MatchId: id})
	}
	if strings.Count(logged.String(), "what the bot is told cannot be kept: ") != 1 {
		t.Error(logged.String())
	}
}
