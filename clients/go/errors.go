package fairdeal

import "fmt"

// The errors of [Run]; errors.As finds them. The text of each is one line for people.

// BadSettingError is an invalid setting; the text names it and what is allowed.
type BadSettingError struct{ text string }

func (e *BadSettingError) Error() string { return e.text }

// CannotConnectError means that no referee answers at the address.
type CannotConnectError struct{ text string }

func (e *CannotConnectError) Error() string { return e.text }

// ConnectionLostError means that the session broke: the referee, or the way to it, is gone.
type ConnectionLostError struct{ text string }

func (e *ConnectionLostError) Error() string { return e.text }

// ProtocolError means that the referee sent something that this version does not understand.
type ProtocolError struct{ text string }

func (e *ProtocolError) Error() string { return e.text }

// RejectedError means that the referee refused the session or ended it.
type RejectedError struct {
	// Reason is one of the protocol's stable reasons, such as MISSING_TOKEN. REPLACED: a newer session of the same
	// entry and instance took over.
	Reason string
	// Incident names the occurrence in the referee's log, if it is not empty.
	Incident string

	text string
}

func (e *RejectedError) Error() string { return e.text }

// notThereError means that nobody answers at the address just now; why is what the network says.
type notThereError struct{ address, why string }

func (e *notThereError) Error() string {
	return fmt.Sprintf("no referee answers at %s: %s", e.address, e.why)
}

func badSetting(format string, items ...any) error {
	return &BadSettingError{fmt.Sprintf(format, items...)}
}

func protocolError(format string, items ...any) error {
	return &ProtocolError{fmt.Sprintf(format, items...)}
}
