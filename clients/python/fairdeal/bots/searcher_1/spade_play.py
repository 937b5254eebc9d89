"""What the spades games share: what a hand is worth, and which card a rule of thumb plays."""

from typing import Any, Final

from fairdeal.bots.searcher_1.bits import SPADES, SUITS, high, highest_rank, low, lowest_rank, under

_SIDE: Final = SUITS[:3]
_TOP: Final = 1 << 12


def tricks_of(hand: int, worths: tuple[float, ...], others: tuple[float, ...]) -> float:
    """Return what the cards of a hand are worth: by rank from the two, of spades and of other suits."""
    found = 0.0
    while hand:
        lowest = hand & -hand
        card = lowest.bit_length() - 1
        found += worths[card - 39] if card >= 39 else others[card % 13]
        hand ^= lowest
    return found


def play_cards(state: Any, bids: dict[int, int], partners: bool, gone: tuple[int, ...]) -> list[Any]:
    """Play a deal to its end; ``gone`` are by seat the cards that it knows nobody else holds."""
    hands, tricks, taken = state.hands, state.tricks, state.taken
    legal_play, apply_play = state.legal_play, state.apply_play
    events: list[Any] = []
    nil_bids = [seat for seat, bid in bids.items() if not bid]
    left = 0
    for hand in hands:
        left |= hand
    while len(tricks.complete) < 13:
        seat = tricks.turn
        legal = legal_play(seat).cards
        if legal & (legal - 1):
            # who holds what is for the seat to guess: it sees only what is not in its hand
            out = (left | gone[seat]) & ~hands[seat]
            wants = _wants(hands[seat].bit_count(), taken, bids, seat, partners)
            if tricks.led is None:
                card = _lead(legal, out, wants)
            else:
                partner = (seat + 2) % 4 if partners else -1
                nils = [each for each in nil_bids if not taken[each]]
                card = _follow(legal, tricks, out, wants, partner, nils)
        else:
            card = legal.bit_length() - 1
        left ^= 1 << card
        events = apply_play(seat, card)
    return events


def _wants(left: int, taken: list[int], bids: dict[int, int], seat: int, partners: bool) -> bool:
    if not bids[seat] and not taken[seat]:
        return False
    if partners:
        partner = (seat + 2) % 4
        if not bids[partner] and not taken[partner]:
            return True
        missing = sum([bids[own] - taken[own] for own in (seat, partner) if bids[own]])
        there = [(seat + 1) % 4, (seat + 3) % 4]
    else:
        missing = bids[seat] - taken[seat]
        there = [1 - seat]
    if missing > 0:
        return True
    against = sum([bids[each] - taken[each] for each in there if bids[each]])
    return left < 2 * against <= 2 * left


def _lead(legal: int, out: int, wants: bool) -> int:
    best, most = -1, -1.0
    ruffs = out & SPADES
    for suit in range(4):
        held = legal & SUITS[suit]
        if not held:
            continue
        others = out & SUITS[suit]
        card = high(held) if wants else low(held)
        above = (others >> card).bit_count()
        size = others.bit_count()
        chance = 0.5**above
        if suit != 3 and ruffs:
            chance *= min(1.0, size / 6)
        if not wants:
            chance = 1 - chance
        value = chance - (0.001 if suit == 3 else 0.0)
        if value > most:
            best, most = card, value
    if wants and most < 0.5:
        side = legal & ~SPADES
        return lowest_rank(side or legal)
    return best


def _follow(legal: int, tricks: Any, out: int, wants: bool, partner: int, nils: list[int]) -> int:
    cards = tricks.cards
    led = tricks.led
    holder, seats = tricks.winning, tricks.seats
    best = cards[(holder - tricks.leader) % len(seats)]
    suit = best // 13
    follows = legal & SUITS[led]
    if follows:
        winning = follows & ~under(best + 1) if suit == led else 0
        losing = legal & ~winning
    else:
        spades = legal & SPADES
        winning = spades & ~under(best + 1) if suit == 3 else spades
        losing = legal & ~winning
    last = len(cards) == len(seats) - 1
    if not wants:
        if losing:
            return high(losing) if follows else highest_rank(losing & ~SPADES or losing)
        return high(winning) if last else low(winning)
    if losing and holder in nils and holder != partner:
        return lowest_rank(losing)
    if not winning:
        return lowest_rank(legal & ~SPADES or legal)
    if holder == partner and partner not in nils:
        stands = last or not (out & SUITS[suit]) >> best
        if stands or len(cards) == 3:
            return lowest_rank(losing & ~SPADES or losing) if losing else low(winning)
    cheapest = low(winning)
    if last or cheapest >= 39:
        return cheapest
    highest = high(winning)
    if len(cards) == 2 or not (out & SUITS[led]) >> highest or partner in nils:
        return highest
    return lowest_rank(losing) if losing else cheapest
