package fairdeal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/protobuf/proto"
)

const (
	pipesOfTheHost   = "/dev/fd/"
	rememberedEpochs = 10_000
	mostRead         = 16 << 20 // bytes of a file that holds lines already
	mostOfAFile      = 32 << 20 // bytes of a file of a folder
)

// ledger keeps what a bot is told and answers, so that it can be shown afterwards, and reports what breaks the
// referee's word. docs/bots.md says what a line holds and how the digest is made.
type ledger struct {
	file    *keptFile   // nil: only breaches are looked for
	folder  *keptFolder // where files are made, nil: nowhere
	logger  *log.Logger
	matches map[string]*keptMatch
	epochs  map[string]promise
	oldest  []string // epochs, in the order in which they were told first
}

// promise is what was committed to for an epoch.
type promise struct{ scheme, commit string }

// keptMatch is what is kept of a match that is being played.
type keptMatch struct {
	seated  *fairdealv1.Seated
	digest  hash.Hash
	last    uint32 // the decision that was told last
	isOpen  bool
	missed  [][2]uint32 // first and last of decisions that were not told
	unknown []uint32    // decisions of whose end nothing was told
}

// keptLine is a line of the file; the order of the fields does not matter.
type keptLine struct {
	Type     string   `json:"type"`
	MatchID  string   `json:"match_id"`
	Attempt  uint32   `json:"attempt"`
	Game     string   `json:"game"`
	Seat     int      `json:"seat"`
	Entries  []string `json:"entries"`
	Scheme   string   `json:"scheme"`
	EpochID  string   `json:"epoch_id"`
	Commit   string   `json:"commit"`
	Manifest string   `json:"manifest"`
	Breach   string   `json:"breach,omitempty"`
	*keptEnd
}

type keptEnd struct {
	Termination string      `json:"termination"`
	Ranks       []uint32    `json:"ranks"`
	Scores      []int32     `json:"scores"`
	Secret      string      `json:"secret"`
	Told        string      `json:"told"`
	Decisions   uint32      `json:"decisions"`
	Missed      [][2]uint32 `json:"missed"`
	Unknown     []uint32    `json:"unknown"`
}

func newLedger(file *keptFile, logger *log.Logger) *ledger {
	return &ledger{file: file, logger: logger, matches: map[string]*keptMatch{}, epochs: map[string]promise{}}
}

// openLedger returns the ledger that writes to a file, or to files in a folder if a slash is at the end; an empty path:
// to none. The error is a BadSettingError.
func openLedger(path string, logger *log.Logger) (*ledger, error) {
	if path == "" {
		return newLedger(nil, logger), nil
	}
	if strings.HasSuffix(path, "/") {
		made := newLedger(nil, logger)
		made.folder = &keptFolder{path: path, most: mostOfAFile, logger: logger}
		return made, nil
	}
	if info, err := os.Stat(path); strings.HasPrefix(path, pipesOfTheHost) &&
		(err != nil || info.Mode()&os.ModeNamedPipe == 0) {
		logger.Printf("%s (FAIRDEAL_KEEP) is not there: what the bot is told is not kept", path)
		return newLedger(nil, logger), nil
	}
	file, err := openKept(path, logger)
	if err != nil {
		return nil, badSetting("keep %q (FAIRDEAL_KEEP): %v", path, err)
	}
	return newLedger(file, logger), nil
}

// seated takes a seat, or the same seat again.
func (l *ledger) seated(message *fairdealv1.Seated) {
	told := message.GetCommitment()
	l.file = l.folder.current(l.file)
	for _, other := range l.file.epochs() {
		l.promised(other.EpochID, promise{other.Scheme, other.Commit})
	}
	now := promise{told.GetScheme(), hex.EncodeToString(told.GetCommit())}
	if first := l.promised(told.GetEpochId(), now); told.GetEpochId() != "" && first != now {
		l.breach(message, fmt.Sprintf("epoch %s has another commitment than before: %s, it was %s",
			told.GetEpochId(), now.commit, first.commit))
	}
	if known := l.matches[message.GetMatchId()]; known != nil && known.seated.GetAttempt() == message.GetAttempt() {
		if before := known.seated.GetCommitment(); !proto.Equal(before, told) {
			l.breach(message, fmt.Sprintf("its manifest is another than before: %x, it was %x",
				told.GetManifest(), before.GetManifest()))
		}
		return
	}
	match := &keptMatch{seated: message, digest: sha256.New(), missed: [][2]uint32{}, unknown: []uint32{}}
	match.digest.Write(enc([]byte("fairdeal/told/1"), []byte(message.GetMatchId()), number(message.GetAttempt()),
		number(uint32(message.GetSeat())-1), told.GetManifest()))
	l.matches[message.GetMatchId()] = match
	l.write("seated", message, "", nil)
}

// asked takes a decision that is told for the first time.
func (l *ledger) asked(message *fairdealv1.Decision) {
	match := l.matches[message.GetMatchId()]
	if match == nil || l.file == nil {
		return
	}
	if match.isOpen {
		match.unknown = append(match.unknown, match.last)
	}
	if message.GetDecisionId() > match.last+1 {
		match.missed = append(match.missed, [2]uint32{match.last + 1, message.GetDecisionId() - 1})
	}
	match.last, match.isOpen = message.GetDecisionId(), true
	match.digest.Write(enc([]byte("asked"), encoded(message)))
}

// closed takes the end of a decision, with what the bot had answered to it; nil: nothing.
func (l *ledger) closed(message *fairdealv1.Closed, answer *fairdealv1.Answer) {
	match := l.matches[message.GetMatchId()]
	if match == nil || !match.isOpen || message.GetDecisionId() != match.last {
		return
	}
	match.isOpen = false
	wasRead := message.GetReason() == fairdealv1.CloseReason_CLOSE_REASON_ANSWERED ||
		message.GetFault() == fairdealv1.Fault_FAULT_ILLEGAL
	switch {
	case !wasRead:
		match.digest.Write(enc([]byte("closed"), []byte{byte(message.GetReason()), byte(message.GetFault())}))
	case answer == nil:
		match.unknown = append(match.unknown, match.last)
	default:
		match.digest.Write(enc([]byte("answered"), canonical(answer)))
	}
}

// finished takes the end of a match, and checks what is revealed.
func (l *ledger) finished(message *fairdealv1.Finished) {
	match := l.matches[message.GetMatchId()]
	if match == nil {
		return
	}
	delete(l.matches, message.GetMatchId())
	if match.isOpen {
		match.unknown = append(match.unknown, match.last)
	}
	told, secret := match.seated.GetCommitment(), message.GetSecret()
	isKnown := told.GetScheme() == "fairdeal/1" || told.GetScheme() == "fairdeal/2"
	if isKnown && len(secret) > 0 {
		opened := sha256.Sum256(enc([]byte("fairdeal/1/commit"), []byte(told.GetEpochId()), secret))
		if !bytes.Equal(opened[:], told.GetCommit()) {
			l.breach(match.seated, "what it reveals does not open its commitment")
		}
	}
	l.write("finished", match.seated, "", &keptEnd{
		Termination: strings.ToLower(strings.TrimPrefix(message.GetTermination().String(), "TERMINATION_")),
		Ranks:       append([]uint32{}, message.GetRanks()...),
		Scores:      append([]int32{}, message.GetScores()...),
		Secret:      hex.EncodeToString(secret),
		Told:        hex.EncodeToString(match.digest.Sum(nil)),
		Decisions:   match.last,
		Missed:      match.missed,
		Unknown:     match.unknown,
	})
}

// forgotten drops a match that the referee does not know any more.
func (l *ledger) forgotten(matchID string) { delete(l.matches, matchID) }

// promised returns what was promised first for an epoch, perhaps now.
func (l *ledger) promised(epoch string, now promise) promise {
	if first, isKnown := l.epochs[epoch]; isKnown {
		return first
	}
	l.epochs[epoch] = now
	l.oldest = append(l.oldest, epoch)
	if len(l.oldest) > rememberedEpochs {
		delete(l.epochs, l.oldest[0])
		l.oldest = l.oldest[1:]
	}
	return now
}

func (l *ledger) breach(seated *fairdealv1.Seated, what string) {
	l.logger.Printf("BREACH by the referee in match %s, attempt %d: %s; keep this and show it to the organiser",
		seated.GetMatchId(), seated.GetAttempt(), what)
	l.write("breach", seated, what, nil)
}

func (l *ledger) write(kind string, seated *fairdealv1.Seated, breach string, end *keptEnd) {
	told := seated.GetCommitment()
	l.file.write(keptLine{
		Type:     kind,
		MatchID:  seated.GetMatchId(),
		Attempt:  seated.GetAttempt(),
		Game:     seated.GetGame(),
		Seat:     int(seated.GetSeat()) - 1,
		Entries:  append([]string{}, seated.GetEntries()...),
		Scheme:   told.GetScheme(),
		EpochID:  told.GetEpochId(),
		Commit:   hex.EncodeToString(told.GetCommit()),
		Manifest: hex.EncodeToString(told.GetManifest()),
		Breach:   breach,
		keptEnd:  end,
	})
}

// keptFile is the file to which a bot appends its lines, and perhaps other processes of the same bot theirs.
type keptFile struct {
	path   string
	file   *os.File
	isFile bool  // of a pipe nothing can be read
	read   int64 // so many bytes were read
	failed bool
	logger *log.Logger
}

func openKept(path string, logger *log.Logger) (*keptFile, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	kept := &keptFile{path: path, file: file, logger: logger}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		kept.isFile, kept.read = true, max(0, info.Size()-mostRead)
	}
	return kept, nil
}

// size returns how long the file is.
func (k *keptFile) size() int64 {
	info, err := k.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// write appends a line, behind one that was cut off a new one; that it cannot be is told once.
func (k *keptFile) write(line keptLine) {
	if k == nil {
		return
	}
	data, err := json.Marshal(line)
	if k.isCutOff() {
		data = append([]byte("\n"), data...)
	}
	if err == nil {
		_, err = k.file.Write(append(data, '\n'))
	}
	if err != nil && !k.failed {
		k.failed = true
		k.logger.Printf("what the bot is told cannot be kept: %v", err)
	}
}

// isCutOff returns whether the last line has no end: the disk was full, or a process was killed.
func (k *keptFile) isCutOff() bool {
	info, err := k.file.Stat()
	if err != nil || !k.isFile || info.Size() == 0 {
		return false
	}
	file, err := os.Open(k.path)
	if err != nil {
		return false
	}
	defer file.Close()
	last := make([]byte, 1)
	_, err = file.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// epochs returns the lines in which seats were given out since the last call, by whomever; at first, of the last 16 MB.
// What is no line of a bot, or not whole, is passed over.
func (k *keptFile) epochs() []keptLine {
	if k == nil || !k.isFile {
		return nil
	}
	file, err := os.Open(k.path)
	if err != nil {
		return nil // then it cannot be written either, which is told
	}
	defer file.Close()
	data, err := io.ReadAll(io.NewSectionReader(file, k.read, mostRead))
	if err != nil {
		return nil
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	k.read += int64(len(data))
	var found []keptLine
	for text := range bytes.SplitSeq(data, []byte("\n")) {
		var line keptLine
		if json.Unmarshal(text, &line) == nil && line.Type == "seated" {
			found = append(found, line)
		}
	}
	return found
}

// enc returns items one after the other, each preceded by its length.
func enc(items ...[]byte) []byte {
	var all []byte
	for _, item := range items {
		all = append(append(all, number(uint32(len(item)))...), item...)
	}
	return all
}

// number returns a number as four bytes, big-endian.
func number(value uint32) []byte { return binary.BigEndian.AppendUint32(nil, value) }

func encoded(message proto.Message) []byte {
	data, _ := proto.MarshalOptions{Deterministic: true}.Marshal(message) // fails for texts that are none alone
	return data
}

// canonical returns the bytes of an answer with what has no order put in order.
func canonical(answer *fairdealv1.Answer) []byte {
	if len(answer.GetNote()) > 0 { // it is no part of what is answered
		answer = proto.CloneOf(answer)
		answer.Note = nil
	}
	switch kind := answer.GetAction().GetKind().(type) {
	case *fairdealv1.Action_ChooseCards:
		answer = proto.CloneOf(answer)
		slices.Sort(answer.GetAction().GetChooseCards().GetCards())
	case *fairdealv1.Action_ChooseCombinations:
		if len(kind.ChooseCombinations.GetCombinations()) > 1 {
			answer = proto.CloneOf(answer)
			slices.SortFunc(answer.GetAction().GetChooseCombinations().GetCombinations(),
				func(a, b *fairdealv1.Combination) int { return bytes.Compare(encoded(a), encoded(b)) })
		}
	}
	return encoded(answer)
}
