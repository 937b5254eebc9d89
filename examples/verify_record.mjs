#!/usr/bin/env node
// Checks the cards of match records without anything of fairdeal, in one file for Node 18 or later.
//
//     node verify_record.mjs FILE_OR_FOLDER...
//     node verify_record.mjs --told COMMITMENT MANIFEST FILE     what a bot was told when it was seated
//
// It was written from docs/dealing.md, docs/records.md and "The deal" on the pages of the rules alone. It checks
// that the secret at the end of a record opens the commitment, that the manifest binds what the header says, that
// every deck follows from the secret, who begins, that no card is played that was not dealt, nor twice, and that the
// records of a folder have one commitment an epoch. It does not replay the match: fairdeal record verify does. Exit status 0 if all records are right, 1 if one is not,
// 2 if there is nothing to check at a place.

import { createHash, createHmac } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

const REVEAL_RULE = "when no match of the epoch is unplayed";
const HIGH = "9TJQKA";
const ALL = "23456789TJQKA";

// Each game: its seats, the ranks of its pack, the cards of each hand, what of a line `dealt` is the rest of the deck
// after the hands, and who it says begins.
const GAMES = {
  hearts: { seats: 4, ranks: ALL, hand: 13, rest: () => [], begins: () => null },
  spades: { seats: 4, ranks: ALL, hand: 13, rest: () => [], begins: (dealt) => dealt.dealer },
  euchre: {
    seats: 4,
    ranks: HIGH,
    hand: 5,
    rest: (dealt) => [dealt.upcard, ...dealt.unseen],
    begins: (dealt) => dealt.dealer,
  },
  piquet: {
    seats: 2,
    ranks: "789TJQKA",
    hand: 12,
    rest: (dealt) => dealt.talon,
    begins: (dealt) => 1 - dealt.elder, // the dealer is drawn, and is the younger hand
  },
  two_handed_spades: {
    seats: 2,
    ranks: ALL,
    hand: 0,
    rest: (dealt) => dealt.stock,
    begins: (dealt) => dealt.first,
  },
};

class Wrong extends Error {}

// The scheme

const u32be = (n) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
};
const enc = (...items) =>
  Buffer.concat(items.map((item) => Buffer.from(item)).flatMap((item) => [u32be(item.length), item]));
const hash = (...items) => createHash("sha256").update(enc(...items)).digest();
const mac = (key, ...items) => createHmac("sha256", key).update(enc(...items)).digest();

function* stream(key, label) {
  for (let j = 0; ; j++) yield* mac(key, label, u32be(j));
}

function draw(bytes, n) {
  if (n === 1) return 0;
  const limit = 256 - (256 % n);
  for (;;) {
    const byte = bytes.next().value;
    if (byte < limit) return byte % n;
  }
}

const packOf = (ranks) => [..."CDHS"].flatMap((suit) => [...ranks].map((rank) => rank + suit));

function deckOf(root, ranks, deal) {
  const cards = packOf(ranks);
  const bytes = stream(mac(root, "fairdeal/1/deal", u32be(deal)), "fairdeal/1/stream");
  for (let i = cards.length - 1; i > 0; i--) {
    const j = draw(bytes, i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  }
  return cards;
}

// JSON with sorted names and no blanks; the values are numbers, texts and truth values
const canonical = (value) => {
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`).join(",")}}`;
};

function epochDigest(header, commitment) {
  const { epoch_id: epoch } = header.commitment;
  const options = canonical(header.options);
  const deals = u32be(header.deals ?? 0);
  const fields = ["fairdeal/1", epoch, header.game, options, deals, "", "none", REVEAL_RULE, commitment];
  return hash("fairdeal/1/manifest", ...fields);
}

// What each scheme makes of the epoch digest: the digest of the manifest that the bots are told.
const MANIFESTS = {
  "fairdeal/1": (_header, _secret, epoch) => epoch,
  "fairdeal/2": (header, secret, epoch) =>
    mac(
      secret,
      "fairdeal/2/manifest",
      "fairdeal/2",
      epoch,
      header.match_id,
      u32be(header.attempt),
      u32be(header.rules_version),
      canonical(header.clock),
      canonical(header.faults),
      String(header.event_grid ?? 0),
      enc(...header.entries),
      enc(...header.instances),
      header.commitment.repeatable ? "repeatable" : "drawn",
    ),
};

// One record

const records = []; // match id, attempt and SHA-256 of those that are right
const commitments = new Map(); // by folder of records and epoch

function same(what, expected, found) {
  if (expected !== found) throw new Wrong(`${what}: expected ${expected}, found ${found}`);
}

// The cards of a hand stand in the order of the pack, the others in that of the deck.
function checkDealt(where, game, deck, dealt) {
  const pack = packOf(game.ranks);
  const hands = dealt.hands ?? [];
  same(`${where}: the number of hands`, game.hand ? game.seats : 0, hands.length);
  hands.forEach((hand, seat) => {
    const own = new Set(deck.slice(seat * game.hand, (seat + 1) * game.hand));
    same(`${where}: the hand of seat ${seat}`, pack.filter((card) => own.has(card)).join(" "), hand.join(" "));
  });
  const rest = deck.slice(hands.length * game.hand);
  same(`${where}: the rest of the deck`, rest.join(" "), game.rest(dealt).join(" "));
}

function check(path, told) {
  const data = readFileSync(path);
  const text = gunzipSync(data).toString("utf8");
  const lines = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const [header, reveal] = [lines[0], lines.at(-1)];
  if (header?.type !== "header" || reveal.type !== "reveal") throw new Wrong("it is not a whole record");
  same("the format", "fairdeal-record/1", header.format);
  const game = GAMES[header.game];
  if (!game) throw new Wrong(`this program does not know the game ${header.game}`);
  const manifestOf = MANIFESTS[header.commitment.scheme];
  if (!manifestOf) throw new Wrong(`this program does not know the scheme ${header.commitment.scheme}`);
  if (!header.epoch) same("the epoch", `${header.match_id}.${header.attempt}`, header.commitment.epoch_id);

  if (!/^[0-9a-f]{64}$/.test(reveal.secret)) throw new Wrong("the secret is not 32 bytes in hexadecimal");
  const secret = Buffer.from(reveal.secret, "hex");
  const commitment = hash("fairdeal/1/commit", header.commitment.epoch_id, secret);
  same("the commitment", header.commitment.commit, commitment.toString("hex"));
  const folder = dirname(path).replace(/[\\/][0-9a-f]{2}$/, ""); // records lie in it, or in folders by hash within
  const key = `${folder} ${header.commitment.epoch_id}`;
  if (!commitments.has(key)) commitments.set(key, header.commitment.commit);
  same("the commitment to its epoch in other records", commitments.get(key), header.commitment.commit);
  const epoch = epochDigest(header, commitment);
  const manifest = manifestOf(header, secret, epoch).toString("hex");
  same("the manifest", header.commitment.manifest, manifest);
  if (told) {
    same("the commitment that was told", told[0], header.commitment.commit);
    same("the manifest that was told", told[1], manifest);
  }

  const root = mac(secret, "fairdeal/1/root", epoch, "", "");
  const first = draw(stream(root, "fairdeal/1/first"), game.seats);
  let deals = 0;
  let left = new Set();
  lines.forEach((line, index) => {
    const where = `line ${index + 1}`;
    if (line.type === "dealt") {
      same(`${where}: the number of the deal`, deals + 1, line.deal);
      const deck = deckOf(root, game.ranks, deals);
      checkDealt(where, game, deck, line);
      const begins = game.begins(line);
      if (begins !== null) same(`${where}: who begins`, (first + deals) % game.seats, begins);
      left = new Set(deck);
      deals++;
    } else if (line.type === "card_played" && !left.delete(line.card)) {
      throw new Wrong(`${where}: ${line.card} is played and is not in the deck any more`);
    }
  });
  records.push([header.match_id, header.attempt, createHash("sha256").update(data).digest("hex")]);
  return `${header.game}, ${header.commitment.scheme}, ${deals} deal${deals === 1 ? "" : "s"}`;
}

// The digest over all records of a tournament, which its standings tell
function digestOf(all) {
  const before = ([id, attempt], [other, another]) => (id === other ? attempt - another : id < other ? -1 : 1);
  const lines = [...all].sort(before).map((each) => `${each.join(" ")}\n`);
  return createHash("sha256").update(lines.join("")).digest("hex");
}

// The command line

const recordsIn = (place) =>
  statSync(place).isDirectory()
    ? readdirSync(place, { withFileTypes: true })
        .filter((each) => each.isDirectory() || /^[^.].*\.jsonl\.gz$/.test(each.name))
        .sort((one, other) => (one.name < other.name ? -1 : 1))
        .flatMap((each) => recordsIn(join(place, each.name)))
    : [place];

const words = process.argv.slice(2);
const told = words[0] === "--told" ? words.splice(0, 3).slice(1) : null;
if (!words.length) {
  console.error("usage: node verify_record.mjs [--told COMMITMENT MANIFEST] FILE_OR_FOLDER...");
  process.exit(2);
}
const counts = { right: 0, wrong: 0 };
let paths;
try {
  paths = words.flatMap(recordsIn);
} catch (error) {
  const why = error.code === "ENOENT" ? "there is no such file or folder" : `cannot be read (${error.code})`;
  console.error(`verify_record.mjs: ${error.path}: ${why}`);
  process.exit(2);
}
for (const path of paths) {
  try {
    const what = check(path, told);
    counts.right++;
    console.log(`${path}: cards right: ${what}`);
  } catch (error) {
    counts.wrong++;
    console.log(`${path}: wrong: ${error.message}`);
  }
}
console.log(`the cards of ${counts.right} right, of ${counts.wrong} wrong`);
if (counts.right) console.log("not checked: play and scores, which fairdeal record verify checks");
if (counts.right > 1 && !counts.wrong) console.log(`digest: ${digestOf(records)}`);
process.exit(counts.wrong || !counts.right ? 1 : 0);
