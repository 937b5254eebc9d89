/** Running a bot. */

import { basename, parse } from "node:path";

import { Connection } from "./connection.js";
import { BadSetting, FairdealError } from "./errors.js";
import type { AnyBot } from "./player.js";
import { settle, type RunOptions } from "./settings.js";

/**
 * Do what `run` does as a whole program, and end the process: an error is one line, and an exit status.
 *
 * The line goes to standard error. The status is 2 for a wrong setting, 1 for a session that failed, and else
 * `process.exitCode` or 0. Nothing outlives it, neither a timer of the bot nor an `act` that has not returned.
 */
export async function main(bot: AnyBot, options: RunOptions = {}): Promise<never> {
  return asProgram(basename(process.argv[1] ?? "fairdeal"), () => run(bot, options));
}

/** Do something as a program of that name, which then ends: a FairdealError is one line on standard error. */
export async function asProgram(name: string, program: () => Promise<void>): Promise<never> {
  try {
    await program();
  } catch (error) {
    if (!(error instanceof FairdealError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = error instanceof BadSetting ? 2 : 1;
  }
  process.exit();
}

/**
 * Play with a bot until its matches are over.
 *
 * The first SIGINT or SIGTERM lets the bot finish its matches and take no new ones, a second one ends the run with a
 * goodbye to the referee, and a third one ends the process at once.
 *
 * When the session breaks, the bot comes back by itself and its matches go on: it dials again, after 0.1 seconds at
 * first and later every five, until the referee was gone for `reconnectTimeout` seconds. It answers repeated
 * decisions as before, without another call of `act`. The loss and the return are each a line in the log.
 *
 * An error of the bot, an illegal answer included, is logged with its stack and costs a fault, and the bot plays on.
 *
 * Throws BadSetting when one of the settings is invalid; CannotConnect when no referee answers; ConnectionLost when
 * the session broke and the referee was not back in time; Rejected when the referee refused the session or ended it;
 * ProtocolError when the referee sent something invalid.
 */
export async function run(bot: AnyBot, options: RunOptions = {}): Promise<void> {
  const { signal, finish, log = (line) => process.stderr.write(`fairdeal: ${line}\n`) } = options;
  const isFunction = typeof bot === "function";
  if (!isFunction && typeof bot?.act !== "function") {
    throw new BadSetting("this is not a bot: give a function, or an object with a method act(decision)");
  }
  const settings = settle(options, nameOf(bot), !isFunction && bot.onEvent !== undefined, process.env);
  const connection = new Connection(settings, bot, log);
  const [finishing, stopping] = [() => connection.finish(), () => connection.stop()];
  const releases = [signal ? onAbort(signal, stopping) : onSignals(finishing, stopping)];
  if (finish) releases.push(onAbort(finish, finishing));
  try {
    await connection.run();
  } finally {
    releases.forEach((release) => release());
  }
}

function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return () => signal.removeEventListener("abort", stop);
}

/** Call `first` and `second` at the first and the second SIGINT or SIGTERM; a third one does what it does by default. */
function onSignals(first: () => void, second: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  let isFirst = true;
  const handle = (): void => {
    if (isFirst) {
      isFirst = false;
      first();
    } else {
      release();
      second();
    }
  };
  const release = (): void => signals.forEach((each) => process.off(each, handle));
  signals.forEach((each) => process.on(each, handle));
  return release;
}

/** Return the name of a bot's class or function, or without one that of the program. */
function nameOf(bot: AnyBot): string {
  const name = typeof bot === "function" ? bot.name : bot.constructor.name;
  return name === "" || name === "Object" ? parse(process.argv[1] ?? "bot").name : name;
}
