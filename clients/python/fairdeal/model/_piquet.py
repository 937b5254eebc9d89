"""Deals of piquet in which everything is as a seat has seen it.

Where cards lie is drawn so that all ways are equally likely, as in the other games. What was said in the
dialogue depends on whole hands, and so a deal in which other words would have been said is drawn anew. Cards
that were shown are known, and so is that those which would have been shown with them are somewhere else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fairdeal.actions import Answer, Blank, ChooseCombinations, Declare, Leftovers
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.chance import Chance
from fairdeal.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from fairdeal.events import CombinationDeclared, CombinationsShown, PiquetAnswer
from fairdeal.events import PiquetRound as Round
from fairdeal.model._deals import UnseenPile
from fairdeal.model._state import their_card, their_combination
from fairdeal.model._world import Held, Hidden, World, dealt, played_in, plays_of, suppose, unseen_of
from fairdeal.updates import Seated
from fairdeal.views import PiquetPhase, PiquetView
from referee.cards import Hand, Seat, hand_of
from referee.games import combinations as theirs
from referee.games.piquet.dialogue import declare, further, reply
from referee.games.piquet.events import Declared, PiquetRound
from referee.games.piquet.holdings import combinations_of

_PACK: Final = tuple(card for card in ALL_CARDS if card.rank >= Rank.SEVEN)
_COURTS: Final = frozenset(card for card in _PACK if card.rank in (Rank.JACK, Rank.QUEEN, Rank.KING))
_TRIES: Final = 20_000


def hidden_of_piquet(view: PiquetView, match: Seated, hypothesis: Held) -> Hidden:
    """Return what a seat does not know of a deal of piquet.

    Raises:
        ValueError: no deal fits.
    """
    known = _Known(view, hypothesis)

    def draw(chance: Chance) -> World:
        for _ in range(_TRIES):
            deal = known.draw(chance)
            if (said := known.said(deal, chance)) is not None:
                return World(known.deck(deal, chance), known.answers(deal, said), known.kept)
        raise ValueError(f"in none of {_TRIES} deals the dialogue would be what it was")

    return Hidden(known.unseen, draw, hypothesis)


@dataclass(slots=True)
class _Deal:
    """Where the cards lie that a seat has not seen; ``hand`` is the other's, with what it has played."""

    hand: list[Card]
    aside: list[Card]
    talon: list[Card]


class _Known:
    """What a seat knows of a deal."""

    def __init__(self, view: PiquetView, hypothesis: Held) -> None:
        assert view.seat is not None
        self._view = view
        self._me, self._other = view.seat, 1 - view.seat
        self._younger = 1 - view.elder
        counts = {done.seat: done.count for done in view.exchanges}
        self._count = counts.get(self._other)  # of the other's exchange, None before it
        # what elder looked at, younger draws first
        self._looked_and_taken = view.looked[: self._count or 0] if self._me == view.elder else Cards()
        self._blank: Sequence[Card] = next((each.cards for each in view.blanks if each.seat != self._me), ())
        self._own = _bits([*(card for card in view.dealt if card not in view.discarded), *view.drawn])
        before = self._younger if view.deal > 1 else view.elder
        self.kept = {"totals": view.totals, "elder": Seat(before)}
        self._plays = played_in(view, 2)
        self._find_unseen(hypothesis)

    def draw(self, chance: Chance) -> _Deal:
        """Draw where all cards lie that the seat has not seen."""
        return _Deal(*dealt((self._held, (), ()), self.unseen, chance))

    def _find_unseen(self, hypothesis: Held) -> None:
        """Note what the other holds for certain, and where the other cards may lie."""
        view = self._view
        hand = dict.fromkeys(self._looked_and_taken)
        shown = [each for each in view.shown if each.seat == self._other]
        hand.update(dict.fromkeys([card for each in shown for card in each.cards]))
        not_held = {card for each in shown for one in each.combinations for card in _extending(one)}
        not_held.difference_update(hand)
        for seat, card, trick, place in plays_of(view, 2):
            if seat == self._other:
                hand[card] = None
                if place and card.suit is not trick.led:
                    not_held.update(ALL_CARDS.of(trick.led))
        piles = [UnseenPile(0, not_held), UnseenPile(self._count or 0), UnseenPile(0)]
        if self._blank and self._count is None:
            hand.update(dict.fromkeys(self._blank))
        elif self._blank:
            piles[1].banned.update(set(_PACK).difference(self._blank))
            piles[2].banned.update(self._blank)
        elif any(each.seat == self._other for each in view.blanks):  # claimed, and not proved yet
            not_held.update(_COURTS)
        held = [[*hand], [], []]
        suppose(held, piles, {0: hypothesis.get(self._other, ())})
        own = {*view.dealt, *view.drawn, *view.looked, *view.leftovers}.difference(self._looked_and_taken)
        piles[0].room = 12 - len(held[0])
        piles[2].room = len(_PACK) - len(own) - 12 - piles[1].room
        self.unseen, self._held = unseen_of(held, piles, _PACK, own), held[0]

    def said(self, deal: _Deal, chance: Chance) -> list[Declared] | None:
        """Return what elder declared if the dialogue was as the view has it, else None."""
        view = self._view
        if not view.declarations:
            return []
        other = _bits(deal.hand)
        elder, younger = (self._own, other) if self._me == view.elder else (other, self._own)
        found = []
        for words in view.declarations:
            could = [*self._declarations(words, elder, younger)]
            if not could:
                return None
            found.append(chance.choice(could))
        if view.tricks or view.trick:  # younger has shown all that counts
            for said in found:
                shown = [each for of in self._shown_in(said.round, self._younger) for each in _theirs(of)]
                if {*reply(said, younger=younger)} != {*shown}:
                    return None
        return found

    def _declarations(self, words: CombinationDeclared, elder: Hand, younger: Hand) -> Iterable[Declared]:
        """Yield what elder can have declared, to say these words."""
        in_round = PiquetRound(words.round.value)
        held: Sequence[theirs.Combination | None] = combinations_of(elder, in_round)
        shown: list[list[theirs.Combination]] = []
        if words.answer is PiquetAnswer.GOOD:
            shown = [_theirs(each) for each in self._shown_in(in_round, self._view.elder)]
            held = [each for each in held if each in shown[0]]
        for combination in held if words.length else [None]:
            said = declare(in_round, combination, elder=elder, younger=younger)
            if (said.length, said.value, said.rank, said.answer) != _heard(words):
                continue
            added = {*shown[1]} if len(shown) > 1 else set()
            if combination is None or added <= {*further(combination, in_round, elder=elder)}:
                yield said

    def _shown_in(self, in_round: int, seat: int) -> list[CombinationsShown]:
        return [each for each in self._view.shown if each.seat == seat and each.round.value == in_round]

    def deck(self, deal: _Deal, chance: Chance) -> list[Card]:
        """Return the deck: twelve cards for each seat, then the talon."""
        view = self._view
        drawn = [*self._looked_and_taken]
        may_be_drawn = [card for card in deal.hand if card not in drawn and card not in self._blank]
        if self._count:
            more = self._count - len(drawn)
            drawn += chance.choose(may_be_drawn, more, more)
        dealt = [card for card in [*deal.hand, *deal.aside] if card not in drawn]
        left = chance.choose(deal.talon, len(deal.talon), len(deal.talon))
        if self._me == view.elder:
            left = [*view.looked[len(self._looked_and_taken) :], *left]
            taken = [*view.drawn, *drawn]
        else:
            taken = [*drawn, *view.drawn]
        hands = [view.dealt, dealt] if self._me == 0 else [dealt, view.dealt]
        return [*hands[0], *hands[1], *taken, *(view.leftovers or left)]

    def answers(self, deal: _Deal, said: list[Declared]) -> list[tuple[int, Answer]]:
        """Return all answers of the deal so far."""
        view, elder = self._view, self._view.elder
        answers: list[tuple[int, Answer]] = []
        claimed = {each.seat for each in view.blanks}
        for seat in (elder, self._younger):
            if view.phase is not PiquetPhase.BLANK or seat != self._me == self._younger:
                answers.append((seat, Blank.CLAIM if seat in claimed else Blank.DECLINE))
        for done in view.exchanges:
            answers.append((done.seat, view.discarded if done.seat == self._me else Cards(deal.aside)))
        if (
            view.phase.value > PiquetPhase.LEFTOVERS.value
            and sum([done.count for done in view.exchanges]) < 8
        ):
            answers.append((self._younger, Leftovers.REVEAL if view.leftovers else Leftovers.LEAVE))
        for number, each in enumerate(said, 1):
            words = view.declarations[number - 1]
            answers.append((elder, Declare(None if each.combination is None else _ours(each.combination))))
            may_add = words.answer is PiquetAnswer.GOOD and words.round is not Round.POINT
            if may_add and not (view.phase is PiquetPhase.FURTHER and number == len(said)):
                added = [of.combinations for of in self._shown_in(each.round, elder)[1:]]
                answers.append((elder, ChooseCombinations(*added or [()])))
        return [*answers, *self._plays]


def _extending(combination: Combination) -> list[Card]:
    """Return the cards that would belong to a combination, too, if the hand held them."""
    match combination:
        case PointCombination(suit):
            return [card for card in _PACK if card.suit is suit]
        case SequenceCombination(suit, top, length):
            return [card for card in _PACK if card.suit is suit and card.rank in (top + 1, top - length)]
        case SetCombination(rank, _):
            return [card for card in _PACK if card.rank is rank]


def _heard(words: CombinationDeclared) -> tuple[int, int | None, int | None, int | None]:
    """Return words as the referee's rules have them."""
    rank = None if words.rank is None else words.rank - 2
    return words.length, words.value, rank, None if words.answer is None else words.answer.value


def _bits(cards: Iterable[Card]) -> Hand:
    return hand_of(map(their_card, cards))


def _theirs(shown: CombinationsShown) -> list[theirs.Combination]:
    return [their_combination(each) for each in shown.combinations]


def _ours(combination: theirs.Combination) -> Any:
    match combination:
        case theirs.PointCombination(suit):
            return PointCombination(Suit(suit + 1))
        case theirs.SequenceCombination(suit, top, length):
            return SequenceCombination(Suit(suit + 1), Rank(top + 2), length)
        case theirs.SetCombination(rank, count):
            return SetCombination(Rank(rank + 2), count)
