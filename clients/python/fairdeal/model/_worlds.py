"""Deals in which everything is as a seat has seen it, all equally likely."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from operator import index
from types import MappingProxyType
from typing import Any, Final, SupportsIndex

from fairdeal.actions import Answer, Bid, Blind, Draft, UpcardCall
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.chance import Chance
from fairdeal.errors import BadSetting
from fairdeal.events import PassDirection
from fairdeal.model._deals import UnseenPile
from fairdeal.model._piquet import hidden_of_piquet
from fairdeal.model._state import State, action_of, check_kept, start, their_card
from fairdeal.model._world import (
    Held,
    Hidden,
    World,
    dealt,
    played_in,
    plays_of,
    suppose,
    tricks_of,
    unseen_of,
)
from fairdeal.updates import Decision, Seated
from fairdeal.views import (
    EuchrePhase,
    EuchreView,
    HeartsPhase,
    HeartsView,
    PiquetView,
    SpadesView,
    TwoHandedSpadesView,
)
from referee.cards import Seat
from referee.games.base import check_deck
from referee.games.errors import GameError, no_such
from referee.games.registry import game as rules_of

_SPADES: Final = frozenset(ALL_CARDS.of(Suit.SPADES))
_POINTS: Final = frozenset(ALL_CARDS.of(Suit.HEARTS)) | {Card("QS")}
_EUCHRE: Final = tuple(card for card in ALL_CARDS if card.rank >= Rank.NINE)
_WEIGHED: Final = 1_000
"""How many deals a weight may refuse in a row."""

_PASSES: Final = {PassDirection.LEFT: 1, PassDirection.RIGHT: 3, PassDirection.ACROSS: 2}


def worlds(
    decision: Decision,
    count: int,
    *,
    held: Held = MappingProxyType({}),
    weight: Callable[[State], float] = lambda state: 1,
) -> list[State]:
    """Return ``count`` possible deals at a decision, drawn from ``decision.chance``.

    Each is as far as the real one, and all that the seat has seen of this deal is so in it: cards, calls,
    bids, passes, exchanges, declarations, and suits that somebody did not follow. All such deals are equally
    likely, or, with a ``weight``, as likely as it says: the share, 0 to 1, of each deal that is kept.
    ``held`` is a hypothesis: cards that other seats hold now, by seat, all of them or some.

    Raises:
        BadSetting: no deal fits the view or the hypothesis, a weight keeps next to none, or ``count`` is
            not a whole number from 0.
    """
    if not isinstance(count, SupportsIndex) or index(count) < 0:
        raise BadSetting(f"{_where(decision)}: count must be a whole number from 0, is {count!r}")
    return list(islice(each_world(decision, held=held, weight=weight), count))


def each_world(
    decision: Decision,
    *,
    held: Held = MappingProxyType({}),
    weight: Callable[[State], float] = lambda state: 1,
) -> Iterator[State]:
    """Yield possible deals at a decision without end, each when it is asked for; else as `worlds`.

    Raises:
        BadSetting: as for `worlds`.
    """
    match = _match_of(decision)
    hidden = _hidden(decision, match, held)
    is_checked, refused = False, 0
    while refused < _WEIGHED:
        world = _drawn(decision, hidden, decision.chance)
        # a view that contradicts itself does so in every world
        state = _state(match, decision.view, world) if is_checked else _checked(decision, match, world)
        is_checked = True
        share = weight(state)
        if not 0 <= share <= 1:
            raise BadSetting(f"{_where(decision)}: the weight of a deal must be 0 to 1, is {share}")
        if share == 1 or decision.chance.happens(share):
            refused = 0
            yield state
        else:
            refused += 1
    raise BadSetting(f"{_where(decision)}: of {_WEIGHED} deals the weight keeps none; keep a greater share")


def is_certain(decision: Decision) -> bool:
    """Return whether a seat can know where all cards are that it has not seen: only one deal is left.

    Raises:
        BadSetting: no deal fits the view.
    """
    hidden = _hidden(decision, _match_of(decision))
    _drawn(decision, hidden, Chance("certain", "", 0, 0))  # there is a deal; which one does not matter
    return hidden.unseen.ways == 1


def _where(decision: Decision) -> str:
    view: Any = decision.view
    return f"match {decision.match.id}, deal {view.deal}"


def draw(decision: Decision, chance: Chance) -> World:
    """Draw who holds which cards, and what was answered unseen.

    Raises:
        BadSetting: no deal fits the view.
    """
    return _drawn(decision, _hidden(decision, _match_of(decision)), chance)


def _match_of(decision: Decision) -> Seated:
    """Return the match of a decision with all options that the game has here, if the view is one of it.

    Raises:
        BadSetting: it is not, or there is no model of the game.
    """
    match = decision.match
    view: Any = decision.view
    where = f"match {match.id}"
    if match.game not in _HIDDEN:
        raise BadSetting(f"{where}: {match.game!r}: {no_such('model', match.game, _HIDDEN)}")
    if (kind := type(decision.view)) is not _HIDDEN[match.game][0]:
        raise BadSetting(f"{where}: a decision of {match.game} has the view {kind.__name__}")
    game = rules_of(match.game)
    if not view.seat == match.seat in range(game.seats) or view.deal < 1:
        raise BadSetting(f"{where}: at seat {match.seat} the view is of seat {view.seat}, deal {view.deal}")
    # an older referee does not tell all options, and a newer one tells more
    told = {each.name: match.options[each.name] for each in game.options if each.name in match.options}
    try:
        return replace(match, options=game.bind(told))
    except GameError as error:
        raise BadSetting(f"{where}: {error}") from None


def _hidden(decision: Decision, match: Seated, held: Held = MappingProxyType({})) -> Hidden:
    """Return what a seat does not know.

    Raises:
        BadSetting: no deal fits the view, or the hypothesis is not about cards that other seats hold.
    """
    view: Any = decision.view
    others = [seat for seat in range(rules_of(match.game).seats) if seat != match.seat]
    for seat, cards in held.items():
        if seat not in others:
            raise BadSetting(f"{_where(decision)}: a hypothesis is about the seats {others}, not {seat!r}")
        if not all(isinstance(card, Card) for card in cards):
            raise BadSetting(f"{_where(decision)}: in a hypothesis seat {seat} holds cards, not {cards!r}")
        if gone := set(cards).intersection(chain.from_iterable([trick.cards for trick in tricks_of(view)])):
            raise _none_fits(decision, held, ValueError(f"{min(gone)} has been played"))
    try:
        return _HIDDEN[match.game][1](view, match, held)
    except ValueError as error:
        raise _none_fits(decision, held, error) from None
    except LookupError as error:  # it speaks of a seat or a card that is not there
        raise BadSetting(f"{_where(decision)}: the view contradicts itself") from error


def _drawn(decision: Decision, hidden: Hidden, chance: Chance) -> World:
    try:
        return hidden.draw(chance)
    except ValueError as error:
        raise _none_fits(decision, hidden.held, error) from None
    except LookupError as error:  # it has more answers than cards
        raise BadSetting(f"{_where(decision)}: the view contradicts itself") from error


def _none_fits(decision: Decision, held: Held, error: ValueError) -> BadSetting:
    what = "the hypothesis" if held else "the view"
    return BadSetting(f"{_where(decision)}: no deal fits {what}: {error}")


def _state(match: Seated, view: Any, world: World) -> State:
    """Play a deal to where the view is, by the rules, without checks."""
    game = rules_of(match.game)
    begun = start(game, match.options, deals=match.deals, deal=view.deal, kept=world.kept)
    begun.deal([their_card(card) for card in world.deck])
    for seat, answer in world.answers:
        begun.apply(Seat(seat), action_of(answer))
    return State(game, begun)


def _checked(decision: Decision, match: Seated, world: World) -> State:
    """Play a deal to where the view is, by the rules.

    Raises:
        BadSetting: the view contradicts itself.
    """
    view: Any = decision.view
    wrong = f"{_where(decision)}: the view contradicts itself"
    game = rules_of(match.game)
    try:
        check_kept(game, match.options, world.kept)
        check_deck(game, [their_card(card) for card in world.deck])
        state = _state(match, view, replace(world, answers=[]))
        for seat, answer in world.answers:
            try:
                state._play(Seat(seat), action_of(answer))
            except (GameError, BadSetting) as error:
                text = f"{wrong}: seat {seat} cannot have answered {answer!r}: {error}"
                raise BadSetting(text) from None
        seen = state.view(match.seat)
    except GameError as error:
        raise BadSetting(f"{wrong}: {error}") from None
    except LookupError as error:
        raise BadSetting(wrong) from error
    if seen != view:
        names = [name for name in type(view).__slots__ if getattr(seen, name) != getattr(view, name)]
        raise BadSetting(f"{wrong} in {', '.join(names)}")
    return state


# Hearts


def _hearts(view: HeartsView, match: Seated, hypothesis: Held) -> Hidden:
    held: list[list[Card]] = [[] for _ in range(4)]
    piles = [UnseenPile(0) for _ in range(4)]
    broken = False
    for seat, card, trick, place in plays_of(view, 4):
        held[seat].append(card)
        banned = piles[seat].banned
        if place and card.suit is not trick.led:
            banned.update(ALL_CARDS.of(trick.led))
            if card in _POINTS and (not view.tricks or trick is view.tricks[0]):
                banned.update(set(ALL_CARDS) - _POINTS)
        if not place and card.suit is Suit.HEARTS and not broken:
            banned.update(set(ALL_CARDS) - _POINTS)
        breaks = match.options["any_heart_breaks"] or (place and trick.led is not Suit.HEARTS)
        broken = broken or card is Card("QS") or (card.suit is Suit.HEARTS and bool(breaks))
    assert view.seat is not None
    held[view.seat] += view.hand
    on = _PASSES.get(view.direction, 0)
    is_passed = on and view.phase is not HeartsPhase.PASS
    taker = (view.seat + on) % 4
    if is_passed:
        held[taker] += [card for card in view.passed if card not in held[taker]]
    suppose(held, piles, hypothesis)
    for seat, pile in enumerate(piles):
        pile.room = 13 - len(held[seat])
    unseen = unseen_of(held, piles, ALL_CARDS)
    plays = played_in(view, 4)

    def draw(chance: Chance) -> World:
        hands = dealt(held, unseen, chance)
        passes: list[list[Card]] = []
        if is_passed:
            for giver in range(4):
                to = (giver + on) % 4
                known = view.passed if giver == view.seat else view.received if to == view.seat else None
                passes.append(list(known) if known is not None else chance.choose(sorted(hands[to]), 3, 3))
            for giver, cards in enumerate(passes):
                to = (giver + on) % 4
                hands[to] = [card for card in hands[to] if card not in cards]
            for giver, cards in enumerate(passes):
                hands[giver] = [*hands[giver], *cards]
        return World([*chain.from_iterable(hands)], [*enumerate(passes), *plays], {"totals": view.totals})

    return Hidden(unseen, draw, hypothesis)


# The spades games


def _spade_bans(view: Any, piles: list[UnseenPile], held: list[list[Card]]) -> None:
    """Note what each seat played, and what it has shown not to hold."""
    broken = False
    for seat, card, trick, place in plays_of(view, len(piles)):
        held[seat].append(card)
        if place and card.suit is not trick.led:
            piles[seat].banned.update(ALL_CARDS.of(trick.led))
            broken = broken or card.suit is Suit.SPADES
        if not place and card.suit is Suit.SPADES and not broken:
            piles[seat].banned.update(set(ALL_CARDS) - _SPADES)


def _spades(view: SpadesView, match: Seated, hypothesis: Held) -> Hidden:
    held: list[list[Card]] = [[] for _ in range(4)]
    piles = [UnseenPile(0) for _ in range(4)]
    _spade_bans(view, piles, held)
    assert view.seat is not None
    held[view.seat] += view.hand
    suppose(held, piles, hypothesis)
    for seat, pile in enumerate(piles):
        pile.room = 13 - len(held[seat])
    unseen = unseen_of(held, piles, ALL_CARDS)
    answers: list[tuple[int, Answer]] = []
    bids = {bid.seat: bid for bid in view.bids}
    for seat in [(view.dealer + place) % 4 for place in range(4)]:
        if seat in view.looked:
            answers.append((seat, Blind.LOOK))
        if bid := bids.get(seat):
            answers.append((seat, Blind.NIL if bid.blind else Bid(bid.tricks)))
    answers += played_in(view, 4)
    kept = {"scores": view.scores, "bags": view.bags, "dealer": _before(view, view.dealer, 4)}

    def draw(chance: Chance) -> World:
        return World([*chain.from_iterable(dealt(held, unseen, chance))], answers, kept)

    return Hidden(unseen, draw, hypothesis)


def _before(view: Any, first: int, seats: int) -> Seat:
    """Return who began the deal before this one, the same as now in the first."""
    return Seat((first - 1) % seats if view.deal > 1 else first)


def _two_handed_spades(view: TwoHandedSpadesView, match: Seated, hypothesis: Held) -> Hidden:
    me = view.seat
    assert me is not None
    turns = [(view.first + number) % 2 for number in range(26)]
    theirs = sum(turns[number] != me for number in range(len(view.choices)))
    held: list[list[Card]] = [[], []]
    piles = [UnseenPile(0), UnseenPile(0)]
    _spade_bans(view, piles, held)
    held[me] = []
    suppose(held, piles, hypothesis)
    own = [*view.kept, *view.discarded, *([view.offered] if view.offered else [])]
    piles[1 - me].room = theirs - len(held[1 - me])
    piles[me] = UnseenPile(52 - len(own) - theirs)  # what lies elsewhere: thrown away or in the stock
    unseen = unseen_of(held, piles, ALL_CARDS, own)
    answers: list[tuple[int, Answer]] = [*zip(turns, view.choices, strict=False)]
    answers += [(bid.seat, Bid(bid.tricks)) for bid in view.bids]
    answers += played_in(view, 2)
    state = {"scores": view.scores, "bags": view.bags, "first": _before(view, view.first, 2)}

    def draw(chance: Chance) -> World:
        hands = dealt(held, unseen, chance)
        kept, rest = (chance.choose(cards, len(cards), len(cards)) for cards in (hands[1 - me], hands[me]))
        mine = list(zip(view.kept, view.discarded, strict=True))
        deck: list[Card] = []
        for number, seat in enumerate(turns):
            if number >= len(view.choices):
                top = view.offered if number == len(view.choices) and view.offered else rest.pop()
                deck += [top, rest.pop()]
                continue
            pair = mine.pop(0) if seat == me else (kept.pop(), rest.pop())
            deck += pair if view.choices[number] is Draft.KEEP else pair[::-1]
        return World(deck, answers, state)

    return Hidden(unseen, draw, hypothesis)


# Euchre


def _euchre(view: EuchreView, match: Seated, hypothesis: Held) -> Hidden:
    assert view.seat is not None
    if view.upcard is None:
        raise ValueError("no card is turned up")
    taken = UpcardCall.ACCEPT in view.upcard_calls
    put_aside = taken and view.phase in (EuchrePhase.ALONE, EuchrePhase.PLAY)
    held: list[list[Card]] = [[] for _ in range(6)]  # by seat, left over, put aside
    piles = [UnseenPile(0) for _ in range(6)]
    plays: list[tuple[int, Answer]] = []
    for trick in tricks_of(view):
        led = view.suit_of(trick.cards[0])
        for seat, card in zip(view.seats_of(trick), trick.cards, strict=True):
            held[seat].append(card)
            plays.append((seat, card))
            if view.suit_of(card) is not led:
                piles[seat].banned.update([each for each in _EUCHRE if view.suit_of(each) is led])
    held[view.seat] += view.hand
    suppose(held, piles, hypothesis)
    held[5] += [view.discarded] if view.discarded else []
    rooms = [5, 5, 5, 5, 3, int(put_aside)]
    rooms[view.dealer] += taken and not put_aside
    for pile, room, known in zip(piles, rooms, held, strict=True):
        pile.room = room - len(known)
    if taken:  # the dealer has it, or put it aside if it may
        for place, pile in enumerate(piles):
            may = place == view.dealer or (place == 5 and match.options["dealer_may_discard_upcard"])
            pile.banned.update(set() if may else {view.upcard})
    upcard, unseen = view.upcard, unseen_of(held, piles, _EUCHRE, () if taken else (view.upcard,))
    rounds: list[Sequence[Answer]] = [view.upcard_calls, view.trump_calls]
    calls = [((view.dealer + 1 + n) % 4, call) for each in rounds for n, call in enumerate(each)]
    later = [*((made.seat, made.choice) for made in view.alone), *plays]
    kept = {"scores": view.scores, "dealer": _before(view, view.dealer, 4)}

    def draw(chance: Chance) -> World:
        *hands, left, aside = dealt(held, unseen, chance)
        if taken:
            hands[view.dealer] = [card for card in [*hands[view.dealer], *aside] if card is not upcard]
        thrown: list[tuple[int, Answer]] = [(view.dealer, Cards(aside))] if put_aside else []
        return World([*chain.from_iterable(hands), upcard, *left], [*calls, *thrown, *later], kept)

    return Hidden(unseen, draw, hypothesis)


_HIDDEN: Final[Mapping[str, tuple[type, Callable[[Any, Seated, Held], Hidden]]]] = {
    "hearts": (HeartsView, _hearts),
    "spades": (SpadesView, _spades),
    "euchre": (EuchreView, _euchre),
    "piquet": (PiquetView, hidden_of_piquet),
    "two_handed_spades": (TwoHandedSpadesView, _two_handed_spades),
}
"""By game its view, and what returns what a seat does not know."""
