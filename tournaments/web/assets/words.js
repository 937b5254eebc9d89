// What a person is asked, in words: by the phase of the game, for the answers that there are.

const ROUNDS = ["point", "sequence", "set"]; // of piquet's declarations, in their order

const PROMPTS = {
  pass: (view, asked) => `Choose ${amount(asked)} to pass ${view.direction}`,
  blind: () => "Bid nil before you look at your cards?",
  bid: () => "How many tricks do you bid?",
  upcard: () => "Shall the suit of this card be trump?",
  trump: () => "Name the trump, or pass",
  discard: () => "Choose a card to put away",
  alone: () => "Play alone, or together with your partner?",
  draft: () => "Keep this card, or take the next one unseen?",
  blank: () => "Do you claim a blank?",
  exchange: (view, asked) => `Choose ${amount(asked)} to exchange`,
  leftovers: () => "Reveal what is left over, or leave it?",
  declare: (view) => `Which ${ROUNDS[view.declarations.length] ?? "combination"} do you declare?`,
  further: () => "Which others do you show?",
  play: () => "Play a card",
};

const CONFIRMS = { pass: "Pass", exchange: "Exchange", further: "Show" };

const amount = ({ least, most }) => `${least === most ? most : `${least} to ${most}`} card${most === 1 ? "" : "s"}`;
const words = (text) => text.replaceAll("_", " ");

// Returns the question for a view and what may be answered.
export function prompt(view, asked) {
  return PROMPTS[view.phase]?.(view, asked) ?? `${words(view.phase)}: choose`;
}

// Returns what is written on an answer; that of a point says of how many cards.
export function answerWords({ phase, hand }, text) {
  if (phase === "bid") return text.replace(/^bid /, "");
  if (phase === "blind") return text === "nil" ? "blind nil" : "look at my cards";
  const suit = text.match(/^point in ([cdhs])/)?.[1].toUpperCase();
  return suit ? `${text}, ${hand.filter((card) => card[1] === suit).length} cards` : words(text);
}

// Returns what is written on the button that sends what is chosen, which is named.
export function confirmWords({ phase }, names) {
  const verb = CONFIRMS[phase] ?? "Choose";
  return names ? `${verb} ${names}` : verb;
}
