"""Rubicon piquet: the rules.

Source: the article on piquet of the Encyclopaedia Britannica
(https://britannica.com/EBchecked/topic/461477/piquet), read where it is silent with the Laws of Piquet of the
Portland and Turf Clubs. Two players, 32 cards (A K Q J T 9 8 7), six deals, together a partie. Who began as
dealer deals every other one. The dealer is younger, the other elder. In nine points:

1. The deal. Twelve cards each; the eight left are the talon, drawn from its top.
2. The blank. Twelve dealt cards without king, queen and jack are worth 10 to a player who claims them, at the
   price of showing them: elder at once, younger when elder has exchanged. Both are asked, whatever they hold.
3. The exchange. Elder changes one to five cards, and looks at what it left of the top five. Younger changes
   any number that the talon still has, or none. What is then left over it turns up for both, or for nobody.
4. The dialogue: point, sequence, set. In each elder declares one combination that it holds, or none, and
   younger answers truly. A good one scores and is shown; in sequence and set elder may then add others that
   do not outrank it. Of points and sequences only the length is said first, value or top if both are as long.
5. Points of combinations. A point: its length. A sequence of three or more: its length, and ten more from
   five cards on. Four of a rank from ten up: 14, three: 3. Equal points or sequences score for nobody.
6. Tricks. Elder leads and scores 1 for it. Younger then shows and scores all it has in the rounds where
   elder's word was not good, or where elder passed. Follow suit if able; the highest card of the suit led
   takes the trick, its player leads the next; no trumps. A trick is 1 to the player who led it, else 2.
7. Repique and pique. Accounts run in the order blank, point, sequences, sets, play. 30 in combinations before
   the other has anything: 60 more. 30 by combinations and play, likewise: 30 more, for elder only, since its
   lead counts before any trick. Never both.
8. Cards and capot. 10 for seven tricks or more, 40 instead for all twelve.
9. The end. Equal totals after six deals: two more; then a draw. The winner of the partie is paid 100 and the
   difference of the totals, or, when the loser did not reach the rubicon of 100, 100 and their sum.

The scores of a whole game are that settlement: the winner's payment, 0 for the loser, 0 for both in a draw
(after eight deals, and then flagged as capped). A match of a fixed number of deals has neither extra deals
nor settlement: its scores are the totals.

Departures from what is often played: the player drawn to begin deals; younger need not exchange, and decides
about the left-overs before the dialogue; elder proves a blank before anybody exchanges; a blank need not be
claimed; elder may sink anything by passing or by declaring less, but only whole combinations, and younger
sinks nothing; only cards that score are shown; there is no separate point for the last trick; who is asked
what never depends on the cards; repique and pique are made known with younger's combinations at the earliest.

Of the deck seat 0 takes the first twelve cards, seat 1 the next; the last eight are the talon, top first.
"""

from collections.abc import Sequence
from operator import add
from typing import Final

from referee.cards import CARD_MASKS, EMPTY, Card, Hand, Seat, cards_of, hand_of
from referee.games.actions import (
    NOTHING,
    SUIT_PLAYS,
    Action,
    Blank,
    BlankChoice,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    Declare,
    Leftovers,
    LeftoversChoice,
    Legal,
    LegalActions,
    PlayCard,
    plays,
)
from referee.games.base import Event, Result, State, finish
from referee.games.combinations import Combination
from referee.games.errors import IllegalAction
from referee.games.events import CARDS_PLAYED, TRICKS_TAKEN, DealScored
from referee.games.options import Option, Options, number
from referee.games.piquet.dialogue import declare, further, reply
from referee.games.piquet.events import (
    BlankClaimed,
    CombinationsShown,
    Dealt,
    Declared,
    Exchanged,
    LeftoversSettled,
    Phase,
    PiquetAnswer,
    PiquetRound,
)
from referee.games.piquet.holdings import cards_in, combinations_of, is_blank
from referee.games.piquet.ledger import Ledger
from referee.games.piquet.scoring import TRICKS, combination_points, settlement
from referee.games.tricks import TrickPlay

OPTIONS: Final = (
    Option(
        name="rubicon",
        default=100,
        minimum=0,
        maximum=1000,
        help="The loser of the partie who has fewer points than this pays the sum of both totals.",
    ),
)

SEATS: Final = (Seat(0), Seat(1))

_HAND: Final = 12
_ELDERS_SHARE: Final = 5
_PARTIE: Final = 6
_EXTENDED_PARTIE: Final = 8
_PLAY: Final = Phase.PLAY  # members of an enum are slow to look up by name
_DECLINE: Final = Blank(BlankChoice.DECLINE)
_BLANK: Final = LegalActions((Blank(BlankChoice.CLAIM), _DECLINE))
_NO_BLANK: Final = LegalActions((_DECLINE,))
_LEFTOVERS: Final = LegalActions(tuple(Leftovers(choice) for choice in LeftoversChoice))


class PiquetState(State):
    """One match of piquet in progress.

    The attributes are for `view` to read; only the methods here change them. ``dealt`` and ``hands`` are by
    seat; the lists of events are those of the deal in play.
    """

    __slots__ = (
        "_deals",
        "_rubicon",
        "_talon",
        "blanks",
        "deal_number",
        "dealt",
        "declarations",
        "elder",
        "exchanges",
        "hands",
        "ledger",
        "leftovers",
        "needs_deck",
        "phase",
        "shown",
        "totals",
        "tricks",
    )

    phase: Phase
    deal_number: int
    needs_deck: bool

    def __init__(self, options: Options, *, deals: int | None, first: Seat) -> None:
        self._rubicon = number(options, "rubicon")
        self._deals = deals
        self._due, self._result = (), None
        self.deal_number = 0
        self.needs_deck = True
        self.elder = SEATS[1 - first]
        self.totals: tuple[int, ...] = (0, 0)
        self._clear((EMPTY, EMPTY), ())

    def _clear(self, hands: Sequence[Hand], talon: Sequence[Card]) -> None:
        self.phase = Phase.BLANK
        self.dealt = tuple(hands)
        self.hands = list(hands)
        self._talon = tuple(talon)
        self.blanks: list[BlankClaimed] = []
        self.exchanges: list[Exchanged] = []
        self.leftovers: tuple[Card, ...] = ()
        self.declarations: list[Declared] = []
        self.shown: list[CombinationsShown] = []
        self.tricks = TrickPlay(SEATS, self.elder)
        self.ledger = Ledger(self.elder)

    @property
    def younger(self) -> Seat:
        """Return the seat that dealt."""
        return SEATS[1 - self.elder]

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: twelve cards of the deck to each seat, the rest to the talon; the deal alternates."""
        self.deal_number += 1
        self.needs_deck = False
        if self.deal_number > 1:
            self.elder = self.younger
        hands = [hand_of(deck[_HAND * seat : _HAND * seat + _HAND]) for seat in SEATS]
        self._clear(hands, deck[_HAND * len(SEATS) :])
        self._due = (self.elder,)
        return [Dealt(self.deal_number, self.elder, tuple(map(cards_of, hands)), self._talon)]

    @property
    def points(self) -> tuple[int, ...]:
        """Return the points booked in this deal so far, by seat, bonuses included."""
        return self.ledger.points

    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        if seat not in self._due:
            return NOTHING
        if self.phase is _PLAY:
            return self.legal_play(seat)
        match self.phase:
            case Phase.BLANK:
                return self.legal_blank(seat)
            case Phase.EXCHANGE:
                return self.legal_exchange(seat)
            case Phase.LEFTOVERS:
                return self.legal_leftovers()
            case Phase.DECLARE:
                return self.legal_declare(seat)
        return self.legal_further(seat)

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""
        if type(action) is PlayCard:
            return self.apply_play(seat, action.card)
        match action:
            case Blank(choice):
                return self.apply_blank(seat, choice)
            case ChooseCards(cards):
                return self.apply_exchange(seat, cards)
            case Leftovers(choice):
                return self.apply_leftovers(choice)
            case Declare(combination):
                return self.apply_declare(combination)
            case ChooseCombinations(combinations):
                return self.apply_further(combinations)
        raise IllegalAction(f"piquet knows no {type(action).__name__}")

    # The blank

    def legal_blank(self, seat: Seat) -> LegalActions:
        """Claim a blank that was dealt, or decline; without one only decline."""
        return _BLANK if is_blank(self.dealt[seat]) else _NO_BLANK

    def apply_blank(self, seat: Seat, choice: BlankChoice) -> list[Event]:
        """Claim a blank, which elder proves at once, or decline, which no event shows."""
        if seat == self.younger:
            self.phase, self._due = Phase.EXCHANGE, (self.elder,)
        else:
            self._due = (self.younger,)
        if choice == BlankChoice.DECLINE:
            return []
        claimed = BlankClaimed(seat, ())
        self.blanks.append(claimed)
        return [claimed if seat == self.younger else self._prove()]

    def _prove(self) -> BlankClaimed:
        """Show the cards of the blank that was claimed; there are too few low cards for two."""
        seat = self.blanks[0].seat
        self.blanks[0] = BlankClaimed(seat, cards_of(self.dealt[seat]))
        self.ledger.blank(seat)
        return self.blanks[0]

    # The exchange

    @property
    def _left(self) -> tuple[Card, ...]:
        """Return the cards of the talon that nobody has drawn, in order."""
        return self._talon[sum(len(done.drawn) for done in self.exchanges) :]

    def legal_exchange(self, seat: Seat) -> Choose:
        """Choose one to five cards as elder, as younger none to as many as are left in the talon."""
        hand = cards_of(self.hands[seat])
        if seat == self.elder:
            return Choose(hand, 1, _ELDERS_SHARE)
        return Choose(hand, 0, len(self._left))

    def apply_exchange(self, seat: Seat, cards: tuple[Card, ...]) -> list[Event]:
        """Exchange cards; elder looks at the rest of its share, and younger's blank is then proved."""
        count = len(cards)
        drawn = self._left[:count]
        looked = self._talon[count:_ELDERS_SHARE] if seat == self.elder else ()
        self.hands[seat] = self.hands[seat] & ~hand_of(cards) | hand_of(drawn)
        done = Exchanged(seat, tuple(sorted(cards)), drawn, looked)
        self.exchanges.append(done)
        if seat == self.elder:
            self._due = (self.younger,)
            if self.blanks and self.blanks[0].seat == self.younger:
                return [done, self._prove()]
        elif self._left:
            self.phase = Phase.LEFTOVERS  # which are younger's, too
        else:
            self.phase, self._due = Phase.DECLARE, (self.elder,)
        return [done]

    def legal_leftovers(self) -> LegalActions:
        """Reveal all cards left over or leave them all."""
        return _LEFTOVERS

    def apply_leftovers(self, choice: LeftoversChoice) -> list[Event]:
        """Reveal the cards left over to both, or leave them unseen."""
        self.phase, self._due = Phase.DECLARE, (self.elder,)
        if choice == LeftoversChoice.REVEAL:
            self.leftovers = self._left
        return [LeftoversSettled(choice, self.leftovers)]

    # The dialogue

    @property
    def round(self) -> PiquetRound:
        """Return the round in which elder declares next."""
        return PiquetRound(len(self.declarations) + 1)

    def legal_declare(self, seat: Seat) -> LegalActions:
        """Declare nothing or one combination of the round, the best or not."""
        held = combinations_of(self.hands[seat], self.round)
        return LegalActions((Declare(None), *map(Declare, held)))

    def apply_declare(self, combination: Combination | None) -> list[Event]:
        """Declare and be answered; score at once what is good."""
        elder, younger = self.hands[self.elder], self.hands[self.younger]
        declared = declare(self.round, combination, elder=elder, younger=younger)
        self.declarations.append(declared)
        if combination is None or declared.answer != PiquetAnswer.GOOD:
            self._next_round()
            return [declared]
        if declared.round == PiquetRound.POINT:
            self._next_round()
        else:
            self.phase = Phase.FURTHER
        return [declared, self._show(self.elder, declared.round, (combination,))]

    def legal_further(self, seat: Seat) -> ChooseFurther:
        """Add any of the combinations that do not outrank the one declared; there may be none."""
        last = self.declarations[-1]
        assert last.combination is not None  # it was good
        others = further(last.combination, last.round, elder=self.hands[seat])
        return ChooseFurther(others, 0, len(others))

    def apply_further(self, combinations: tuple[Combination, ...]) -> list[Event]:
        """Score further combinations; choosing none is told to nobody."""
        last = self.declarations[-1]
        self._next_round()
        if not combinations:
            return []
        others = combinations_of(self.hands[self.elder], last.round)
        # in the order of the hand, since the order of choosing must not show
        chosen = tuple(other for other in others if other in combinations)
        return [self._show(self.elder, last.round, chosen)]

    def _next_round(self) -> None:
        self.phase = Phase.DECLARE if len(self.declarations) < len(PiquetRound) else Phase.PLAY

    def _show(
        self, seat: Seat, in_round: PiquetRound, combinations: tuple[Combination, ...]
    ) -> CombinationsShown:
        hand = self.hands[seat]
        made_of = [cards_in(hand, combination) for combination in combinations]
        points = sum(
            combination_points(combination, len(some))
            for combination, some in zip(combinations, made_of, strict=True)
        )
        self.ledger.combinations(seat, in_round, points)
        shown = CombinationsShown(seat, in_round, combinations, points, tuple(sorted(sum(made_of, ()))))
        self.shown.append(shown)
        return shown

    # Play

    def legal_play(self, seat: Seat) -> LegalActions:
        """Follow suit if able, else play any card."""
        hand = self.hands[seat]
        same = hand & self.tricks.led_cards
        return SUIT_PLAYS[same] if same else plays(hand)

    def apply_play(self, seat: Seat, c: Card) -> list[Event]:
        """Play a card; younger shows its combinations after elder's first; the last trick ends the deal."""
        opens = not self.tricks.complete and not self.tricks.cards
        self.hands[seat] ^= CARD_MASKS[c]
        events: list[Event] = [CARDS_PLAYED[seat][c]]
        if opens:
            events += [*self._younger_shows(), *self.ledger.lead()]
        trick = self.tricks.play(c)
        winner = self.tricks.turn
        self._due = (winner,)
        if trick is None:
            return events
        events += [TRICKS_TAKEN[winner], *self.ledger.trick(trick)]
        if len(self.tricks.complete) == TRICKS:
            events += self._end_play()
        return events

    def _younger_shows(self) -> list[Event]:
        shown: list[Event] = []
        for declared in self.declarations:
            if combinations := reply(declared, younger=self.hands[self.younger]):
                shown.append(self._show(self.younger, declared.round, combinations))
        return shown

    # The end of a deal

    def _end_play(self) -> list[Event]:
        taken = [sum(trick.winner == seat for trick in self.tricks.complete) for seat in SEATS]
        return [*self.ledger.end(taken), self._score()]

    def _score(self) -> DealScored:
        points = self.points
        self.totals = tuple(map(add, self.totals, points))
        over = self.deal_number in (_PARTIE, _EXTENDED_PARTIE)
        result = finish(
            self.totals,
            low_wins=False,
            played=self.deal_number,
            decided=over and self.totals[0] != self.totals[1],
            deals=self._deals,
            max_deals=_EXTENDED_PARTIE,
        )
        if result is not None and self._deals is None:
            result = Result(settlement(self.totals, rubicon=self._rubicon), result.ranks, result.capped)
        self._result = result
        self.needs_deck, self._due = result is None, ()
        return DealScored(self.deal_number, points, self.totals)
