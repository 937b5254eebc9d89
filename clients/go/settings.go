package fairdeal

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
)

const (
	version        = "0.1.0"
	defaultAddress = "127.0.0.1:7447" // where `fairdeal serve` listens
)

// Option is a setting of [Run]; what is not set comes from the environment, else it is the default.
type Option func(*given)

// given is what options were set; nil: the environment says.
type given struct {
	address, token, entry, instance, seed, ca, cert, key, keep *string

	games                            []string
	tables, matches                  int
	connectTimeout, reconnectTimeout time.Duration
	logger                           *log.Logger
	finish                           context.Context
	playForced                       bool
}

// WithAddress sets the referee's address, host:port or unix:/path; by default FAIRDEAL_ADDRESS, else 127.0.0.1:7447.
func WithAddress(address string) Option { return func(g *given) { g.address = &address } }

// WithToken sets the token; by default FAIRDEAL_TOKEN.
func WithToken(token string) Option { return func(g *given) { g.token = &token } }

// WithEntry sets the name under which the bot plays; by default FAIRDEAL_ENTRY, else the name of the bot's type.
func WithEntry(entry string) Option { return func(g *given) { g.entry = &entry } }

// WithInstance sets what tells several sessions of one entry apart; by default FAIRDEAL_INSTANCE.
func WithInstance(instance string) Option { return func(g *given) { g.instance = &instance } }

// WithGames sets the games that the bot plays; by default all.
func WithGames(games ...string) Option { return func(g *given) { g.games = games } }

// WithTables sets how many tables the bot plays at once; by default 64.
func WithTables(tables int) Option { return func(g *given) { g.tables = tables } }

// WithMatches sets after how many matches the bot leaves; by default 0, for no limit.
func WithMatches(matches int) Option { return func(g *given) { g.matches = matches } }

// WithSeed sets what [Decision.Chance] draws from; by default FAIRDEAL_SEED.
func WithSeed(seed string) Option { return func(g *given) { g.seed = &seed } }

// WithCA sets the PEM file with the certificates to trust, for TLS; by default FAIRDEAL_CA, without it no TLS.
func WithCA(file string) Option { return func(g *given) { g.ca = &file } }

// WithCertificate sets the PEM files with the bot's own certificate and its key, for mutual TLS; by default
// FAIRDEAL_CERT and FAIRDEAL_KEY.
func WithCertificate(cert, key string) Option { return func(g *given) { g.cert, g.key = &cert, &key } }

// WithKeep sets a file to which lines are appended that show afterwards what the bot was told and answered, or with a
// slash at the end a folder of such files; "" is none. By default it is FAIRDEAL_KEEP, without it the folder
// ~/.local/state/fairdeal/kept/ENTRY/.
func WithKeep(file string) Option { return func(g *given) { g.keep = &file } }

// WithConnectTimeout sets how long to wait for the referee at the start; by default 30 s.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(g *given) { g.connectTimeout = timeout }
}

// WithReconnectTimeout sets how long to dial a lost referee again, 0 for never; by default 60 s.
func WithReconnectTimeout(timeout time.Duration) Option {
	return func(g *given) { g.reconnectTimeout = timeout }
}

// WithLog sets where the loss and the return of the session, panics of the bot and faults are logged; by default to
// standard error, in lines that begin "fairdeal: ".
func WithLog(logger *log.Logger) Option { return func(g *given) { g.logger = logger } }

// WithFinish sets what, once it is done, lets the bot finish its matches and take no new ones; by default nothing does.
func WithFinish(finish context.Context) Option { return func(g *given) { g.finish = finish } }

// WithPlayForced has what has one legal answer played without a call of [Bot.Act].
func WithPlayForced() Option { return func(g *given) { g.playForced = true } }

// settings is where and how a bot plays.
type settings struct {
	address, token, entry, instance, seed string

	games                            []string
	tables, matches                  int
	tls                              *tls.Config // nil: no TLS
	connectTimeout, reconnectTimeout time.Duration
	logger                           *log.Logger
	finish                           context.Context
	ledger                           *ledger
	playForced                       bool
}

// settle returns the settings; name is the bot's own, used when no entry is set. The error is a BadSettingError.
func settle(name string, options []Option) (*settings, error) {
	g := given{
		tables:           64,
		connectTimeout:   30 * time.Second,
		reconnectTimeout: 60 * time.Second,
		logger:           log.New(os.Stderr, "fairdeal: ", 0),
		finish:           context.Background(),
	}
	for _, option := range options {
		option(&g)
	}
	s := &settings{
		address:          found(g.address, "FAIRDEAL_ADDRESS", defaultAddress),
		token:            found(g.token, "FAIRDEAL_TOKEN", ""),
		entry:            found(g.entry, "FAIRDEAL_ENTRY", name),
		instance:         found(g.instance, "FAIRDEAL_INSTANCE", ""),
		seed:             found(g.seed, "FAIRDEAL_SEED", ""),
		games:            g.games,
		tables:           g.tables,
		matches:          g.matches,
		connectTimeout:   g.connectTimeout,
		reconnectTimeout: g.reconnectTimeout,
		logger:           g.logger,
		finish:           g.finish,
		playForced:       g.playForced,
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	var err error
	s.tls, err = loadTLS(
		found(g.ca, "FAIRDEAL_CA", ""), found(g.cert, "FAIRDEAL_CERT", ""), found(g.key, "FAIRDEAL_KEY", ""))
	if err == nil {
		s.ledger, err = openLedger(found(g.keep, "FAIRDEAL_KEEP", usualFolder(s.entry)), s.logger)
	}
	return s, err
}

func found(given *string, variable, otherwise string) string {
	if given != nil {
		return *given
	}
	if value, isSet := os.LookupEnv(variable); isSet {
		return value
	}
	return otherwise
}

func (s *settings) check() error {
	switch addressProblem := problemOfAddress(s.address); {
	case s.address == "":
		return badSetting("the address is empty: give one, such as %s or unix:/path", defaultAddress)
	case addressProblem != "":
		return badSetting("address %q: %s", s.address, addressProblem)
	case s.tables < 1 || s.tables > math.MaxInt32:
		return badSetting("tables %d: must be 1 or more, at most %d", s.tables, math.MaxInt32)
	case s.matches < 0 || s.matches > math.MaxInt32:
		return badSetting("matches %d: must be 0, for no limit, or more, at most %d", s.matches, math.MaxInt32)
	case s.connectTimeout < 0:
		return badSetting("connect timeout %v: must be 0, to try once, or more", s.connectTimeout)
	case s.reconnectTimeout < 0:
		return badSetting("reconnect timeout %v: must be 0, for never, or more", s.reconnectTimeout)
	case strings.ContainsFunc(s.token, func(each rune) bool { return each < ' ' || each > '~' }):
		return badSetting("token: must be printable ASCII")
	case !isASCII(s.seed):
		return badSetting("seed %q: must be ASCII", s.seed)
	}
	return nil
}

// placeOf returns the address that a bot is sent to by a referee which it dialled at address.
func placeOf(sentTo, address string) string {
	switch {
	case sentTo == "":
		return address
	case sentTo[0] == ':':
		return address[:strings.LastIndexByte(address, ':')] + sentTo
	}
	return sentTo
}

// problemOfAddress returns what is wrong with an address; nothing where it is one.
func problemOfAddress(address string) string {
	if path, isUnix := strings.CutPrefix(address, "unix:"); isUnix && path != "" {
		return ""
	}
	colon := strings.LastIndexByte(address, ':')
	if colon < 1 || address[:colon] == "unix" {
		return "must be HOST:PORT or unix:/PATH"
	}
	port, err := strconv.ParseUint(address[colon+1:], 10, 16)
	switch {
	case err == nil && port > 0:
		return ""
	case err == nil || errors.Is(err, strconv.ErrRange):
		return "the port must be 1 to 65535"
	}
	return "must be HOST:PORT or unix:/PATH"
}

// hello returns the message that opens a session.
func (s *settings) hello(events bool) *fairdealv1.Hello {
	return &fairdealv1.Hello{
		Versions:  []uint32{protocolVersion},
		Entry:     s.entry,
		Instance:  s.instance,
		Games:     s.games,
		Tables:    uint32(s.tables),
		Matches:   uint32(s.matches),
		Events:    events,
		Agent:     "fairdeal-go/" + version,
		Redirects: true,
	}
}
