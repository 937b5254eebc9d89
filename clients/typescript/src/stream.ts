/** The stream of a session over gRPC, and what its end means. */

import { isIP } from "node:net";
import { checkServerIdentity as check, type PeerCertificate } from "node:tls";

import {
  ChannelCredentials,
  Client,
  Metadata,
  connectivityState,
  logVerbosity,
  setLogVerbosity,
  status as codes,
  type ChannelOptions,
  type ClientDuplexStream,
  type StatusObject,
} from "@grpc/grpc-js";

import { CannotConnect, ConnectionLost, NotThere, Rejected, Replaced, type FairdealError } from "./errors.js";
import type { Settings } from "./settings.js";

// grpc-js writes lines of broken handshakes; whoever sets one of these variables gets them
if (!process.env["GRPC_NODE_VERBOSITY"] && !process.env["GRPC_VERBOSITY"]) setLogVerbosity(logVerbosity.NONE);

const METHOD = "/fairdeal.v1.PlayService/Play";

const CHANNEL_OPTIONS: ChannelOptions = {
  // each attempt dials by itself, at the bot's own pace, whoever else dials the same referee
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  // servers end connections that ping more often than every five minutes, unless set otherwise
  "grpc.keepalive_time_ms": 310_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.max_receive_message_length": 1 << 20,
};
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

// reasons that another attempt cannot change
const FINAL_REASONS = new Set([
  "MISSING_TOKEN",
  "WRONG_SEAT",
  "WRONG_ROLE",
  "ENDED_BY_ORGANISER",
  "UNSUPPORTED_VERSION",
  "PROTOCOL_VIOLATION",
  "MESSAGE_TOO_LARGE",
  "REPLACED",
]);

// reasons that may soon be gone, so that even a bot that was not welcomed yet dials again
const BUSY_REASONS = new Set(["RATE_LIMITED", "TOO_MANY_SESSIONS"]);

// how an error looks when nothing listens at the address
const NOBODY_THERE = /ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|timed out|name resolution/i;

export const AS_IT_SHOULD_BE = "is a referee of the same version of fairdeal";

/** What a stream calls back. */
export interface StreamEvents {
  /** A frame came. */
  frame(bytes: Uint8Array): void;
  /** The stream is over, and no frame follows. */
  end(status: StatusObject): void;
}

/** A stream of its own connection to the referee; it fails at once where nobody answers. */
export class Stream {
  readonly #client: Client;
  readonly #call: ClientDuplexStream<Uint8Array, Buffer>;

  constructor(settings: Settings, events: StreamEvents) {
    const { credentials, options } = dialling(settings);
    this.#client = new Client(settings.address, credentials, options);
    const metadata = new Metadata();
    if (settings.token) metadata.set("authorization", `Bearer ${settings.token}`);
    this.#call = this.#client.makeBidiStreamRequest<Uint8Array, Buffer>(
      METHOD,
      (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      (bytes) => bytes,
      metadata,
    );
    this.#call.on("data", (bytes: Buffer) => events.frame(bytes));
    this.#call.on("error", () => undefined); // the status says the same
    // what came before the status may still be about to be told
    this.#call.on("status", (status: StatusObject) => setImmediate(() => events.end(status)));
  }

  /** Whether the referee was reached. */
  get isConnected(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  send(bytes: Uint8Array): void {
    this.#call.write(bytes);
  }

  /** Say that nothing more is sent. */
  halfClose(): void {
    this.#call.end();
  }

  /** Let go of the stream and its connection. */
  close(): void {
    this.#call.cancel();
    this.#client.close();
  }
}

function dialling({ address, tls }: Settings): { credentials: ChannelCredentials; options: ChannelOptions } {
  const host = address.replace(/:[0-9]+$/, "").replace(/^\[(.*)\]$/, "$1");
  const options = { ...CHANNEL_OPTIONS };
  if (LOOPBACK.has(host)) options["grpc.enable_http_proxy"] = 0;
  if (!tls) return { credentials: ChannelCredentials.createInsecure(), options };
  // Node warns of a server name that is an IP address, so it gets another; the certificate is to name the address
  const isNumber = isIP(host) > 0;
  if (isNumber) options["grpc.ssl_target_name_override"] = "referee";
  const verify = isNumber ? { checkServerIdentity: (_: string, cert: PeerCertificate) => check(host, cert) } : {};
  const { ca, own } = tls;
  return { credentials: ChannelCredentials.createSsl(ca, own?.key ?? null, own?.cert ?? null, verify), options };
}

/** Return what a stream's end means for the bot, which the referee has welcomed or not. */
export function meaning(status: StatusObject, address: string, welcomed: boolean): FairdealError {
  if (status.code === codes.OK) {
    const when = welcomed ? "" : ` before it welcomed the bot; check that it ${AS_IT_SHOULD_BE}`;
    return new ConnectionLost(`the referee at ${address} ended the session${when}`);
  }
  const reason = trailer(status, "fairdeal-reason");
  const text = essence(status.details) || String(codes[status.code]);
  if (reason) {
    const Kind = reason === "REPLACED" ? Replaced : Rejected;
    const what = `the referee at ${address} ended the session: ${text} (${reason})`;
    return new Kind(what, reason, trailer(status, "fairdeal-incident"));
  }
  if (status.code === codes.UNIMPLEMENTED) {
    return new CannotConnect(`${address} answers, but it is not a referee: ${text}`);
  }
  if (status.code === codes.UNAVAILABLE && !welcomed) return new NotThere(address, text);
  return new ConnectionLost(`the session with the referee at ${address} broke: ${text}`);
}

/** Return whether a bot that plays, or one that does not, has no reason to dial again. */
export function isFinal(error: FairdealError, isPlaying: boolean): boolean {
  if (!(error instanceof Rejected)) return false;
  return FINAL_REASONS.has(error.reason) || (error.reason === "SHUTTING_DOWN" && !isPlaying);
}

/** Return whether a bot that was not welcomed yet has reason to dial again: nobody is there, or too many. */
export function isPassing(error: FairdealError): boolean {
  return error instanceof NotThere || (error instanceof Rejected && BUSY_REASONS.has(error.reason));
}

/** Return advice where a server answers, but TLS may be missing on one side, or differ. */
export function hint({ tls }: Settings, why: string): string {
  const hangsUp = /failed to connect|socket|reset|closed|dropped|certificate required/i.test(why);
  if (!tls) return hangsUp ? "; if it speaks TLS, give ca (FAIRDEAL_CA)" : "";
  if (NOBODY_THERE.test(why)) return "";
  const certificate = "; if it wants a certificate, give cert and key (FAIRDEAL_CERT, FAIRDEAL_KEY)";
  return `; check FAIRDEAL_CA, and that the referee speaks TLS${hangsUp && !tls.own ? certificate : ""}`;
}

function trailer(status: StatusObject, name: string): string {
  return String(status.metadata.get(name)[0] ?? "");
}

/** Return the details of a status in one line, without what grpc-js puts around the network's own words. */
function essence(details: string): string {
  const line = details.replace(/\s+/g, " ").trim();
  const last = /^No connection established\. Last error: (?:Error: )?(.+?)\.? Resolution note:/.exec(line)?.[1];
  const alert = /error:[0-9A-F]+:SSL routines:[^:]*:([^:]+):/.exec(line)?.[1];
  if (alert) return `TLS failed: ${alert}`;
  return (last ?? line).replace(/ \([-0-9T:.]+Z\)$/, "");
}
