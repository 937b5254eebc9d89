"""Whole matches in a core: open tables, random play through frames, and secrecy."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from google.protobuf.message import Message

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.games import events
from referee.games.hearts import rules as hearts
from referee.games.registry import GAMES
from referee.games.two_handed_spades import rules as spades
from referee.match.faults import Termination
from tests.referee.driven import KeyedDecks
from tests.referee.driven_core import DrivenCore

every_game = pytest.mark.parametrize("game", GAMES)
CANARY = "the queen of spades sleeps in the east"


def matches_of(guest: Any) -> list[str]:
    return [seated.match_id for seated in guest.of("seated")]


# Open tables


def test_bots_are_seated_in_the_order_in_which_they_connect(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["hearts"])
    guests = [core.arrive(name) for name in "abcdefghi"]
    assert [matches_of(guest) for guest in guests] == [["hearts-1"]] * 4 + [["hearts-2"]] * 4 + [[]]
    assert [list(t.setup.entries) for t in core.opened] == [["a", "b", "c", "d"], ["e", "f", "g", "h"]]


def test_after_a_match_the_next_begins_with_those_that_waited_longest(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    a, b, c = (core.arrive(name) for name in "abc")
    for guest in (a, b):
        guest.ready()
    core.play_out()
    assert len(core.finished) == 1
    assert list(core.opened[1].setup.entries) == ["c", "a"]
    assert (len(matches_of(a)), len(matches_of(b)), len(matches_of(c))) == (2, 1, 1)


def test_bots_sit_only_where_they_play(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["hearts", "two_handed_spades"])
    for name in "ab":
        core.arrive(name, games=["hearts"])
    c = core.arrive("c", games=["two_handed_spades", "hearts"])
    assert core.opened == []
    d = core.arrive("d", games=["two_handed_spades"])
    assert matches_of(c) == matches_of(d) == ["two_handed_spades-1"]


def pairs(core: DrivenCore) -> list[str]:
    return ["".join(sorted(table.setup.entries)) for table in core.opened]


def test_a_bot_sits_at_as_many_open_tables_as_it_offers(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    a, b = core.arrive("a", tables=3), core.arrive("b", tables=5)
    assert (len(matches_of(a)), len(matches_of(b))) == (3, 3)
    c = core.arrive("c", tables=1)
    assert (len(matches_of(b)), len(matches_of(c))) == (4, 1)
    core.arrive("d", tables=9, matches=2)
    assert pairs(core) == ["ab", "ab", "ab", "bc", "bd"]
    core.arrive("e", tables=9)
    assert pairs(core)[5:] == ["de"]  # it wants two matches


def test_its_opponents_there_are_different_where_there_are_others(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    for name in "abc":
        core.arrive(name, tables=2, games=["two_handed_spades"] if name == "c" else [])
    assert pairs(core) == ["ab", "ab"]  # c was not there yet
    for guest in core.guests[:2]:
        guest.ready()
    core.play_out()
    assert pairs(core)[2:4] == ["ac", "bc"]


def test_nobody_meets_itself_at_an_open_table(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["hearts"])
    for name in "abc":
        core.arrive(name, tables=9)
    assert core.opened == []


def test_open_tables_of_several_games_are_filled_in_turn(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["two_handed_spades", "hearts", "piquet"])
    for name in "ab":
        core.arrive(name, tables=5)
    assert [table.setup.game for table in core.opened] == [
        *("two_handed_spades", "piquet", "two_handed_spades", "piquet", "two_handed_spades")
    ]


@pytest.mark.parametrize(("matches", "played"), [(1, 1), (2, 2), (0, 3)])
def test_a_bot_gets_as_many_matches_as_it_wants(
    driven_core: type[DrivenCore], matches: int, played: int
) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    guests = [core.arrive("a", matches=matches), core.arrive("b")]
    for _ in range(3):
        for guest in guests:
            guest.ready()
        core.play_out()
    assert len(core.finished) == played


def test_a_bot_that_leaves_frees_its_place_in_the_queue(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    core.arrive("a").leave()
    core.arrive("b").say(bye=pb.Bye())
    c, d = core.arrive("c"), core.arrive("d")
    assert matches_of(c) == matches_of(d) == ["two_handed_spades-1"]


# Whole matches


def cards_in(message: Message) -> Iterator[int]:
    """Yield every card in a message, from 0."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.message_type:
            for inner in values:
                yield from cards_in(inner)
        elif field.enum_type and field.enum_type.name == "Card":
            yield from (number - 1 for number in values)


def may_know(log: list[Any], seat: Seat) -> list[set[int]]:
    """Return the cards that a seat may know of each deal, going by the record so far."""
    known: list[set[int]] = [set()]
    stock: tuple[int, ...] = ()
    drafted = 0
    for entry in log:
        match entry:
            case hearts.Dealt():
                known.append(set(entry.hands[seat]))
            case hearts.CardsPassed():
                known[-1] |= set(entry.passed[hearts.giver(seat, entry.direction)])
            case spades.Dealt():
                known.append({entry.stock[0]} if entry.first == seat else set())
                stock, drafted = entry.stock, 0
            case spades.Drafted():
                drafted += 1
                if entry.seat == seat:
                    known[-1] |= {entry.kept, entry.discarded}
                elif drafted < 26:
                    known[-1].add(stock[2 * drafted])  # it is this seat's turn to look at the top card
            case events.CardPlayed():
                known[-1].add(entry.card)
    return known


@pytest.mark.parametrize("game", ["hearts", "two_handed_spades"])
@pytest.mark.parametrize("key", range(2))
def test_no_frame_holds_a_card_that_the_seat_may_not_know(
    driven_core: type[DrivenCore], game: str, key: int
) -> None:
    core = driven_core()
    guests = core.seat(game, match_id=f"m-{key}", deals=2)
    read = [0] * len(guests)
    seen: list[set[int]] = [set() for _ in guests]
    while core.core.matches:
        for number, guest in enumerate(guests):
            guest.answer(number, key)
            for seat, other in enumerate(guests):
                *_, before, now = may_know(core.opened[0].log, Seat(seat))
                for update in other.heard[read[seat] :]:
                    # what happened may belong to the deal that has just ended
                    known = before | now if update.HasField("happened") else now
                    assert set(cards_in(update)) <= known
                    seen[seat] |= set(cards_in(update))
                read[seat] = len(other.heard)
    assert all(len(cards) > 26 for cards in seen), "the cards that were shown are not found"


@pytest.mark.parametrize(
    ("game", "seen"),
    [
        pytest.param("hearts", range(13), id="hearts: its hand"),
        pytest.param("two_handed_spades", (2,), id="two-handed spades: the top card when it is its turn"),
    ],
)
def test_hidden_cards_leave_no_trace_in_the_bytes_until_play_shows_them(
    driven_core: type[DrivenCore], decks: type[KeyedDecks], game: str, seen: Sequence[int]
) -> None:
    heard = []
    hidden = [c for c in range(52) if c not in seen]
    for order in (hidden, hidden[::-1]):
        rest = iter(order)
        deck = [c if c in seen else next(rest) for c in range(52)]
        core = driven_core(deals=lambda setup, rules, deck=deck: decks(decks=[deck], first=1))
        guests = core.seat(game)
        for guest in guests[1:]:  # the pass of the others; the first card drafted by the other
            guest.answer()
        heard.append(guests[0].frames)
    assert heard[0] == heard[1]
    assert guests[0].open


@every_game
def test_the_secret_is_told_to_nobody_before_the_end(
    driven_core: type[DrivenCore], decks: type[KeyedDecks], game: str
) -> None:
    core = driven_core()
    guests = core.seat(game)
    core.play_out()
    for guest in guests:
        assert [update.WhichOneof("kind") for update in guest.heard][-1] == "finished"
        assert guest.of("finished")[0].secret == decks.secret
        assert not any(decks.secret in frame for frame in guest.frames[:-1])


@every_game
@pytest.mark.parametrize("key", range(3))
def test_random_matches_end_and_nothing_is_lost_in_them(
    driven_core: type[DrivenCore], game: str, key: int
) -> None:
    core = driven_core()
    guests = core.seat(game, match_id=f"m-{key}", deals=3)
    core.play_out(key)
    (table,) = core.finished
    outcome = table.match.outcome
    assert outcome.termination is Termination.COMPLETED
    assert all(counts.total == 0 for counts in outcome.faults)
    totals = [0] * len(GAMES[game].sides)
    scored = [entry for entry in table.log if isinstance(entry, events.DealScored)]
    assert [deal.deal for deal in scored] == [1, 2, 3]
    for deal in scored:
        totals = [total + points for total, points in zip(totals, deal.points, strict=True)]
        assert tuple(totals) == deal.totals
    assert outcome.scores == tuple(totals)
    for guest in guests:
        (finished,) = guest.of("finished")
        assert (list(finished.scores), list(finished.ranks)) == (totals, list(outcome.ranks))
        assert guest.of("refused") == [] and guest.session.seats == {}
        assert len(guest.of("closed")) == len(guest.of("decision"))
        inputs = [given for _key, given in core.inputs if given.kind == "answer"]
    assert len(inputs) == sum(len(guest.of("decision")) for guest in guests)


def test_a_bot_plays_many_tables_at_once(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    for number in range(20):
        core.create("two_handed_spades", f"m-{number}", entries=("a", "b") if number % 2 else ("b", "a"))
    guests = [core.arrive(name, tables=20) for name in "ab"]
    for guest in guests:
        guest.ready()
    core.play_out()
    assert len(core.finished) == 20
    # a frame holds what is ready for all tables: far fewer frames than decisions
    assert len(guests[0].of("decision")) == 20 * 27
    assert len(guests[0].frames) < 20 * 27 / 5


def test_bots_that_want_no_events_play_the_same_match(driven_core: type[DrivenCore]) -> None:
    decisions = []
    for wanted in (True, False):
        core = driven_core()
        core.create()
        guests = [core.arrive(entry, events=wanted) for entry in "abcd"]
        for guest in guests:
            guest.ready()
        core.play_out()
        assert bool(guests[0].of("happened")) == wanted
        decisions.append([guest.of("decision") for guest in guests])
    assert decisions[0] == decisions[1]


class Owners(tuple[Any, ...]):
    """Owners of a table that count how often somebody looks whether another one is among them."""

    looks = 0

    def __contains__(self, owner: object) -> bool:
        Owners.looks += 1
        return super().__contains__(owner)


def test_the_matches_of_an_owner_are_found_without_looking_at_all_tables(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Owners, "looks", 0)
    core = driven_core()
    for number in range(40):
        owners = Owners(((f"x{number}", ""), ("common", str(number % 2))))
        entries = [entry for entry, _instance in owners]
        core.create("two_handed_spades", f"m-{number}", entries=entries, owners=owners)
    assert core.core.matches.plays(("x7", ""))
    assert not core.core.matches.plays(("x7", "other")) and not core.core.matches.plays(("x40", ""))
    guest = core.arrive("common", instance="1", tables=64)
    assert matches_of(guest) == [f"m-{number}" for number in range(1, 40, 2)]
    core.core.void(("x7", ""), core.now)
    core.core.abandon(("x9", ""), core.now)
    core.core.cancel("m-11", core.now)
    assert not any(core.core.matches.plays((name, "")) for name in ("x7", "x9", "x11"))
    assert core.core.matches.plays(("common", "1"))
    assert Owners.looks == 0
