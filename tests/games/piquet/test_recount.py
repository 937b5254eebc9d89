"""Piquet: the scores of whole random deals against a second, naive account of them.

It is written from sections 1.3 to 1.7 of the rules in words and letters, with none of the game's own code:
cards are names, sequences are found in the string of ranks, accounts are a list walked from the start.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from referee.cards import CARD_NAMES, Card, Seat
from referee.games.actions import ChooseCombinations, Declare
from referee.games.events import CardPlayed, DealScored
from referee.games.piquet.events import BlankClaimed, Bonus, BonusScored, Dealt, Exchanged, Phase
from tests.games.piquet.conftest import PiquetTable

RANKS = "789TJQKA"
PIPS = {"7": 7, "8": 8, "9": 9, "A": 11}
Held = list[str]  # the names of the cards of one combination, lowest first


def by_suit(hand: set[str]) -> list[Held]:
    """Return the cards of each suit that is held, in the order spades, hearts, diamonds, clubs."""
    suits = [sorted((c for c in hand if c[1] == suit), key=lambda c: RANKS.index(c[0])) for suit in "SHDC"]
    return [suit for suit in suits if suit]


def naive_points(hand: set[str]) -> list[tuple[tuple[int, int], int, Held]]:
    return [((len(s), sum(PIPS.get(c[0], 10) for c in s)), len(s), s) for s in by_suit(hand)]


def naive_sequences(hand: set[str]) -> list[tuple[tuple[int, int], int, Held]]:
    found = []
    for suit in by_suit(hand):
        ranks = "".join(c[0] for c in suit)
        taken = ""
        for length in range(8, 2, -1):
            for low in range(len(RANKS) - length + 1):
                run = RANKS[low : low + length]
                if run in ranks and not set(run) & set(taken):
                    taken += run
                    worth = {3: 3, 4: 4, 5: 15, 6: 16, 7: 17, 8: 18}[length]
                    found.append(((length, low + length), worth, [rank + suit[0][1] for rank in run]))
    return found


def naive_sets(hand: set[str]) -> list[tuple[tuple[int, int], int, Held]]:
    counts = Counter(c[0] for c in hand)
    return [
        (
            (counts[rank], RANKS.index(rank)),
            {3: 3, 4: 14}[counts[rank]],
            sorted(c for c in hand if c[0] == rank),
        )
        for rank in "TJQKA"
        if counts[rank] >= 3
    ]


NAIVE = (naive_points, naive_sequences, naive_sets)


def made_of(hand: set[str], combination: Any) -> set[str]:
    """Return the cards of a combination that an action names."""
    fields = {name: getattr(combination, name, None) for name in ("suit", "top", "length", "rank")}
    cards = {c for c in hand if fields["suit"] is None or CARD_NAMES.index(c) // 13 == fields["suit"]}
    if fields["rank"] is not None:
        return {c for c in cards if CARD_NAMES.index(c) % 13 == fields["rank"]}
    if fields["top"] is None:
        return cards
    top, length = fields["top"], fields["length"]
    return {c for c in cards if top - length < CARD_NAMES.index(c) % 13 <= top}


class Account:
    """One deal told again from its inputs: hands, declarations and cards."""

    def __init__(self, events: list[Any], inputs: list[tuple[Seat | None, Any]]) -> None:
        (dealt,) = (e for e in events if isinstance(e, Dealt))
        self.elder = dealt.elder
        self.hands = [{CARD_NAMES[c] for c in hand} for hand in dealt.hands]
        for e in events:
            if isinstance(e, Exchanged):
                self.hands[e.seat] -= {CARD_NAMES[c] for c in e.discarded}
                self.hands[e.seat] |= {CARD_NAMES[c] for c in e.drawn}
        self.blank = {e.seat for e in events if isinstance(e, BlankClaimed)}
        self.words: list[list[set[str]]] = []  # by round: the cards of what elder declared and added
        for _, action in inputs:
            hand = self.hands[self.elder]
            if isinstance(action, Declare):
                self.words.append([] if action.combination is None else [made_of(hand, action.combination)])
            elif isinstance(action, ChooseCombinations):
                self.words[-1] += [made_of(hand, c) for c in action.combinations]
        self.played = [(e.seat, CARD_NAMES[e.card]) for e in events if isinstance(e, CardPlayed)]

    def categories(self) -> list[tuple[int, int]]:
        """Return who won what in blank, point, sequences and sets: pairs of seat and points."""
        elder, younger = self.elder, 1 - self.elder
        won = [(seat, 10) for seat in self.blank] or [(elder, 0)]
        for naive, words in zip(NAIVE, self.words, strict=True):
            mine, theirs = naive(self.hands[elder]), naive(self.hands[younger])
            rival = max((strength for strength, _, _ in theirs), default=(0, 0))
            said = [(strength, worth) for word in words for strength, worth, c in mine if set(c) == word]
            assert len(said) == len(words)
            if said and said[0][0] == rival:
                won.append((elder, 0))
            elif said and said[0][0] > rival:
                won.append((elder, sum(worth for _, worth in said)))
            elif naive is naive_points:
                won.append((younger, max(strength for strength, _, _ in theirs)[0]))
            else:
                won.append((younger, sum(worth for _, worth, _ in theirs)))
        return won

    def tricks(self) -> list[tuple[int, int]]:
        """Return leader and winner of each trick."""
        pairs = []
        for (leader, led), (follower, card) in zip(self.played[::2], self.played[1::2], strict=True):
            beaten = card[1] == led[1] and RANKS.index(card[0]) > RANKS.index(led[0])
            pairs.append((leader, follower if beaten else leader))
        return pairs

    def score(self, *, classical: bool = False) -> tuple[list[int], list[str]]:
        """Return the deal's points and the names of its bonuses; ``classical`` counts tricks by leads."""
        elder, younger = self.elder, 1 - self.elder
        account, bonus, names = [0, 0], [0, 0], []
        for seat, worth in self.categories():
            account[seat] += worth
            if worth and not names and account[seat] >= 30 and account[1 - seat] == 0:
                bonus[seat] += 60
                names.append("REPIQUE")
        if classical:  # 1 for each lead, 1 for each trick won by the other, 1 for the last
            steps = [step for lead, win in self.tricks() for step in [(lead, 1), (win, int(win != lead))]]
            steps.append((self.tricks()[-1][1], 1))
        else:
            steps = [(elder, 1), *((win, 1 if win == lead else 2) for lead, win in self.tricks())]
        for seat, worth in steps:
            account[seat] += worth
            if not names and account[elder] >= 30 and account[younger] == 0:
                bonus[elder] += 30
                names.append("PIQUE")
        taken = Counter(win for _, win in self.tricks())
        for seat in (0, 1):
            if taken[seat] == 12:
                bonus[seat] += 40
                names.append("CAPOT")
            elif taken[seat] >= 7:
                bonus[seat] += 10
                names.append("CARDS")
        return [account[0] + bonus[0], account[1] + bonus[1]], names


def decks(shuffled: Any, cards: Any, key: int) -> list[Any]:
    """Return a deck; in two of three one player's cards are high ones, so that bonuses occur."""
    deck = list(shuffled(cards, "deck", key))
    if key % 3:
        high = sorted(deck[:20] if key % 3 == 1 else deck[12:], key=lambda c: -(c % 13))
        rest = [c for c in deck if c not in high[:12]]
        deck = [*high[:12], *rest] if key % 2 else [*rest[:12], *high[:12], *rest[12:]]
    return deck


def test_1_7_and_A14_random_deals_score_as_a_naive_account_does(
    piquet: type[PiquetTable], shuffled: Callable[..., tuple[Card, ...]]
) -> None:
    seen: Counter[str] = Counter()
    for key in range(240):
        match = piquet(first=key // 2 % 2)
        match.deal(decks(shuffled, match.game.cards, key))
        while match.state.to_act():
            best = key % 4 and match.state.phase in (Phase.DECLARE, Phase.FURTHER)
            legal = match.legal()
            if best and match.state.phase == Phase.DECLARE:
                match.act(match.turn, legal.actions[-1])
            elif best:
                match.act(match.turn, ChooseCombinations(legal.combinations))
            else:
                match.step("recount", key)
        account = Account(match.events, match.inputs)
        scored = next(e for e in match.events if isinstance(e, DealScored))
        points, names = account.score()
        assert list(scored.points) == points
        assert account.score(classical=True) == (points, names)
        told = [e.bonus.name for e in match.events if isinstance(e, BonusScored)]
        assert told == names
        seen.update(names)
    assert set(seen) == {bonus.name for bonus in Bonus}, seen
