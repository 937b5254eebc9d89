package fairdeal

import (
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// serverStream is a bot's stream as the referee has it.
type serverStream = grpc.BidiStreamingServer[fairdealv1.PlayRequest, fairdealv1.PlayResponse]

// script is what a referee does in one session.
type script func(bot *guest) error

// referee plays one script after the other, one for each session; it refuses those beyond.
type referee struct {
	fairdealv1.UnimplementedPlayServiceServer
	t       *testing.T
	scripts []script
	dialled atomic.Int32
}

// newReferee returns the address of a referee on loopback.
func newReferee(t *testing.T, scripts []script, options ...grpc.ServerOption) (string, *referee) {
	t.Helper()
	r := &referee{t: t, scripts: scripts}
	server := grpc.NewServer(options...)
	fairdealv1.RegisterPlayServiceServer(server, r)
	return serve(t, server), r
}

func serve(t *testing.T, server *grpc.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// Play plays the next script.
func (r *referee) Play(stream serverStream) error {
	number := int(r.dialled.Add(1)) - 1
	if number >= len(r.scripts) {
		return reject(stream, "PROTOCOL_VIOLATION")
	}
	return r.scripts[number](&guest{stream: stream})
}

// reject returns what ends a session for a reason.
func reject(stream serverStream, reason string) error {
	stream.SetTrailer(metadata.Pairs("fairdeal-reason", reason))
	return status.Error(codes.FailedPrecondition, "no")
}

// guest is a bot in its session.
type guest struct{ stream serverStream }

var errWrongRequest = errors.New("the bot sent what it must not")

// say sends a frame.
func (g *guest) say(updates ...*fairdealv1.Update) error { return g.stream.Send(frame(updates...)) }

// expect reads the next request, which must be so.
func (g *guest) expect(holds func(*fairdealv1.PlayRequest) bool) error {
	request, err := g.stream.Recv()
	if err != nil {
		return err
	}
	if !holds(request) {
		return errWrongRequest
	}
	return nil
}

// hang waits until the bot ends the stream.
func (g *guest) hang() error {
	<-g.stream.Context().Done()
	return nil
}

func isHello(request *fairdealv1.PlayRequest) bool  { return request.GetHello() != nil }
func isReady(request *fairdealv1.PlayRequest) bool  { return len(request.GetReady()) == 1 }
func isAnswer(request *fairdealv1.PlayRequest) bool { return len(request.GetAnswers()) == 1 }
func isBye(request *fairdealv1.PlayRequest) bool    { return request.GetBye() != nil }
func isBare(request *fairdealv1.PlayRequest) bool {
	return !isHello(request) && !isReady(request) && !isAnswer(request) && !isBye(request)
}

// all does one thing after the other until one fails.
func all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (g *guest) saying(updates ...*fairdealv1.Update) func() error {
	return func() error { return g.say(updates...) }
}

func (g *guest) expecting(holds func(*fairdealv1.PlayRequest) bool) func() error {
	return func() error { return g.expect(holds) }
}

// playMatch is a session of one match with one decision, to the bot's goodbye.
func playMatch(bot *guest) error {
	return all(
		bot.expecting(isHello),
		bot.saying(welcome(heartbeatEvery(time.Minute)), seated("a", 1)),
		bot.expecting(isReady),
		bot.saying(decision("a", 1)),
		bot.expecting(isAnswer),
		bot.saying(closed("a", 1), finished("a", completed)),
		bot.expecting(isBye),
	)
}
