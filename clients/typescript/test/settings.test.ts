import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { HELP, parse } from "../src/arguments.js";
import { BadSetting, type Options, type RunOptions } from "../src/index.js";
import { settle } from "../src/settings.js";
import { loadTls } from "../src/tls.js";
import { PACKAGE_VERSION } from "../src/version.js";
import { CERT, KEY } from "./pem.js";

const folder = mkdtempSync(join(tmpdir(), "fairdeal-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const CA = file("cert.pem", CERT);
const OWN = file("key.pem", KEY);
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const OTHER = file("other.pem", String(privateKey.export({ type: "pkcs8", format: "pem" })));
const lock = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" } as const;
const LOCKED = file("locked.pem", String(createPrivateKey(KEY).export(lock)));
const GARBAGE = file("garbage.pem", "no certificate");
const BROKEN = file("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
const MISSING = join(folder, "missing.pem");

const settled = (options: RunOptions, env = {}) => settle(options, "Lowest", false, env);

test("what is not given comes from the environment, or is the default", () => {
  const bare = settled({});
  assert.deepEqual(
    [bare.address, bare.token, bare.seed, bare.tls, bare.connectTimeout, bare.reconnectTimeout],
    ["127.0.0.1:7447", "", "", undefined, 30, 60],
  );
  const { versions, entry, instance, games, tables, matches, events, agent } = bare.hello;
  assert.deepEqual([versions, entry, instance, games, tables, matches, events], [[1], "Lowest", "", [], 64, 0, false]);
  assert.equal(agent, `fairdeal-typescript/${PACKAGE_VERSION}`);
  const env = {
    FAIRDEAL_ADDRESS: "unix:/s",
    FAIRDEAL_TOKEN: "t",
    FAIRDEAL_ENTRY: "e",
    FAIRDEAL_INSTANCE: "i",
    FAIRDEAL_SEED: "s",
    FAIRDEAL_CA: CA,
    FAIRDEAL_CERT: CA,
    FAIRDEAL_KEY: OWN,
  };
  const found = settled({}, env);
  assert.deepEqual(
    [found.address, found.token, found.hello.entry, found.hello.instance, found.seed],
    ["unix:/s", "t", "e", "i", "s"],
  );
  assert.deepEqual([String(found.tls?.ca), String(found.tls?.own?.key)], [CERT, KEY]);
  const given = settled(
    { address: "h:1", token: "", entry: "x", instance: "", seed: "", ca: "", cert: "", key: "" },
    env,
  );
  assert.deepEqual(
    [given.address, given.token, given.hello.entry, given.hello.instance, given.seed, given.tls],
    ["h:1", "", "x", "", "", undefined],
  );
});

for (const address of ["localhost:1", "[::1]:65535", "unix:s", "unix:/a b"]) {
  test(`${address} is an address`, () => assert.equal(settled({ address }).address, address));
}

const BAD: [Options, string][] = [
  [{ address: "" }, "the address is empty: give one, such as 127.0.0.1:7447 or unix:/path"],
  ...["h", ":1", ":0", "h:", "h:x", "h:-1", "unix:"].map((address): [Options, string] => [
    { address },
    `address '${address}': must be HOST:PORT or unix:/PATH`,
  ]),
  ...["h:0", "h:65536", "h:99999", "[::1]:999999"].map((address): [Options, string] => [
    { address },
    `address '${address}': the port must be 1 to 65535`,
  ]),
  [{ tables: 0 }, "tables 0: must be 1 or more"],
  [{ tables: 1.5 }, "tables 1.5: must be 1 or more"],
  [{ tables: 2 ** 32 }, "tables 4294967296: must be 1 or more"],
  [{ matches: -1 }, "matches -1: must be 0, for no limit, or more"],
  [{ connectTimeout: -1 }, "connectTimeout -1: must be 0, to try once, or more"],
  [{ reconnectTimeout: NaN }, "reconnectTimeout NaN: must be 0, for never, or more"],
  [{ token: "a\nb" }, "token: must be printable ASCII"],
  [{ seed: "ü" }, "seed 'ü': must be ASCII"],
];

for (const [options, text] of BAD) {
  test(`a wrong setting: ${text}`, () => assert.throws(() => settled(options), new BadSetting(text)));
}

for (const name of ["matchs", "adress", "toString", "__proto__x"]) {
  test(`an option that is none: ${name}`, () => {
    const options: object = { matches: 1, [name]: 1 };
    const known =
      "address, token, entry, instance, games, tables, matches, seed, ca, cert, key, keep, playForced, connectTimeout," +
      " reconnectTimeout, signal, finish, log";
    const text = `option '${name}': there is none of that name; there are ${known}`;
    assert.throws(() => settled(options), new BadSetting(text));
  });
}

test("the options of a run are no strangers", () => {
  settled({ signal: AbortSignal.timeout(0), log: () => undefined } satisfies RunOptions);
});

const FILES: [string, string, string, string][] = [
  [MISSING, "", "", `CA file ${MISSING}: no such file or directory`],
  [GARBAGE, "", "", `CA file ${GARBAGE}: holds no certificates in PEM`],
  [BROKEN, "", "", `CA file ${BROKEN}: holds no certificates in PEM`],
  [CA, CA, "", `cert ${CA}: its key is missing; give it as key or FAIRDEAL_KEY`],
  [CA, "", OWN, `key ${OWN}: its certificate is missing; give it as cert or FAIRDEAL_CERT`],
  ["", CA, OWN, `cert ${CA}: the certificates to trust are missing; give them as ca or FAIRDEAL_CA`],
  [CA, MISSING, OWN, `cert file ${MISSING}: no such file or directory`],
  [CA, CA, MISSING, `key file ${MISSING}: no such file or directory`],
  ...[OTHER, LOCKED, GARBAGE].map((key): [string, string, string, string] => {
    const text = "are not a certificate and its key in PEM, without a password";
    return [CA, CA, key, `cert file ${CA} and key file ${key}: ${text}`];
  }),
];

for (const [ca, cert, key, text] of FILES) {
  test(`files that will not do: ${text.replaceAll(folder, "")}`, () => {
    assert.throws(() => loadTls(ca, cert, key), new BadSetting(text));
  });
}

const given = (line: string, env = {}) => parse(line.split(" ").filter(Boolean), env, () => "new");

test("the random bot plays one match as random, in an instance of its own", () => {
  const { matches, entry, instance, games, address } = given("") ?? {};
  assert.deepEqual([matches, entry, instance, games, address], [1, "random", "new", [], undefined]);
});

test("its options", () => {
  const line =
    "--connect h:1 --game hearts --matches 0 --tables=3 --seed s --entry e --instance i --connect-timeout .5" +
    " --reconnect-timeout 2";
  assert.deepEqual(given(line), {
    address: "h:1",
    games: ["hearts"],
    matches: 0,
    tables: 3,
    seed: "s",
    entry: "e",
    instance: "i",
    connectTimeout: 0.5,
    reconnectTimeout: 2,
  });
});

const HOSTED: [string, object, number | undefined, string | undefined, string | undefined][] = [
  ["", { FAIRDEAL_ADDRESS: "h:1" }, 0, "random", "new"],
  ["--connect h:1", { FAIRDEAL_ADDRESS: "h:1" }, 1, "random", "new"],
  ["", { FAIRDEAL_ENTRY: "e" }, 1, undefined, undefined],
  ["", { FAIRDEAL_INSTANCE: "i" }, 1, "random", undefined],
  ["--entry e", {}, 1, "e", undefined],
  ["--instance i", {}, 1, "random", "i"],
];

for (const [line, env, matches, entry, instance] of HOSTED) {
  test(`who plays with '${line}' and ${JSON.stringify(env)}`, () => {
    const found = given(line, env);
    assert.deepEqual([found?.matches, found?.entry, found?.instance], [matches, entry, instance]);
  });
}

const WRONG: [string, string][] = [
  ["--speed 3", "unknown argument: --speed"],
  ["hearts", "unknown argument: hearts"],
  ["--connect", "argument --connect: expected one value"],
  ["--connect --game hearts", "argument --connect: expected one value"],
  ["--tables many", "argument --tables: 'many' is not a whole number"],
  ["--matches 1.5", "argument --matches: '1.5' is not a whole number"],
  ["--connect-timeout soon", "argument --connect-timeout: 'soon' is not a number"],
];

for (const [line, text] of WRONG) {
  test(`wrong arguments: ${text}`, () => assert.throws(() => given(line), new BadSetting(text)));
}

test("help", () => {
  assert.equal(given("--game hearts --help"), undefined);
  assert.match(HELP, /--reconnect-timeout SECONDS/);
});

test("the license comes with the package", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
  assert.equal(read("../../LICENSE"), read("../../../../LICENSE"));
});

test("the version is the package's", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  assert.equal((JSON.parse(text) as { version: string }).version, PACKAGE_VERSION);
});

test("what the bot is told is kept in a folder of the user unless another is set", () => {
  const usual = (entry: string, env: NodeJS.ProcessEnv): string => settle({ entry }, "bot", false, env).keep;
  assert.equal(usual("bot", { HOME: "/home/ann" }), "/home/ann/.local/state/fairdeal/kept/bot/");
  assert.equal(usual("bot", { HOME: "/h", XDG_STATE_HOME: "/state" }), "/state/fairdeal/kept/bot/");
  assert.equal(usual("bot", { HOME: "/h", XDG_STATE_HOME: "state" }), "/h/.local/state/fairdeal/kept/bot/");
  assert.equal(usual("../a b", { HOME: "/h" }), "/h/.local/state/fairdeal/kept/___a_b/");
  assert.equal(usual("", {}), "/.local/state/fairdeal/kept/bot/");
  assert.equal(usual("bot", { FAIRDEAL_KEEP: "" }), "");
  assert.equal(settle({ keep: "/kept/" }, "bot", false, {}).keep, "/kept/");
});
