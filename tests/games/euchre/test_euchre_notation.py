"""Records of euchre as Euchre Game Notation: its readers come to the same tricks and points."""

import json
from typing import Any, Final, TypeAlias

import pytest

from fairdeal.bots import make
from fairdeal.testing import play
from referee.games.euchre.notation import notation
from referee.games.registry import GAMES
from referee.games.transcript import NotWritable
from referee.storage.record import entry_text

SUITS: Final = "cdhs"
PARTNER: Final = {"c": "s", "s": "c", "d": "h", "h": "d"}  # the suit of the same colour
SIDES: Final = 2
MAKER_ALONE: Final = {"defenders_may_go_alone": False, "maker_partner_may_go_alone": False}

Line: TypeAlias = dict[str, Any]


def suit_of(card: str, trump: str) -> str:
    return trump if card == f"J{PARTNER[trump]}" else card[1]


def strength(card: str, led: str, trump: str) -> tuple[int, int]:
    """Return how high a card is in a trick, by the rules of the notation."""
    rank = "9TJQKA".index(card[0])
    if suit_of(card, trump) == trump:
        bower = 2 if card == f"J{trump}" else 1 if card[0] == "J" else 0
        return 2, 10 * bower + rank
    return (1 if card[1] == led else 0), rank


def read(told: dict[str, Any]) -> tuple[list[int], set[str]]:
    """Return the points by side and what was met, from what was dealt, called and played alone."""
    points = list(told["metadata"]["initialScore"])
    met: set[str] = set()
    for deal in told["deals"]:
        bidding, *rest = deal["phases"]
        calls = bidding["calls"]
        if not rest:
            assert calls == ["Pass"] * 8
            met.add("thrown in")
            continue
        dealer, upcard = deal["initialState"]["dealer"], deal["initialState"]["upCard"]
        maker = (dealer + len(calls)) % 4
        trump = upcard[1] if calls[-1] == "Order" else calls[-1]
        hands = [set(hand) for hand in deal["initialState"]["playerCards"]]
        if calls[-1] == "Order":
            hands[dealer] = (hands[dealer] | {upcard}) - {bidding["discard"]}
        out = (maker + 2) % 4 if bidding["isAlone"] else None
        active = [seat for seat in range(4) if seat != out]
        leader, taken = (dealer + 1) % 4, [0, 0]
        for trick in rest[0]["tricks"]:
            turns = [seat % 4 for seat in range(leader, leader + 4) if seat % 4 in active]
            assert len(trick) == len(turns)
            for seat, card in zip(turns, trick, strict=True):
                hands[seat].remove(card)  # everybody plays cards that it was dealt
            led = suit_of(trick[0], trump)
            best = max(zip(trick, turns, strict=True), key=lambda each: strength(each[0], led, trump))
            leader = best[1]
            taken[leader % SIDES] += 1
        side = maker % SIDES
        if taken[side] >= 3:
            points[side] += (4 if bidding["isAlone"] else 2) if taken[side] == 5 else 1
        else:
            points[1 - side] += 2
        met |= {"alone"} if bidding["isAlone"] else {"march"} if taken[side] == 5 else set()
        met.add(calls[-1] if calls[-1] == "Order" else "named")
    return points, met


def recorded(bot: str, seed: str, *, deals: int | None = None, **options: Any) -> tuple[Line, list[Line]]:
    """Return the header and the lines of a match that bots have played."""
    played = play("euchre", [make(bot) for _ in range(4)], seed=seed, options=options, deals=deals)
    header = {
        "match_id": played.setup.match_id,
        "attempt": 1,
        "software": "fairdeal/0.1.0",
        "started": "2026-11-24T12:00:00+00:00",
        "entries": list(played.setup.entries),
        "options": dict(GAMES["euchre"].complete(played.setup.options)),
        "deals": played.setup.deals,
    }
    return header, [json.loads(entry_text(each)) for each in played.log]


def test_its_readers_come_to_the_same_points() -> None:
    met: set[str] = set()
    for seed in range(8):
        header, lines = recorded("random", str(seed), stick_the_dealer=False, **MAKER_ALONE)
        told = notation(header, lines)
        points, seen = read(told)
        met |= seen
        assert points == told["metadata"]["finalScore"] == lines[-1]["scores"]
        assert [deal["dealNumber"] for deal in told["deals"]] == [*range(len(told["deals"]))]
        assert told["metadata"]["ruleset"] == {
            "std": False,
            "winning_score": 10,
            "loner_lead": "LEFT_OF_DEALER",
        }
    assert met == {"alone", "march", "Order", "named"}


def test_a_match_of_some_deals_says_so() -> None:
    header, lines = recorded("greedy", "spring", deals=3, **MAKER_ALONE)
    told = notation(header, lines)
    assert told["metadata"]["ruleset"] == {"std": True, "num_deals": 3, "loner_lead": "LEFT_OF_DEALER"}
    assert told["metadata"]["players"] == header["entries"]
    assert len(told["deals"]) == 3
    assert (told["fileType"], told["version"]) == ("Euchre Game Notation", "1.6")


def test_a_deal_that_nobody_wanted_has_no_tricks() -> None:
    header, lines = recorded("greedy", "spring", deals=1, stick_the_dealer=False)
    dealt = next(line for line in lines if line["type"] == "dealt")
    seats = [(dealt["dealer"] + turn) % 4 for turn in range(1, 5)]
    passes = [
        {"type": kind, "seat": seat, "call": "pass"}
        for kind in ("upcard_called", "trump_called")
        for seat in seats
    ]
    told = notation(header, [dealt, *passes, dealt])
    assert [len(deal["phases"]) for deal in told["deals"]] == [1, 1]
    assert read(notation(header, [dealt, *passes])) == ([0, 0], {"thrown in"})


def test_a_match_that_was_forfeited_has_what_was_played_and_no_score() -> None:
    header, lines = recorded("greedy", "spring", deals=1, **MAKER_ALONE)
    last = max(at for at, line in enumerate(lines) if line["type"] == "card_played")
    told = notation(header, [*lines[:last], {"type": "outcome", "termination": "forfeit", "scores": []}])
    assert "finalScore" not in told["metadata"]
    tricks = told["deals"][0]["phases"][1]["tricks"]
    assert len(tricks[-1]) < len(tricks[0])


def test_who_plays_alone_without_having_made_trump_cannot_be_written() -> None:
    header, lines = recorded("random", "spring")
    with pytest.raises(NotWritable, match=r"deal \d+: seat \d, which did not make trump, plays alone"):
        notation(header, lines)
