// Frames as `referee/viewer/frames.py` writes them: each holds what has changed since the one before.

// Returns all frames in full: {at, thought, text, public, seats, asked}; what is not told is left as it was.
export function expand(data) {
  let known = {};
  let seats = data.entries.map(() => ({}));
  let deal = 0;
  return data.frames.map((frame) => {
    known = changed(known, frame.public);
    seats = seats.map((seat, number) => changed(seat, frame.seats?.[number]));
    const before = deal;
    deal = known.deal ?? deal;
    return { thought: {}, asked: {}, ...frame, public: known, seats, deal, isNewDeal: deal !== before };
  });
}

// Returns what the seats are called: by their entries, with the number of the seat where an entry has several.
export function namesOf({ entries }) {
  const several = (entry) => entries.filter((each) => each === entry).length > 1;
  return entries.map((entry, seat) => (several(entry) ? `${entry} (seat ${seat})` : entry));
}

// What steers a screen or turns text around, and half characters.
const FOUL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const LONGEST = 60; // characters of a name: those of tournaments are shorter

// Returns data with names as they may be shown, each on one line.
export const withNames = (data) => ({ ...data, entries: data.entries.map(asShown) });

// Returns a name without what could alter the text around it: one that is not plain stands for itself, between
// marks that isolate its direction.
export function asShown(name) {
  const all = [...String(name).replace(FOUL, "\ufffd")];
  const text = all.length > LONGEST ? `${all.slice(0, LONGEST - 1).join("")}\u2026` : all.join("");
  return /^[ -~]*$/.test(text) ? text : `\u2068${text}\u2069`;
}

function changed(was, changes) {
  const now = { ...was, ...changes };
  for (const name in changes) if (changes[name] === null) delete now[name];
  return now;
}

// Returns what one seat sees, or with null as the seat what everybody knows.
export function viewOf(frame, seat) {
  return seat === null ? frame.public : { ...frame.public, ...frame.seats[seat] };
}
