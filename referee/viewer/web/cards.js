// Cards as SVG, drawn here: no fonts or pictures are loaded.

const SVG = "http://www.w3.org/2000/svg";
const SUITS = {
  C: ["clubs", "M12 2a5 5 0 0 0-4.4 7.4A5 5 0 1 0 11 16.6c0 2.4-.8 4-2.4 5.4h6.8C13.8 20.6 13 19 13 16.6a5 5 0 1 0 3.4-7.2A5 5 0 0 0 12 2z"],
  D: ["diamonds", "M12 1 20 12 12 23 4 12z"],
  H: ["hearts", "M12 22C5 16 2 12.500 2 8.300A5.300 5.300 0 0 1 12 5.700 5.300 5.300 0 0 1 22 8.300C22 12.500 19 16 12 22z"],
  S: ["spades", "M12 1c5 5.200 9.500 8.600 9.500 12.800a4.600 4.600 0 0 1-8.500 2.500c.1 2.400.9 4.200 2.500 5.700h-7c1.600-1.500 2.400-3.300 2.500-5.700a4.600 4.600 0 0 1-8.500-2.500C2.500 9.600 7 6.200 12 1z"],
};
const RANKS = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };

function shape(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

// Returns the name of a card in words, such as "queen of spades" for QS.
export function cardWords(card) {
  const suit = SUITS[card[1]];
  return suit ? `${RANKS[card[0]] ?? card[0]} of ${suit[0]}` : card;
}

// Returns a card as an element; `marks` are classes: "legal", "dim", "won", "small".
export function drawCard(card, ...marks) {
  const svg = shape("svg", { viewBox: "0 0 60 84", role: "img", "aria-label": cardWords(card), "data-card": card });
  const suit = SUITS[card[1]];
  svg.setAttribute("class", ["card", suit?.[0], ...marks].filter(Boolean).join(" "));
  shape("rect", { x: 1, y: 1, width: 58, height: 82, rx: 6, class: "face" }, svg);
  const rank = shape("text", { x: 5, y: 24, class: "rank" }, svg);
  rank.textContent = card[0] === "T" ? "10" : card[0];
  if (!suit) return svg;
  shape("path", { d: suit[1], transform: "translate(5 29) scale(.62)", class: "pip" }, svg);
  shape("path", { d: suit[1], transform: "translate(19 35) scale(1.5)", class: "pip" }, svg);
  return svg;
}

const BY_SUIT = "SHCD";
const BY_RANK = "AKQJT98765432";

// Returns cards in the order in which a player holds them: by suit, colours in turn, high cards first.
export function asHeld(cards) {
  const place = (card) => BY_SUIT.indexOf(card[1]) * 20 + BY_RANK.indexOf(card[0]);
  return [...cards].sort((one, other) => place(one) - place(other));
}
