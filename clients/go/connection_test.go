package fairdeal

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// output is a buffer that several goroutines may write to.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// play runs a bot for one match and returns what it logged.
func play(t *testing.T, address string, bot Bot, options ...Option) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	logged := &output{}
	defaults := []Option{WithAddress(address), WithMatches(1), WithLog(log.New(logged, "", 0))}
	err := Run(ctx, bot, append(defaults, options...)...)
	if ctx.Err() != nil {
		t.Error("it does not end")
	}
	return logged.String(), err
}

func TestABotPlaysItsMatchAndLeaves(t *testing.T) {
	t.Parallel()
	bot := &recorder{BotFunc: firstIndex}
	ended := make(chan error, 1)
	address, _ := newReferee(t, []script{func(guest *guest) error {
		err := playMatch(guest)
		ended <- err
		return err
	}})
	logged, err := play(t, address, bot)
	if err != nil || logged != "" {
		t.Errorf("%v, logged %q", err, logged)
	}
	if err := <-ended; err != nil {
		t.Errorf("the referee saw %v", err)
	}
	if got := strings.Join(bot.told, ", "); got != "seated a, closed a 1, finished a 26" {
		t.Error(got)
	}
}

func TestTheTokenAndTheHelloAreSent(t *testing.T) {
	t.Parallel()
	address, _ := newReferee(t, []script{func(guest *guest) error {
		sent, _ := metadata.FromIncomingContext(guest.stream.Context())
		if got := sent.Get("authorization"); len(got) != 1 || got[0] != "Bearer secret" {
			return reject(guest.stream, "MISSING_TOKEN")
		}
		return all(guest.expecting(func(request *fairdealv1.PlayRequest) bool {
			hello := request.GetHello()
			return hello.GetEvents() && hello.GetInstance() == "i" && hello.GetEntry() == "e" && hello.GetMatches() == 1
		}), guest.saying(welcome(nil), seated("a", 1), finished("a", completed)))
	}})
	_, err := play(t, address, &recorder{}, WithToken("secret"), WithEntry("e"), WithInstance("i"))
	if err != nil {
		t.Error(err)
	}
}

func TestABotComesBackAndIsAskedNothingTwice(t *testing.T) {
	t.Parallel()
	calls := 0
	bot := BotFunc(func(*Decision) Answer {
		calls++
		return Index(0)
	})
	address, referee := newReferee(t, []script{
		func(guest *guest) error {
			return all(guest.expecting(isHello), guest.saying(welcome(nil), seated("a", 1), happened("a", 1)),
				guest.expecting(isReady), guest.saying(decision("a", 1)), guest.expecting(isAnswer),
				func() error { return status.Error(codes.Unavailable, "oh") })
		},
		func(guest *guest) error { return reject(guest.stream, "SLOW_READER") },
		func(guest *guest) error {
			return all(guest.expecting(func(request *fairdealv1.PlayRequest) bool {
				resume := request.GetHello().GetResume()
				return len(resume) == 1 && resume[0].GetSequence() == 1
			}), guest.saying(welcome(nil), seated("a", 1), decision("a", 1)),
				guest.expecting(func(request *fairdealv1.PlayRequest) bool { return isReady(request) && isAnswer(request) }),
				guest.saying(finished("a", completed)), guest.expecting(isBye))
		},
	})
	logged, err := play(t, address, bot)
	if err != nil || calls != 1 || referee.dialled.Load() != 3 {
		t.Errorf("%v, %d calls, %d sessions", err, calls, referee.dialled.Load())
	}
	want := fmt.Sprintf("the session with the referee at %[1]s broke: oh; dialling again for up to 60 s\n"+
		"the session with the referee at %[1]s is back\n", address)
	if logged != want {
		t.Errorf("logged %q", logged)
	}
}

func TestSessionsThatAreNotDialledForAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script script
		kind   any
		want   string
	}{
		"rejected at once": {
			func(guest *guest) error { return reject(guest.stream, "MISSING_TOKEN") },
			new(*RejectedError), "(MISSING_TOKEN)",
		},
		"rejected in play": {
			func(guest *guest) error {
				return all(guest.saying(welcome(nil), seated("a", 1)),
					func() error { return reject(guest.stream, "WRONG_SEAT") })
			},
			new(*RejectedError), "(WRONG_SEAT)",
		},
		"replaced": {
			func(guest *guest) error {
				return all(guest.expecting(isHello), guest.saying(welcome(nil), seated("a", 1), notice(replaced)),
					guest.expecting(isBye))
			},
			new(*RejectedError), "this session was replaced",
		},
		"nonsense": {
			func(guest *guest) error {
				return all(guest.expecting(isHello), guest.saying(welcome(nil), happened("a", 1)), guest.expecting(isBye))
			},
			new(*ProtocolError), "in which the bot has no seat; check that 127.0.0.1:",
		},
		"no message": {
			func(guest *guest) error {
				return all(guest.saying(welcome(nil)), func() error { return guest.stream.Send(noMessage()) }, guest.hang)
			},
			new(*ProtocolError), "the referee sent a frame that is not a message; check that 127.0.0.1:",
		},
		"no welcome": {
			func(guest *guest) error {
				return all(guest.expecting(isHello), guest.saying(seated("a", 1)), guest.expecting(isBye))
			},
			new(*ProtocolError), "the referee sent a message before its welcome; check that 127.0.0.1:",
		},
		"broken before the welcome": {
			func(*guest) error { return status.Error(codes.Internal, "oh") },
			new(*ConnectionLostError), "broke: oh",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, referee := newReferee(t, []script{test.script})
			_, err := play(t, address, BotFunc(firstIndex))
			if !errors.As(err, test.kind) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%T: %v", err, err)
			}
			if dialled := referee.dialled.Load(); dialled != 1 {
				t.Errorf("dialled %d times", dialled)
			}
		})
	}
}

func TestARefereeThatFallsSilentIsLost(t *testing.T) {
	t.Parallel()
	address, _ := newReferee(t, []script{func(guest *guest) error {
		return all(guest.saying(welcome(heartbeatEvery(10*time.Millisecond))), guest.hang)
	}})
	_, err := play(t, address, BotFunc(firstIndex), WithReconnectTimeout(0))
	if _, ok := errors.AsType[*ConnectionLostError](err); !ok || !strings.Contains(err.Error(), "is not responding") {
		t.Errorf("%T: %v", err, err)
	}
}

func TestARefereeThatNeverWelcomesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	address, _ := newReferee(t, []script{(*guest).hang})
	_, err := play(t, address, BotFunc(firstIndex), WithConnectTimeout(0))
	if _, ok := errors.AsType[*CannotConnectError](err); !ok || !strings.Contains(err.Error(), "did not welcome the bot in time") {
		t.Errorf("%T: %v", err, err)
	}
}

func TestAServerThatIsNoReferee(t *testing.T) {
	t.Parallel()
	_, err := play(t, serve(t, grpc.NewServer()), BotFunc(firstIndex))
	if _, ok := errors.AsType[*CannotConnectError](err); !ok || !strings.Contains(err.Error(), "it is not a referee") {
		t.Errorf("%T: %v", err, err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	logged, err := play(t, address, BotFunc(firstIndex), WithConnectTimeout(200*time.Millisecond))
	want := "no referee answers at " + address + " within 0.2 s: dial tcp " + address + ": connect: connection refused"
	if _, ok := errors.AsType[*CannotConnectError](err); !ok || err.Error() != want || logged != "" {
		t.Errorf("%T: %v, logged %q", err, err, logged)
	}
}

func TestALostRefereeIsDialledForInVain(t *testing.T) {
	t.Parallel()
	address, _ := newReferee(t, []script{
		func(guest *guest) error { return guest.say(welcome(nil), seated("a", 1)) },
		func(*guest) error { return status.Error(codes.Unavailable, "gone") },
		func(*guest) error { return status.Error(codes.Unavailable, "gone") },
		func(*guest) error { return status.Error(codes.Unavailable, "gone") },
	})
	_, err := play(t, address, BotFunc(firstIndex), WithReconnectTimeout(250*time.Millisecond))
	want := "no referee answers at " + address + ": gone; the bot dialled again for 0.25 s"
	if _, ok := errors.AsType[*ConnectionLostError](err); !ok || err.Error() != want {
		t.Errorf("%T: %v", err, err)
	}
}

func TestADoneContextEndsTheRunWithGoodbye(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	address, _ := newReferee(t, []script{func(guest *guest) error {
		err := all(guest.expecting(isHello), guest.saying(welcome(nil), seated("a", 1)), guest.expecting(isReady),
			func() error { cancel(); return nil }, guest.expecting(isBye))
		ended <- err
		return err
	}})
	if err := Run(ctx, BotFunc(firstIndex), WithAddress(address)); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the referee saw %v", err)
	}
}

func TestADoneContextEndsTheDialling(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0") // where nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			defer conn.Close()
			cancel()
			<-t.Context().Done()
		}
	}()
	began := time.Now()
	if err := Run(ctx, BotFunc(firstIndex), WithAddress(listener.Addr().String())); err != nil {
		t.Error(err)
	}
	if lasted := time.Since(began); lasted > goodbyeTime {
		t.Errorf("it took %v", lasted)
	}
}

func TestTheNetworkGoesOnWhileTheBotThinks(t *testing.T) {
	t.Parallel()
	acknowledged := make(chan struct{})
	bot := BotFunc(func(*Decision) Answer {
		<-acknowledged
		return Index(0)
	})
	address, _ := newReferee(t, []script{func(guest *guest) error {
		return all(guest.expecting(isHello), guest.saying(welcome(nil), seated("a", 1), decision("a", 1)),
			guest.expecting(isReady), guest.saying(notice(heartbeat)), guest.expecting(isBare),
			func() error { close(acknowledged); return nil }, guest.expecting(isAnswer),
			guest.saying(finished("a", completed)), guest.expecting(isBye))
	}})
	if _, err := play(t, address, bot); err != nil {
		t.Error(err)
	}
}

func TestADrainingRefereeIsLeft(t *testing.T) {
	t.Parallel()
	address, _ := newReferee(t, []script{func(guest *guest) error {
		return all(guest.expecting(isHello), guest.saying(welcome(nil)), guest.saying(notice(draining)),
			guest.expecting(isBye))
	}})
	logged, err := play(t, address, BotFunc(firstIndex))
	if err != nil || logged != "" {
		t.Errorf("%v, logged %q", err, logged)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	made, foreign := newCertificate(t), newCertificate(t)
	pair, err := tls.LoadX509KeyPair(made.certFile, made.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(made.certFile)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(content)
	config := &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert,
	}
	for name, test := range map[string]struct {
		options []Option
		want    string // of the error; empty: it plays
	}{
		"mutual":         {[]Option{WithCA(made.certFile), WithCertificate(made.certFile, made.keyFile)}, ""},
		"no certificate": {[]Option{WithCA(made.certFile)}, "give one and its key (FAIRDEAL_CERT, FAIRDEAL_KEY)"},
		"no TLS":         {nil, "if it speaks TLS, give its CA (FAIRDEAL_CA)"},
		"foreign":        {[]Option{WithCA(foreign.certFile)}, "certificate signed by unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := newReferee(t, []script{playMatch}, grpc.Creds(credentials.NewTLS(config)))
			options := append([]Option{WithConnectTimeout(200 * time.Millisecond)}, test.options...)
			_, err := play(t, address, BotFunc(firstIndex), options...)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAWrongSettingIsToldBeforeDialling(t *testing.T) {
	t.Parallel()
	_, err := play(t, "nowhere", BotFunc(firstIndex))
	if _, ok := errors.AsType[*BadSettingError](err); !ok {
		t.Errorf("%T: %v", err, err)
	}
}
