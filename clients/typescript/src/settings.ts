/** Where and how a bot plays: what `run` was given, else what the environment says, else the default. */

import { isAscii } from "./chance.js";
import { BadSetting } from "./errors.js";
import { usualFolder } from "./folder.js";
import { loadTls, type Tls } from "./tls.js";
import { Hello } from "./v1.js";
import { PACKAGE_VERSION, PROTOCOL_VERSION } from "./version.js";

export const DEFAULT_ADDRESS = "127.0.0.1:7447"; // where `fairdeal serve` listens

const MAX_COUNT = 2 ** 32 - 1;

/** Where and how to play. What is not given comes from the environment, where a variable is named. */
export interface Options {
  /** `host:port` or `unix:/path`; FAIRDEAL_ADDRESS, or else 127.0.0.1:7447, where `fairdeal serve` listens. */
  address?: string | undefined;
  /** FAIRDEAL_TOKEN. */
  token?: string | undefined;
  /** The entry that plays; FAIRDEAL_ENTRY, or else the name of the bot's class or function, or of the program. */
  entry?: string | undefined;
  /** Tells several sessions of one entry apart; FAIRDEAL_INSTANCE. */
  instance?: string | undefined;
  /** The games to play; by default all. */
  games?: readonly string[] | undefined;
  /** How many tables to play at once; 64. */
  tables?: number | undefined;
  /** How many matches to play; 0, the default, is no limit. */
  matches?: number | undefined;
  /** What `decision.chance` draws from; FAIRDEAL_SEED. */
  seed?: string | undefined;
  /** A file with the certificates to trust, for TLS; FAIRDEAL_CA. */
  ca?: string | undefined;
  /** A file with the bot's own certificate, for mutual TLS; FAIRDEAL_CERT. */
  cert?: string | undefined;
  /** A file with its key; FAIRDEAL_KEY. */
  key?: string | undefined;
  /**
   * A file to which lines are appended that show afterwards what the bot was told and answered, or with a slash at the
   * end a folder of such files; empty: none. FAIRDEAL_KEEP, or else ~/.local/state/fairdeal/kept/ENTRY/.
   */
  keep?: string | undefined;
  /** Whether what has one legal answer is played without a call of `act`; false. */
  playForced?: boolean | undefined;
  /** How long to dial a referee that does not answer yet, in seconds; 30. */
  connectTimeout?: number | undefined;
  /** How long to dial a lost referee again, in seconds; 60. 0: never. */
  reconnectTimeout?: number | undefined;
}

/** Options of `run`. */
export interface RunOptions extends Options {
  /** Ends the run with a goodbye to the referee once it is aborted; SIGINT and SIGTERM are then ignored. */
  signal?: AbortSignal | undefined;
  /** Lets the bot finish its matches and take no new ones once it is aborted, as the first SIGINT or SIGTERM does. */
  finish?: AbortSignal | undefined;
  /** Gets lines about the session and the bot's failures; by default they go to standard error, after `fairdeal: `. */
  log?: ((line: string) => void) | undefined;
}

const NAMES: Record<keyof RunOptions, true> = {
  address: true,
  token: true,
  entry: true,
  instance: true,
  games: true,
  tables: true,
  matches: true,
  seed: true,
  ca: true,
  cert: true,
  key: true,
  keep: true,
  playForced: true,
  connectTimeout: true,
  reconnectTimeout: true,
  signal: true,
  finish: true,
  log: true,
};

/** Where and how a bot plays, settled. */
export interface Settings {
  readonly address: string;
  readonly token: string;
  readonly seed: string;
  readonly keep: string;
  readonly playForced: boolean;
  readonly tls: Tls | undefined;
  readonly connectTimeout: number;
  readonly reconnectTimeout: number;
  readonly hello: Hello;
}

/**
 * Return the settings; `name` is the bot's own, used when no entry is set, `events` whether it wants events.
 *
 * Throws BadSetting when one of them is invalid; the message names it.
 */
export function settle(options: RunOptions, name: string, events: boolean, env: NodeJS.ProcessEnv): Settings {
  const unknown = Object.keys(options).find((each) => !Object.hasOwn(NAMES, each));
  if (unknown !== undefined) {
    throw new BadSetting(`option '${unknown}': there is none of that name; there are ${Object.keys(NAMES).join(", ")}`);
  }
  const found = (given: string | undefined, variable: string, otherwise = ""): string =>
    given ?? env[variable] ?? otherwise;
  const entry = found(options.entry, "FAIRDEAL_ENTRY", name);
  const { tables = 64, matches = 0, connectTimeout = 30, reconnectTimeout = 60 } = options;
  const settings = {
    address: found(options.address, "FAIRDEAL_ADDRESS", DEFAULT_ADDRESS),
    token: found(options.token, "FAIRDEAL_TOKEN"),
    seed: found(options.seed, "FAIRDEAL_SEED"),
    keep: found(options.keep, "FAIRDEAL_KEEP", usualFolder(entry, env)),
    playForced: options.playForced ?? false,
    tls: loadTls(
      found(options.ca, "FAIRDEAL_CA"),
      found(options.cert, "FAIRDEAL_CERT"),
      found(options.key, "FAIRDEAL_KEY"),
    ),
    connectTimeout,
    reconnectTimeout,
    hello: Hello.create({
      versions: [PROTOCOL_VERSION],
      entry,
      instance: found(options.instance, "FAIRDEAL_INSTANCE"),
      games: [...(options.games ?? [])],
      tables,
      matches,
      events,
      agent: `fairdeal-typescript/${PACKAGE_VERSION}`,
      redirects: true,
    }),
  };
  const problem = problemOf(settings);
  if (problem) throw new BadSetting(problem);
  return settings;
}

/** Return the address that a bot is sent to by a referee which it dialled at `address`. */
export function placeOf(sentTo: string, address: string): string {
  if (sentTo.startsWith(":")) return address.slice(0, address.lastIndexOf(":")) + sentTo;
  return sentTo || address;
}

function problemOf({ address, token, seed, connectTimeout, reconnectTimeout, hello }: Settings): string | undefined {
  if (!address) return `the address is empty: give one, such as ${DEFAULT_ADDRESS} or unix:/path`;
  const addressProblem = problemOfAddress(address);
  if (addressProblem) return `address '${address}': ${addressProblem}`;
  if (!isCount(hello.tables) || hello.tables < 1) return `tables ${hello.tables}: must be 1 or more`;
  if (!isCount(hello.matches)) return `matches ${hello.matches}: must be 0, for no limit, or more`;
  if (!(connectTimeout >= 0)) return `connectTimeout ${connectTimeout}: must be 0, to try once, or more`;
  if (!(reconnectTimeout >= 0)) return `reconnectTimeout ${reconnectTimeout}: must be 0, for never, or more`;
  if (!/^[ -~]*$/.test(token)) return "token: must be printable ASCII";
  if (!isAscii(seed)) return `seed '${seed}': must be ASCII`;
  return undefined;
}

function isCount(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_COUNT;
}

function problemOfAddress(address: string): string | undefined {
  if (/^unix:./s.test(address)) return undefined;
  const port = /^(?!unix:).+:([0-9]+)$/s.exec(address)?.[1];
  if (port === undefined) return "must be HOST:PORT or unix:/PATH";
  return Number(port) > 0 && Number(port) < 65536 ? undefined : "the port must be 1 to 65535";
}
