package main

import (
	"slices"
	"strings"
	"testing"
)

func lookup(variables ...string) func(string) (string, bool) {
	return func(name string) (string, bool) { return "", slices.Contains(variables, name) }
}

func TestWrongArguments(t *testing.T) {
	for line, want := range map[string]string{
		"--speed 3":                "--speed: there is no such option",
		"-matches 3":               "-matches: there is no such option",
		"extra":                    "extra: there is no such option",
		"--game hearts extra more": "extra: there is no such option",
		"--connect":                "--connect: its value is missing",
		"--matches x":              `--matches "x": must be a whole number`,
		"--tables=1.5":             `--tables "1.5": must be a whole number`,
		"--connect-timeout x":      `--connect-timeout "x": must be a number of seconds`,
		"--reconnect-timeout -1":   "must be a number of seconds, 0 to",
		"--reconnect-timeout NaN":  "must be a number of seconds, 0 to",
		"--reconnect-timeout 1e10": "must be a number of seconds, 0 to",
	} {
		_, err := parse(strings.Fields(line), lookup())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestWhatIsLeftOutDependsOnTheEnvironment(t *testing.T) {
	for name, test := range map[string]struct {
		line      string
		env       []string
		options   int // the given ones, and those for matches, entry and instance
		isTelling bool
	}{
		"hosted":        {"", []string{"FAIRDEAL_ADDRESS", "FAIRDEAL_ENTRY"}, 0, false},
		"nothing":       {"", nil, 3, false},
		"address":       {"", []string{"FAIRDEAL_ADDRESS"}, 2, false},
		"connect":       {"--connect a:1", []string{"FAIRDEAL_ADDRESS", "FAIRDEAL_ENTRY"}, 2, true},
		"matches":       {"--connect a:1 --matches 3", []string{"FAIRDEAL_ENTRY"}, 2, true},
		"entry":         {"--entry e", nil, 2, false},
		"instance":      {"--instance i", nil, 3, false},
		"some instance": {"", []string{"FAIRDEAL_INSTANCE"}, 2, false},
		"all": {
			"--connect a:1 --game hearts --matches 1 --tables 2 --seed s --entry e --instance i" +
				" --connect-timeout=0.5 --reconnect-timeout 1e9", nil, 9, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := parse(strings.Fields(test.line), lookup(test.env...))
			if err != nil {
				t.Fatal(err)
			}
			if len(parsed.options) != test.options || parsed.isTelling != test.isTelling {
				t.Errorf("%d options, telling %v", len(parsed.options), parsed.isTelling)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, line := range []string{"--help", "-h", "--game hearts --help"} {
		if parsed, err := parse(strings.Fields(line), lookup()); err != nil || !parsed.wantsUsage {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestInstancesDiffer(t *testing.T) {
	if newInstance() == newInstance() {
		t.Error("two processes would replace each other")
	}
}
