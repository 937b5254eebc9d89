"""Rubicon piquet in words."""

from typing import Final

from fairdeal.cards import Rank
from fairdeal.events import CombinationDeclared, CombinationsShown, PiquetRound
from fairdeal.updates import Decision, Seated
from fairdeal.views import PiquetPhase, PiquetView
from fairdeal.words._frame import (
    Places,
    Question,
    amount,
    card_question,
    counted,
    hand,
    tricks,
)
from fairdeal.words._names import Names

RULES_VERSION: Final = 1
OPTIONS: Final = frozenset({"rubicon"})
LOWEST: Final = Rank.SEVEN
TITLE: Final = "Rubicon piquet"


def rules(match: Seated, names: Names) -> list[str]:
    """Return the rules of a match, a paragraph each."""
    ace, king, queen, jack, ten = (
        names.rank(rank) for rank in (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN)
    )
    return [
        "Two players: you and the opponent. The higher score wins.",
        "The players deal in turn. The dealer is the younger hand, the other the elder. Each has twelve"
        " cards; the last eight are the talon, face down. A deal goes: blanks, elder's exchange, younger's"
        " exchange, the cards left over, three declarations, twelve tricks.",
        f"A blank is a hand of twelve without {king}, {queen} and {jack}, as dealt. Elder is asked first,"
        " then younger. Who holds one may claim it for 10 points, or decline. Elder's cards are shown at"
        " once, younger's after elder's exchange. A blank that is not claimed is worth nothing.",
        "The exchange: elder puts one to five cards aside, unseen, and takes as many from the top of the"
        " talon; if fewer than five, it looks at the rest of those five, which stay there. Then younger"
        " puts aside any number up to what is left of the talon, or none, and takes as many from its top."
        " The number exchanged is public. If cards are left over, younger turns all of them up for both, or"
        " leaves all of them.",
        "The declarations: in three rounds (point, sequence, set) elder declares one combination that it"
        " holds, or nothing. It need not be its best, but it must be whole: all its cards of a suit, a run"
        " that cannot be made longer, all its cards of a rank. A point is the cards of one suit; the longer"
        f" is better, then the higher value ({_values(names)}). A sequence is three or more consecutive"
        " cards of one suit; the longer is better, then the higher top card. A set is three or four cards"
        f" of the rank {ace}, {king}, {queen}, {jack} or {ten}; four is better than three, then the higher"
        " rank.",
        "Younger's answers are true and given by the referee from younger's best combination. Elder first"
        " says only the length of a point or a sequence, or the number and rank of a set. Not good: younger"
        " has a better one. Good: younger cannot match it. At equal length elder also says the value or the"
        " top card, and then it is good, not good or equal. If good, elder's combination is shown and"
        " scored, and in the rounds of sequence and set elder may add others of that kind that do not rank"
        " above it. If not good, or if elder declared nothing, younger shows and scores all its"
        " combinations of that round after elder's first lead. If equal, nobody scores in that round.",
        "A point scores its number of cards; a sequence of three or four as many, one of five or more its"
        " length and 10; a set of four 14, of three 3.",
        "Play: elder leads to the first of twelve tricks, then the winner of the last trick. There are no"
        " trumps. A player who has a card of the suit led must play one; else it may play any card. The"
        " higher card of the suit led takes the trick.",
        "Elder scores 1 for its first lead. A trick scores 1 for a player who led to it and took it, 2 for"
        " one who took it from the other's lead. Seven to eleven tricks score 10 more (the cards), all"
        " twelve score 40 more instead (the capot).",
        "Points are booked in the order blank, point, sequence, set, lead and tricks. Repique: a player"
        " whose account reaches 30 by the sets while the other's is 0 scores 60 more. Pique: elder scores"
        " 30 more if its account reaches 30 with lead and tricks while younger's is 0. Nobody gets both in"
        " one deal; cards and capot count towards neither.",
        _end(match),
    ]


def _values(names: Names) -> str:
    tens = ", ".join(names.rank(rank) for rank in (Rank.KING, Rank.QUEEN, Rank.JACK))
    low = ", ".join(f"{names.rank(rank)} {rank.value}" for rank in (Rank.NINE, Rank.EIGHT, Rank.SEVEN))
    return f"{names.rank(Rank.ACE)} 11; {tens} and {names.rank(Rank.TEN)} 10 each; {low}"


def _end(match: Seated) -> str:
    if match.deals is not None:
        return (
            f"This match has exactly {counted(match.deals, 'deal')}: the higher total wins, equal totals"
            " draw. There is no settlement."
        )
    rubicon = match.options["rubicon"]
    return (
        "The match is six deals. If the totals are equal, two more are played, and if they still are, it is"
        f" a draw. Otherwise the higher total wins, and is settled: if the loser has {rubicon} points or"
        " more, the winner scores 100 and the difference of the totals, else 100 and their sum."
    )


def situation(view: PiquetView, places: Places, names: Names) -> list[str]:
    """Return what the seat knows, a line each."""
    role = "elder" if view.elder == places.seat else "younger"
    lines = [
        f"Deal {view.deal}. You are {role}.",
        f"Totals before this deal: {places.by_seat(view.totals)}.",
        f"Points booked in this deal so far: {places.by_seat(view.points)}.",
    ]
    for blank in view.blanks:
        shown = f" and showed {names.cards(blank.cards)}" if blank.cards else ""
        lines.append(f"{places[blank.seat].capitalize()} claimed a blank{shown}.")
    lines += _exchange(view, places, names)
    lines += [_declared(each, names) for each in view.declarations]
    lines += [_shown(each, places, names) for each in view.shown]
    for bonus in view.bonuses:
        name = "the cards" if bonus.bonus.name == "CARDS" else bonus.bonus.name.lower()
        lines.append(f"{places[bonus.seat].capitalize()} scored {bonus.points} for {name}.")
    leads = view.phase is PiquetPhase.PLAY
    lines += tricks(view.tricks, view.trick, lambda trick: places.trick(trick, names), leads=leads)
    lines.append(hand(view.hand, names))
    return lines


def _exchange(view: PiquetView, places: Places, names: Names) -> list[str]:
    lines = [
        f"{places[each.seat].capitalize()} exchanged {counted(each.count, 'card')}."
        for each in view.exchanges
    ]
    if view.discarded:
        lines.append(f"You put aside {names.cards(view.discarded)} and drew {names.cards(view.drawn)}.")
    if view.looked:
        lines.append(f"You looked at {names.cards(view.looked)}, which stayed in the talon.")
    if view.leftovers:
        lines.append(f"Cards left over, turned up for both: {names.cards(view.leftovers)}.")
    return lines


def _declared(made: CombinationDeclared, names: Names) -> str:
    kind = made.round.name.lower()
    if not made.length:
        return f"{kind.capitalize()}: elder declared nothing."
    if made.round is PiquetRound.SET:
        rank = names.rank(made.rank) if made.rank else ""
        said = f"elder declared {made.length} of the rank {rank}"
    else:
        said = f"elder declared a {kind} of {made.length}"
        if made.value:
            said += f", value {made.value}"
        if made.rank:
            said += f", top card {names.rank(made.rank)}"
    answer = f"; {made.answer.name.lower().replace('_', ' ')}" if made.answer else ""
    return f"{kind.capitalize()}: {said}{answer}."


def _shown(shown: CombinationsShown, places: Places, names: Names) -> str:
    who = places[shown.seat].capitalize()
    return (
        f"{who} showed and scored {shown.points} in {shown.round.name.lower()}: {names.cards(shown.cards)}."
    )


def question(view: PiquetView, decision: Decision, names: Names) -> Question:
    """Return what is asked."""
    match view.phase:
        case PiquetPhase.BLANK:
            return Question("Claim a blank if you hold one, or decline.", '"claim" or "decline"')
        case PiquetPhase.EXCHANGE:
            number = amount(decision)
            return Question(f"Choose {number} cards of your hand to exchange.", "a list of the cards")
        case PiquetPhase.LEFTOVERS:
            text = "Cards of the talon are left over: turn all of them up for both, or leave all of them."
            return Question(text, '"reveal" or "leave"')
        case PiquetPhase.DECLARE:
            rounds = (PiquetRound.POINT, PiquetRound.SEQUENCE, PiquetRound.SET)
            kind = rounds[min(len(view.declarations), 2)].name.lower()
            text = f"Declare a {kind}, or nothing."
            return Question(text, f"a list of all cards of the {kind}, or an empty list for nothing")
        case PiquetPhase.FURTHER:
            kind = view.declarations[-1].round.name.lower() if view.declarations else "combination"
            text = f"Your {kind} is good. Name further ones of that kind that you declare, or none."
            return Question(text, "a list with a list of cards for each, empty for none")
    return card_question(names)
