/** What a referee tells, as frames. */

import { v1 } from "../src/index.js";
import { Session, type Update } from "../src/session.js";

type Kind = NonNullable<v1.Update["kind"]>;
type Fields<T> = Partial<T>;

export const frame = (...updates: Kind[]): Uint8Array =>
  v1.PlayResponse.encode({ updates: updates.map((kind) => ({ kind })) }).finish();

export const welcome = (fields: Fields<v1.Welcome> = {}): Kind => ({
  $case: "welcome",
  value: v1.Welcome.create({ version: 1, ...fields }),
});

export const seated = (matchId = "m1", fields: Fields<v1.Seated> = {}): Kind => ({
  $case: "seated",
  value: v1.Seated.create({ matchId, attempt: 1, game: "hearts", seat: v1.Seat.SEAT_2, ...fields }),
});

export const happened = (sequence: number, matchId = "m1"): Kind => ({
  $case: "happened",
  value: v1.Happened.create({ matchId, event: { sequence } }),
});

export const actions = (...list: v1.Action[]): v1.Legal => ({ kind: { $case: "actions", value: { actions: list } } });

export const decision = (decisionId = 1, matchId = "m1", fields: Fields<v1.Decision> = {}): Kind => ({
  $case: "decision",
  value: { ...v1.Decision.create({ matchId, decisionId }), legal: actions(bidding(1), bidding(2)), ...fields },
});

export const bidding = (tricks: number): v1.Action => ({ kind: { $case: "bid", value: tricks } });

export const closed = (decisionId = 1, matchId = "m1", fields: Fields<v1.Closed> = {}): Kind => ({
  $case: "closed",
  value: v1.Closed.create({ matchId, decisionId, reason: v1.CloseReason.ANSWERED, ...fields }),
});

export const refused = (decisionId: number, matchId = "m1", fields: Fields<v1.Refused> = {}): Kind => ({
  $case: "refused",
  value: v1.Refused.create({ matchId, decisionId, reason: v1.Reason.STALE_DECISION, text: "too late", ...fields }),
});

export const finished = (matchId = "m1", termination = v1.Termination.COMPLETED): Kind => ({
  $case: "finished",
  value: v1.Finished.create({ matchId, termination }),
});

export const notice = (kind: v1.NoticeKind, text = ""): Kind => ({
  $case: "notice",
  value: v1.Notice.create({ kind, text }),
});

export const index = (value: number, decisionId = 1, matchId = "m1"): v1.Answer => ({
  matchId,
  decisionId,
  answer: { $case: "index", value },
  note: new Uint8Array(),
});

/** Return a session, welcomed, with its hello sent. */
export function welcomed(hello: Fields<v1.Hello> = {}, ...more: Kind[]): Session {
  const session = new Session(v1.Hello.create({ versions: [1], entry: "e", tables: 64, ...hello }), "seed");
  session.takeFrames();
  session.receive(frame(welcome(), ...more));
  return session;
}

/** Return what the session sends now. */
export const sent = (session: Session): v1.PlayRequest[] =>
  session.takeFrames().map((bytes) => v1.PlayRequest.decode(bytes));

/** Return the decisions among updates. */
export const asked = (updates: readonly Update[]) =>
  updates.flatMap((update) => (update.kind === "decision" ? [update.decision] : []));
