/** The folder in which each run of a bot keeps its lines in files of its own. */

import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const OF_A_RUN = /^\d{8}T\d{6}Z-\d+\.jsonl$/;
const MOST_FILES = 1000;
const MOST_EARLIER = 96 * 2 ** 20; // bytes of earlier files

/** Return the folder in which an entry keeps its lines if nothing is said, with a slash at the end. */
export function usualFolder(entry: string, env: NodeJS.ProcessEnv): string {
  const given = env.XDG_STATE_HOME ?? "";
  const state = given.startsWith("/") ? given : `${env.HOME ?? ""}/.local/state`;
  const name = entry.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 100) || "bot";
  return `${state}/fairdeal/kept/${name}/`;
}

/**
 * Return the path of a new file in a folder, which is made if need be.
 *
 * The oldest files of runs are removed, so that all of them stay below 128 MB or little more.
 */
export function nextIn(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let size = 0;
  const runs = readdirSync(folder).filter((name) => OF_A_RUN.test(name));
  for (const [number, name] of runs.sort().reverse().entries()) {
    const path = join(folder, name);
    size += statSync(path, { throwIfNoEntry: false })?.size ?? 0; // another process removes them, too
    if (size > MOST_EARLIER || number >= MOST_FILES) rmSync(path, { force: true });
  }
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return join(folder, `${time}-${process.pid}.jsonl`);
}
