package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	fairdeal "github.com/fairdeal/fairdeal/clients/go"
)

const usage = `usage: fairdeal-random-bot [--connect ADDRESS] [--game G] [--matches N] [--tables N] [--seed S] [--entry E]
                           [--instance I] [--connect-timeout SECONDS] [--reconnect-timeout SECONDS] [--help]

Play at a referee with a bot that answers at random.

  --connect ADDRESS            the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS or 127.0.0.1:7447
  --game G                     the game to play; by default all
  --matches N                  how many matches to play, 0 for no limit; by default 1, or no limit when the referee
                               is named by FAIRDEAL_ADDRESS alone
  --tables N                   how many at once; by default 64
  --seed S                     what the bot draws from; by default FAIRDEAL_SEED
  --entry E                    the entry that plays; by default FAIRDEAL_ENTRY or random
  --instance I                 tells several sessions of one entry apart; by default FAIRDEAL_INSTANCE
  --connect-timeout SECONDS    how long to wait for the referee; by default 30
  --reconnect-timeout SECONDS  how long to dial a lost referee again, 0 for never; by default 60
`

const mostSeconds = 1_000_000_000 // what fits into a duration, and then some years

// arguments is what the command line says.
type arguments struct {
	options    []fairdeal.Option
	isTelling  bool // whether the bot says what it plays
	wantsUsage bool
}

// option is one of the command line's; each takes a value.
type option func(value string) (fairdeal.Option, error)

var options = map[string]option{
	"--connect":           text(fairdeal.WithAddress),
	"--game":              text(func(game string) fairdeal.Option { return fairdeal.WithGames(game) }),
	"--matches":           number(fairdeal.WithMatches),
	"--tables":            number(fairdeal.WithTables),
	"--seed":              text(fairdeal.WithSeed),
	"--entry":             text(fairdeal.WithEntry),
	"--instance":          text(fairdeal.WithInstance),
	"--connect-timeout":   seconds(fairdeal.WithConnectTimeout),
	"--reconnect-timeout": seconds(fairdeal.WithReconnectTimeout),
}

func text(set func(string) fairdeal.Option) option {
	return func(value string) (fairdeal.Option, error) { return set(value), nil }
}

func number(set func(int) fairdeal.Option) option {
	return func(value string) (fairdeal.Option, error) {
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, errors.New("must be a whole number")
		}
		return set(n), nil
	}
}

func seconds(set func(time.Duration) fairdeal.Option) option {
	return func(value string) (fairdeal.Option, error) {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n >= 0 && n <= mostSeconds) {
			return nil, fmt.Errorf("must be a number of seconds, 0 to %d", mostSeconds)
		}
		return set(time.Duration(n * float64(time.Second))), nil
	}
}

// parse reads a command line; lookup looks a variable of the environment up.
func parse(line []string, lookup func(string) (string, bool)) (*arguments, error) {
	parsed := &arguments{}
	isGiven := map[string]bool{}
	for len(line) > 0 {
		name, value, hasValue := strings.Cut(line[0], "=")
		line = line[1:]
		if name == "--help" || name == "-h" {
			return &arguments{wantsUsage: true}, nil
		}
		read, isKnown := options[name]
		if !isKnown {
			return nil, fmt.Errorf("%s: there is no such option; see --help", name)
		}
		if !hasValue {
			if len(line) == 0 {
				return nil, fmt.Errorf("%s: its value is missing", name)
			}
			value, line = line[0], line[1:]
		}
		set, err := read(value)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", name, value, err)
		}
		parsed.options = append(parsed.options, set)
		isGiven[name] = true
	}
	isSet := func(variable string) bool {
		_, ok := lookup(variable)
		return ok
	}
	if !isGiven["--matches"] && (isGiven["--connect"] || !isSet("FAIRDEAL_ADDRESS")) {
		parsed.options = append(parsed.options, fairdeal.WithMatches(1))
	}
	if !isGiven["--entry"] && !isSet("FAIRDEAL_ENTRY") {
		parsed.options = append(parsed.options, fairdeal.WithEntry("random"))
		if !isGiven["--instance"] && !isSet("FAIRDEAL_INSTANCE") {
			parsed.options = append(parsed.options, fairdeal.WithInstance(newInstance()))
		}
	}
	parsed.isTelling = isGiven["--connect"]
	return parsed, nil
}

// newInstance returns a name that no other process has, so that several bots do not replace each other.
func newInstance() string {
	drawn := make([]byte, 4)
	_, _ = rand.Read(drawn) // never fails
	return hex.EncodeToString(drawn)
}
