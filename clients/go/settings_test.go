package fairdeal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clearEnvironment takes every variable away that a bot reads.
func clearEnvironment(t *testing.T) {
	for _, name := range []string{"ADDRESS", "TOKEN", "ENTRY", "INSTANCE", "SEED", "CA", "CERT", "KEY", "KEEP"} {
		t.Setenv("FAIRDEAL_"+name, "") // has the test put it back
		if err := os.Unsetenv("FAIRDEAL_" + name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSettingsComeFromOptionsElseTheEnvironmentElseDefaults(t *testing.T) {
	clearEnvironment(t)
	s, err := settle("lowest", nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.address != "127.0.0.1:7447" || s.entry != "lowest" || s.tables != 64 || s.matches != 0 || s.tls != nil ||
		s.token+s.instance+s.seed != "" || s.connectTimeout != 30*time.Second || s.reconnectTimeout != time.Minute {
		t.Errorf("by default %+v", s)
	}
	for name, value := range map[string]string{
		"ADDRESS": "[::1]:1", "TOKEN": "T", "ENTRY": "E", "INSTANCE": "I", "SEED": "S",
	} {
		t.Setenv("FAIRDEAL_"+name, value)
	}
	if s, err = settle("lowest", nil); err != nil {
		t.Fatal(err)
	}
	if got := []string{s.address, s.token, s.entry, s.instance, s.seed}; strings.Join(got, " ") != "[::1]:1 T E I S" {
		t.Errorf("from the environment %q", got)
	}
	s, err = settle("lowest", []Option{
		WithAddress("unix:/s"), WithToken("t"), WithEntry("e"), WithInstance(""), WithSeed("s"), WithGames("hearts"),
		WithTables(2), WithMatches(3), WithConnectTimeout(time.Hour), WithReconnectTimeout(0),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{s.address, s.token, s.entry, s.instance, s.seed}; strings.Join(got, " ") != "unix:/s t e  s" {
		t.Errorf("from options %q", got)
	}
	if s.connectTimeout != time.Hour || s.reconnectTimeout != 0 {
		t.Errorf("%+v", s)
	}
	hello := s.hello(true)
	if hello.GetVersions()[0] != 1 || hello.GetEntry() != "e" || hello.GetGames()[0] != "hearts" ||
		hello.GetTables() != 2 || hello.GetMatches() != 3 || !hello.GetEvents() || hello.GetAgent() != "fairdeal-go/0.1.0" {
		t.Error(hello)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	clearEnvironment(t)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for name, test := range map[string]struct {
		option Option
		want   string
	}{
		"empty":         {WithAddress(""), "the address is empty"},
		"no port":       {WithAddress("host"), `address "host": must be HOST:PORT`},
		"no host":       {WithAddress(":7447"), "must be HOST:PORT"},
		"port 0":        {WithAddress("host:0"), `address "host:0": the port must be 1 to 65535`},
		"port 65536":    {WithAddress("host:65536"), "the port must be 1 to 65535"},
		"port too long": {WithAddress("h:99999999999999999999999"), "the port must be 1 to 65535"},
		"port x":        {WithAddress("host:x"), "must be HOST:PORT"},
		"signed port":   {WithAddress("host:+80"), "must be HOST:PORT"},
		"no path":       {WithAddress("unix:"), "must be HOST:PORT or unix:/PATH"},
		"tables":        {WithTables(0), "tables 0: must be 1 or more"},
		"matches":       {WithMatches(-1), "matches -1: must be 0"},
		"connect":       {WithConnectTimeout(-time.Second), "connect timeout -1s: must be 0"},
		"reconnect":     {WithReconnectTimeout(-time.Second), "reconnect timeout -1s: must be 0"},
		"token of ä":    {WithToken("ä"), "token: must be printable ASCII"},
		"token":         {WithToken("a\nb"), "token: must be printable ASCII"},
		"seed":          {WithSeed("ä"), "must be ASCII"},
		"no key":        {WithCertificate("c", ""), "cert c: its key is missing"},
		"no cert":       {WithCertificate("", "k"), "key k: its certificate is missing"},
		"no CA":         {WithCertificate("c", "k"), "cert c: the certificates to trust are missing"},
		"missing CA":    {WithCA(missing), "CA file " + missing + ": no such file"},
		"CA of text":    {WithCA(text), "CA file " + text + ": holds no certificates in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := settle("bot", []Option{test.option})
			if _, ok := errors.AsType[*BadSettingError](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestCertificateFilesAreReadAndChecked(t *testing.T) {
	clearEnvironment(t)
	one, other := newCertificate(t), newCertificate(t)
	t.Setenv("FAIRDEAL_CA", one.certFile)
	t.Setenv("FAIRDEAL_CERT", one.certFile)
	t.Setenv("FAIRDEAL_KEY", one.keyFile)
	s, err := settle("bot", nil)
	if err != nil || s.tls == nil || len(s.tls.Certificates) != 1 || s.tls.RootCAs == nil {
		t.Fatalf("%v, %+v", err, s)
	}
	for name, test := range map[string]struct{ cert, key, want string }{
		"another's key": {one.certFile, other.keyFile, "are not a certificate and its key"},
		"no key file":   {one.certFile, one.keyFile + "x", "key file " + one.keyFile + "x: no such file"},
		"no cert file":  {one.certFile + "x", one.keyFile, "cert file " + one.certFile + "x: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := settle("bot", []Option{WithCertificate(test.cert, test.key)}); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestLinesOfTheLogBeginWithTheProjectsName(t *testing.T) {
	clearEnvironment(t)
	s, err := settle("bot", nil)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	if s.logger.Writer() != os.Stderr {
		t.Error("it does not go to standard error")
	}
	s.logger.SetOutput(&logged)
	s.logger.Print("oh")
	if logged.String() != "fairdeal: oh\n" {
		t.Errorf("%q", logged.String())
	}
}

func TestABotIsNamedAfterItsType(t *testing.T) {
	type lowest struct{ BotFunc }
	for want, bot := range map[string]Bot{"lowest": lowest{}, "recorder": &recorder{}, "bot": BotFunc(nil)} {
		if got := nameOf(bot); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
