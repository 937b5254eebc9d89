"""Euchre in words."""

from typing import Final

from fairdeal.actions import Alone, UpcardCall
from fairdeal.cards import Cards, Rank, Suit, left_bower
from fairdeal.updates import Decision, Seated
from fairdeal.views import EuchrePhase, EuchreView
from fairdeal.words._frame import Places, Question, card_question, end_of_match, grouped, tricks
from fairdeal.words._names import Names

RULES_VERSION: Final = 1
OPTIONS: Final = frozenset(
    {
        "target",
        "stick_the_dealer",
        "defenders_may_go_alone",
        "maker_partner_may_go_alone",
        "dealer_may_discard_upcard",
        "max_deals",
    }
)
LOWEST: Final = Rank.NINE
TITLE: Final = "Euchre"


def rules(match: Seated, names: Names) -> list[str]:
    """Return the rules of a match, a paragraph each."""
    options = match.options
    jack, ten, nine = (names.rank(rank) for rank in (Rank.JACK, Rank.TEN, Rank.NINE))
    high = ", ".join(names.rank(rank) for rank in (Rank.ACE, Rank.KING, Rank.QUEEN))
    right, left = ("", "") if names.is_other else (", the right bower", ", the left bower")
    aside = "may" if options["dealer_may_discard_upcard"] else "may not"
    last = (
        "The dealer, who is last, must name a suit."
        if options["stick_the_dealer"]
        else "If the dealer passes too, the deal is void: nobody scores, and the next player deals."
    )
    return [
        "Four players, clockwise: you, left, partner, right. You and your partner are one side, left and"
        " right the other. Scores belong to a side; the higher score wins.",
        "Each player has five cards. One more card is turned up, the upcard; three stay unseen. After each"
        " deal the player on the dealer's left deals.",
        "First round of calls: from the dealer's left, clockwise, each player accepts the suit of the"
        " upcard as trump or passes, once. The first to accept is the maker and ends the round. The dealer"
        f" then takes the upcard and puts one of its six cards aside, unseen; this {aside} be the upcard"
        " itself.",
        "Second round, only after four passes: in the same order each names one of the three other suits as"
        f" trump and is the maker, or passes. {last}",
        f"Alone: next the maker says whether it plays alone or together with its partner. {_others(match)}"
        " The partner of a player who plays alone sits out the deal.",
        "Play: five tricks, clockwise, with a card of every player who does not sit out. The player on the"
        " dealer's left leads first, or if it sits out the next who plays; then the winner of the last"
        " trick.",
        f"The highest trump is the {jack} of trumps{right}. Next comes the other {jack} of the same"
        f" colour{left}: it is a trump in every respect and no card of the suit written on it"
        f" ({names.colours}). Below them come {high}, {ten}, {nine}. In other suits the order is {high},"
        f" {jack}, {ten}, {nine}.",
        "A lead may be any card. A player who has a card of the suit led must play one; else it may play"
        " any card. The highest trump takes the trick, without trumps the highest card of the suit led.",
        "Scores: if the maker's side takes three or four tricks it scores 1; if it takes all five it scores"
        " 2, or 4 if one of its players was alone. If it takes fewer than three, the other side scores 2,"
        " or 4 if that side took all five and one of its players was alone.",
        end_of_match(
            match,
            f"The first side with {options['target']} points or more after a deal wins. After"
            f" {options['max_deals']} deals without an end the higher score wins, equal scores draw.",
        ),
    ]


def _others(match: Seated) -> str:
    """Return who is asked after the maker."""
    defenders = match.options["defenders_may_go_alone"]
    partner = match.options["maker_partner_may_go_alone"]
    order = "in order from the dealer's left"
    if defenders and partner:
        return f"Then the others are asked, {order}, except a player whose partner plays alone."
    if defenders:
        return f"Then the maker's opponents are asked, {order}, except one whose partner plays alone."
    if partner:
        return "Then the maker's partner is asked if the maker does not play alone; the opponents are not."
    return "Nobody else may play alone."


def situation(view: EuchreView, places: Places, names: Names) -> list[str]:
    """Return what the seat knows, a line each."""
    lines = [
        f"Deal {view.deal}. The dealer: {places[view.dealer]}.",
        f"Scores before this deal: {places.by_side(view.scores)}.",
    ]
    if view.upcard:
        lines.append(f"The upcard: {names.card(view.upcard)}{_fate(view)}.")
    order = [(view.dealer + each) % 4 for each in range(1, 5)]
    if view.upcard_calls:
        calls = [f"{places[seat]} {_past(call.name)}" for seat, call in zip(order, view.upcard_calls)]  # noqa: B905 - not all have called
        lines.append(f"First round: {', '.join(calls)}.")
    if view.trump_calls:
        calls = [
            f"{places[seat]} {f'named {names.suit(call.suit)}' if call.suit else 'passed'}"
            for seat, call in zip(order, view.trump_calls)  # noqa: B905
        ]
        lines.append(f"Second round: {', '.join(calls)}.")
    if view.trump and view.maker is not None:
        lines.append(f"Trump: {names.suit(view.trump)}. The maker: {places[view.maker]}.")
    if view.discarded:
        lines.append(f"You took the upcard and put aside {names.card(view.discarded)}.")
    if view.alone:
        said = [f"{places[made.seat]} {made.choice.name.lower()}" for made in view.alone]
        lines.append(f"Alone or together: {', '.join(said)}.")
    if view.sitting_out:
        lines.append(f"Sitting out: {', '.join(places[seat] for seat in view.sitting_out)}.")
    if view.phase is EuchrePhase.PLAY:
        lines.append(f"Tricks taken: {places.by_side(view.taken)}.")
        lines += tricks(
            view.tricks,
            view.trick,
            lambda trick: places.trick(trick, names, view.seats_of(trick)),
            leads=True,
        )
    lines.append(_hand(view, names))
    return lines


def _fate(view: EuchreView) -> str:
    if UpcardCall.ACCEPT in view.upcard_calls:
        return ", taken by the dealer"
    return ", turned down" if len(view.upcard_calls) == 4 else ""


def _past(call: str) -> str:
    return "accepted" if call == UpcardCall.ACCEPT.name else "passed"


def _hand(view: EuchreView, names: Names) -> str:
    """Return the line on one's own hand: the left bower stands with the trumps."""
    trump = view.trump

    def strength(card: object) -> tuple[bool, bool, object]:
        right = trump is not None and card is Cards.parse(f"J{trump}")[0]
        left = trump is not None and card is left_bower(trump)
        return right, left, card

    suits = [
        (
            f"{names.suit(suit)}{' (trump)' if suit is trump else ''}",
            Cards(
                sorted((card for card in view.hand if view.suit_of(card) is suit), key=strength, reverse=True)
            ),
        )
        for suit in Suit
    ]
    return f"Your hand, {len(view.hand)} card{'s' * (len(view.hand) != 1)}: {grouped(suits, names)}."


def question(view: EuchreView, decision: Decision, names: Names) -> Question:
    """Return what is asked."""
    match view.phase:
        case EuchrePhase.UPCARD:
            suit = names.suit(view.upcard.suit) if view.upcard else ""
            return Question(
                f"Accept the suit of the upcard, {suit}, as trump, or pass.", '"accept" or "pass"'
            )
        case EuchrePhase.TRUMP:
            return Question("Name trump, or pass if you may.", 'the suit as a word, or "pass"')
        case EuchrePhase.DISCARD:
            return Question("You took the upcard: put one card of your hand aside.", "a list with the card")
        case EuchrePhase.ALONE:
            text = "Play this deal alone or together with your partner."
            return Question(
                text, " or ".join(f'"{each.name.lower()}"' for each in (Alone.ALONE, Alone.TOGETHER))
            )
    return card_question(names)
