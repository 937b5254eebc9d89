/** What can go wrong for a bot. */

/** Anything that ends a session other than its own end; the message is one line for people. */
export class FairdealError extends Error {
  constructor(text: string) {
    super(text);
    this.name = new.target.name;
  }
}

/** An invalid setting; the message names it and what is allowed. */
export class BadSetting extends FairdealError {}

/** `act` answered what is not legal. */
export class BadAnswer extends FairdealError {}

/** No referee answers at the address. */
export class CannotConnect extends FairdealError {}

/** Nobody answers at the address just now; `why` is what the network says. */
export class NotThere extends CannotConnect {
  constructor(
    address: string,
    readonly why: string,
  ) {
    super(`no referee answers at ${address}: ${why}`);
  }
}

/** The session broke: the referee, or the way to it, is gone. */
export class ConnectionLost extends FairdealError {}

/** The referee sent something that this version does not understand. */
export class ProtocolError extends FairdealError {}

/**
 * The referee refused the session or ended it. `reason` is one of the protocol's stable reasons, such as
 * `MISSING_TOKEN`; `incident` names the occurrence in the referee's log, if it does.
 */
export class Rejected extends FairdealError {
  constructor(
    text: string,
    readonly reason: string,
    readonly incident = "",
  ) {
    super(text);
  }
}

/** A newer session of the same entry and instance took over. */
export class Replaced extends Rejected {}
