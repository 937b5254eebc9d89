package fairdeal

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	mostRunFiles = 1000
	mostEarlier  = 96 << 20 // bytes of earlier files in a folder
)

var (
	ofARun     = regexp.MustCompile(`^\d{8}T\d{6}Z-\d+\.jsonl$`)
	notInAName = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

// keptFolder is a folder in which each run of a bot keeps its lines in files of its own, from its first match on. The
// oldest ones are removed, so that all of them stay below 128 MB or little more.
type keptFolder struct {
	path   string
	most   int64 // bytes of a file that is followed by another one
	logger *log.Logger
	failed bool
}

// usualFolder returns the folder in which an entry keeps its lines if nothing is said.
func usualFolder(entry string) string {
	state := os.Getenv("XDG_STATE_HOME")
	if !strings.HasPrefix(state, "/") {
		state = os.Getenv("HOME") + "/.local/state"
	}
	name := notInAName.ReplaceAllString(entry, "_")
	if name = name[:min(len(name), 100)]; name == "" {
		name = "bot"
	}
	return state + "/fairdeal/kept/" + name + "/"
}

// current returns the file for the next lines: the present one, or a new one if there is none or it is long. That none
// can be made is told once; then it is the present one.
func (f *keptFolder) current(file *keptFile) *keptFile {
	if f == nil || file != nil && file.size() <= f.most {
		return file
	}
	next, err := f.next()
	if err != nil {
		if !f.failed {
			f.logger.Printf("%s: what the bot is told cannot be kept there (%v): set FAIRDEAL_KEEP to another folder, FOLDER/, "+
				"or to nothing", f.path, err)
		}
		f.failed = true
		return file
	}
	if file != nil {
		file.file.Close()
	}
	f.logger.Printf("what the bot is told is kept in %s", next.path)
	return next
}

func (f *keptFolder) next() (*keptFile, error) {
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return nil, err
	}
	found, err := os.ReadDir(f.path) // by name, so by time
	if err != nil {
		return nil, err
	}
	size, number := int64(0), 0
	for _, each := range slices.Backward(found) {
		info, err := each.Info()
		if err != nil || !ofARun.MatchString(each.Name()) {
			continue // another process removes them, too
		}
		size, number = size+info.Size(), number+1
		if size > mostEarlier || number > mostRunFiles {
			_ = os.Remove(filepath.Join(f.path, each.Name()))
		}
	}
	name := fmt.Sprintf("%s-%d.jsonl", time.Now().UTC().Format("20060102T150405Z"), os.Getpid())
	return openKept(filepath.Join(f.path, name), f.logger)
}
