package fairdeal

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func TestWhatTheEndOfAStreamMeans(t *testing.T) {
	refusing := status.Error(codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp: no\nhope"`)
	for name, test := range map[string]struct {
		err      error
		trailer  metadata.MD
		welcomed bool
		kind     error
		text     string
	}{
		"end": {io.EOF, nil, true, &ConnectionLostError{}, "the referee at A ended the session"},
		"no beginning": {
			io.EOF, nil, false, &ConnectionLostError{}, "the referee at A ended the session before it welcomed the bot; " +
				"check that it is a referee of the same version of fairdeal",
		},
		"reason": {
			status.Error(codes.Unauthenticated, "who?"), metadata.Pairs("fairdeal-reason", "MISSING_TOKEN"), false,
			&RejectedError{}, "the referee at A ended the session: who? (MISSING_TOKEN)",
		},
		"no referee": {
			status.Error(codes.Unimplemented, "unknown service"), nil, false,
			&CannotConnectError{}, "A answers, but it is not a referee: unknown service",
		},
		"nobody": {refusing, nil, false, &notThereError{}, "no referee answers at A: dial tcp: no hope"},
		"gone":   {refusing, nil, true, &ConnectionLostError{}, "the session with the referee at A broke: dial tcp: no hope"},
		"wordless": {
			status.Error(codes.Internal, ""), nil, true,
			&ConnectionLostError{}, "the session with the referee at A broke: Internal",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := meaning(test.err, test.trailer, "A", test.welcomed)
			if err.Error() != test.text || reflect.TypeOf(err) != reflect.TypeOf(test.kind) {
				t.Errorf("%T: %v", err, err)
			}
		})
	}
}

func TestTheIncidentOfARejectionIsKept(t *testing.T) {
	trailer := metadata.Pairs("fairdeal-reason", "INTERNAL", "fairdeal-incident", "i-1")
	rejected, ok := errors.AsType[*RejectedError](meaning(status.Error(codes.Internal, "x"), trailer, "A", true))
	if !ok || rejected.Reason != "INTERNAL" || rejected.Incident != "i-1" {
		t.Errorf("%+v", rejected)
	}
}

func TestWhatAnotherAttemptCannotMend(t *testing.T) {
	for reason, want := range map[string]struct{ playing, idle bool }{
		"MISSING_TOKEN":       {true, true},
		"WRONG_SEAT":          {true, true},
		"WRONG_ROLE":          {true, true},
		"ENDED_BY_ORGANISER":  {true, true},
		"UNSUPPORTED_VERSION": {true, true},
		"PROTOCOL_VIOLATION":  {true, true},
		"MESSAGE_TOO_LARGE":   {true, true},
		"REPLACED":            {true, true},
		"SHUTTING_DOWN":       {false, true},
		"SLOW_READER":         {false, false},
		"INTERNAL":            {false, false},
	} {
		err := &RejectedError{Reason: reason}
		if isFinal(err, true) != want.playing || isFinal(err, false) != want.idle {
			t.Errorf("%s: final must be %v", reason, want)
		}
	}
	if isFinal(&ConnectionLostError{}, false) {
		t.Error("a broken session may be rejoined")
	}
}
