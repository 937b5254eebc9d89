/** The command line of the random bot. */

import { BadSetting } from "./errors.js";
import type { Options } from "./settings.js";

export const HELP = `usage: fairdeal-random-bot [OPTION]...

Play at a referee with a bot that answers at random.

  --connect ADDRESS            the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS
  --game G                     the game to play; by default all
  --matches N                  how many matches to play, 0 for no limit
  --tables N                   how many at once; by default 64
  --seed S                     what the bot draws from; by default FAIRDEAL_SEED
  --entry E                    the entry that plays; by default FAIRDEAL_ENTRY or random
  --instance I                 tells several sessions of one entry apart
  --connect-timeout SECONDS    how long a referee that is not there is dialled; by default 30
  --reconnect-timeout SECONDS  how long to dial a lost referee again, 0 for never; by default 60
  --help                       show this and exit
`;

const VALUES = [
  "connect",
  "game",
  "matches",
  "tables",
  "seed",
  "entry",
  "instance",
  "connect-timeout",
  "reconnect-timeout",
] as const;

type Given = Partial<Record<(typeof VALUES)[number], string>>;

/**
 * Return what the arguments say, undefined when they ask for help.
 *
 * Throws BadSetting when there is no such option, or its value is invalid.
 */
export function parse(argv: readonly string[], env: NodeJS.ProcessEnv, newInstance: () => string): Options | undefined {
  const given = read(argv);
  if (!given) return undefined;
  const isNamed = given.entry !== undefined || env["FAIRDEAL_ENTRY"] !== undefined;
  const isTold = given.instance !== undefined || env["FAIRDEAL_INSTANCE"] !== undefined;
  const isHosted = given.connect === undefined && env["FAIRDEAL_ADDRESS"] !== undefined;
  return {
    address: given.connect,
    games: given.game === undefined ? [] : [given.game],
    matches: count(given, "matches") ?? (isHosted ? 0 : 1),
    tables: count(given, "tables"),
    seed: given.seed,
    entry: isNamed ? given.entry : "random",
    // several of one name do not replace each other
    instance: isNamed || isTold ? given.instance : newInstance(),
    connectTimeout: seconds(given, "connect-timeout"),
    reconnectTimeout: seconds(given, "reconnect-timeout"),
  };
}

/** Return the values by option, undefined for help; both `--option VALUE` and `--option=VALUE` will do. */
function read(argv: readonly string[]): Given | undefined {
  const given: Given = {};
  const left = [...argv];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === "--help" || word === "-h") return undefined;
    const [, option, inline] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const name = VALUES.find((each) => each === option);
    if (!name) throw new BadSetting(`unknown argument: ${word}`);
    const value = inline ?? left.shift();
    if (value === undefined || (inline === undefined && value.startsWith("--"))) {
      throw new BadSetting(`argument --${name}: expected one value`);
    }
    given[name] = value;
  }
  return given;
}

function count(given: Given, name: keyof Given): number | undefined {
  return number(given, name, /^[+-]?\d+$/, "a whole number");
}

function seconds(given: Given, name: keyof Given): number | undefined {
  return number(given, name, /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, "a number");
}

function number(given: Given, name: keyof Given, form: RegExp, what: string): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (form.test(value)) return Number(value);
  throw new BadSetting(`argument --${name}: '${value}' is not ${what}`);
}
