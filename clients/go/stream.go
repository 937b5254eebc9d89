package fairdeal

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fairdeal/fairdeal/clients/go/fairdealv1"
	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const (
	reasonReplaced     = "REPLACED"
	reasonShuttingDown = "SHUTTING_DOWN"
)

// How grpc-go begins what it says of bytes that are not a message.
const unreadable = "grpc: failed to unmarshal the received message"

const asItShouldBe = "is a referee of the same version of fairdeal"

// Reasons that another attempt cannot change.
var finalReasons = map[string]bool{
	"MISSING_TOKEN":       true,
	"WRONG_SEAT":          true,
	"WRONG_ROLE":          true,
	"ENDED_BY_ORGANISER":  true,
	"UNSUPPORTED_VERSION": true,
	"PROTOCOL_VIOLATION":  true,
	"MESSAGE_TOO_LARGE":   true,
	reasonReplaced:        true,
}

// Reasons that may soon be gone, so that even a bot that was not welcomed yet dials again.
var busyReasons = map[string]bool{"RATE_LIMITED": true, "TOO_MANY_SESSIONS": true}

type playStream = grpc.BidiStreamingClient[fairdealv1.PlayRequest, fairdealv1.PlayResponse]

// dial returns a connection to the referee, which is not dialled yet.
func dial(s *settings) (*grpc.ClientConn, error) {
	target := s.address
	if !strings.HasPrefix(target, "unix:") {
		target = "passthrough:///" + target // each attempt looks the host up anew
	}
	transport := insecure.NewCredentials()
	if s.tls != nil {
		transport = credentials.NewTLS(s.tls)
	}
	conn, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(transport),
		// how long one attempt may take
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: grpcbackoff.DefaultConfig, MinConnectTimeout: 5 * time.Second}),
		// servers end connections that ping more often than every five minutes, unless set otherwise
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 310 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<20)),
		grpc.WithDisableRetry(), // a session is not repeated but rejoined
	)
	if err != nil {
		return nil, badSetting("address %q: %v", s.address, err)
	}
	return conn, nil
}

// openStream returns a stream once the referee is reached; it fails at once where nobody answers.
func openStream(ctx context.Context, conn *grpc.ClientConn, token string) (playStream, error) {
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	return fairdealv1.NewPlayServiceClient(conn).Play(ctx)
}

// meaning returns what a stream's end means for the bot, which the referee has welcomed or not.
func meaning(err error, trailer metadata.MD, address string, welcomed bool) error {
	if errors.Is(err, io.EOF) {
		text := "the referee at " + address + " ended the session"
		if !welcomed {
			text += " before it welcomed the bot; check that it " + asItShouldBe
		}
		return &ConnectionLostError{text}
	}
	end := status.Convert(err)
	if strings.HasPrefix(end.Message(), unreadable) {
		return protocolError("the referee sent a frame that is not a message")
	}
	text := plain(end.Message())
	if text == "" {
		text = end.Code().String()
	}
	reason := strings.Join(trailer.Get("fairdeal-reason"), "")
	switch {
	case reason != "":
		return &RejectedError{
			Reason:   reason,
			Incident: strings.Join(trailer.Get("fairdeal-incident"), ""),
			text:     "the referee at " + address + " ended the session: " + text + " (" + reason + ")",
		}
	case end.Code() == codes.Unimplemented:
		return &CannotConnectError{address + " answers, but it is not a referee: " + text}
	case end.Code() == codes.Unavailable && !welcomed:
		return &notThereError{address, text}
	}
	return &ConnectionLostError{"the session with the referee at " + address + " broke: " + text}
}

// plain returns what a text of grpc-go says without its wrapping: connection error: desc = "transport: TEXT".
func plain(text string) string {
	if quoted, isWrapped := strings.CutPrefix(text, "connection error: desc = "); isWrapped {
		if unquoted, err := strconv.Unquote(quoted); err == nil {
			text = strings.TrimPrefix(strings.TrimPrefix(unquoted, "transport: "), "Error while dialing: ")
		}
	}
	return strings.Join(strings.Fields(text), " ") // one line
}

// isFinal reports whether a bot that plays, or one that does not, has no reason to dial again.
func isFinal(err error, isPlaying bool) bool {
	rejected, ok := errors.AsType[*RejectedError](err)
	return ok && (finalReasons[rejected.Reason] || (rejected.Reason == reasonShuttingDown && !isPlaying))
}

// isPassing reports whether a bot that was not welcomed yet has reason to dial again: nobody is there, or too many.
func isPassing(err error) bool {
	if _, isNotThere := errors.AsType[*notThereError](err); isNotThere {
		return true
	}
	rejected, ok := errors.AsType[*RejectedError](err)
	return ok && busyReasons[rejected.Reason]
}
