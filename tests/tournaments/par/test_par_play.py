"""The par of a deck: from a record, the same for everybody, and fair to all sides."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairdeal.bots import greedy_hearts, make
from fairdeal.testing import Played, play
from referee.cards import Card, Seat
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.storage import record
from tournaments.par.play import ParError, par, par_of_record, signature

every_game = pytest.mark.parametrize("game", GAMES)


def played(game: str, seed: str = "spring") -> Played:
    return play(game, [make("random")] * GAMES[game].seats, seed=seed, deals=2)


def deals_of(match: Played, seed: str = "spring") -> MatchDeals:
    return MatchDeals(match.setup, GAMES[match.setup.game], SeededKeys(seed))


def recorded(match: Played, folder: Path, **header: object) -> Path:
    """Write the record of a match; ``header`` replaces parts of its header."""
    deals = deals_of(match)
    rules = GAMES[match.setup.game]
    owners = [(entry, "") for entry in match.setup.entries]
    line = record.header_line(
        match.setup, owners, rules, deals.commitment, software="test", started="2026-01-01T00:00:00+00:00"
    )
    path = folder / "m.1.jsonl.gz"
    record.write(path, record.encode({**line, **header}, match.log, deals.secret))
    return path


class Turned(MatchDeals):
    """The deals of a match with every hand one seat further, and the first seat, too."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        return turned(self._game, super().deck(deal))

    def first(self, seats: int) -> Seat:
        return Seat((super().first(seats) + 1) % seats)

    _game = ""


def turned(game: str, deck: Sequence[Card]) -> tuple[Card, ...]:
    """Turn the hands of a deck by one seat, as the game deals them."""
    seats = GAMES[game].seats
    hand = {"piquet": 12, "euchre": 5, "two_handed_spades": 0}.get(game, 13)  # 0: a stock that both draw from
    dealt, rest = deck[: seats * hand], deck[seats * hand :]
    return (*dealt[(seats - 1) * hand :], *dealt[: (seats - 1) * hand], *rest)


@every_game
def test_the_par_follows_from_the_record(game: str, tmp_path: Path) -> None:
    match = played(game)
    expected = par(match.setup, deals_of(match), "greedy")
    assert par_of_record(recorded(match, tmp_path), "greedy") == expected
    greedy = play(game, [make("greedy")] * GAMES[game].seats, seed="spring", deals=2)
    assert expected.scores == greedy.outcome.scores  # it draws nothing, so the seed does not matter


@every_game
def test_hands_turned_by_a_seat_turn_the_par(game: str) -> None:
    """Decks that differ by a turn are equally likely: so what sides differ by is 0 in the mean."""
    rules = GAMES[game]
    side_of = {seat: side for side, seats in enumerate(rules.sides) for seat in seats}
    for seed in ("spring", "summer", "autumn"):
        match = played(game, seed)
        keys = SeededKeys(seed)
        around = Turned(match.setup, rules, keys)
        around._game = game
        before = par(match.setup, MatchDeals(match.setup, rules, keys), "greedy")
        after = par(match.setup, around, "greedy")
        for seat in range(rules.seats):
            further = side_of[Seat((seat + 1) % rules.seats)]
            assert after.scores[further] == before.scores[side_of[Seat(seat)]], (seed, seat)


def test_draws_follow_from_the_secret() -> None:
    match = played("hearts")
    deals = deals_of(match)
    assert par(match.setup, deals, "random") == par(match.setup, deals_of(match), "random")
    again = played("hearts", "summer")
    assert par(match.setup, deals, "random") != par(again.setup, deals_of(again, "summer"), "random")


def test_a_secret_that_is_not_the_committed_one_is_refused(tmp_path: Path) -> None:
    path = recorded(played("hearts"), tmp_path)
    whole = record.read(path)
    lines = [json.dumps(line) for line in (whole.header, *whole.lines)]
    other = "ab" * 32
    record.write(path, record.packed([*lines[:-1], json.dumps({"type": "reveal", "secret": other})]))
    with pytest.raises(ParError, match="does not open its commitment"):
        par_of_record(path, "greedy")
    record.write(path, record.packed([*lines[:-1], json.dumps({"type": "reveal"})]))
    with pytest.raises(ParError, match="damaged"):
        par_of_record(path, "greedy")


def test_another_game_or_number_of_deals_is_not_what_was_committed_to(tmp_path: Path) -> None:
    for change in ({"deals": 3}, {"match_id": "other"}, {"game": "spades", "options": {}}):
        with pytest.raises(ParError, match="does not open its commitment"):
            par_of_record(recorded(played("hearts"), tmp_path, **change), "greedy")


def test_other_rules_and_unknown_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParError, match="played by version 99 of the rules"):
        par_of_record(recorded(played("hearts"), tmp_path, rules_version=99), "greedy")
    with pytest.raises(ParError, match="damaged"):
        par_of_record(recorded(played("hearts"), tmp_path, game="whist"), "greedy")


def test_the_signature_is_how_a_bot_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    known = signature("greedy", "hearts")
    assert len(known) == 12
    assert known != signature("greedy", "spades")
    assert known != signature("random", "hearts")
    monkeypatch.setattr(greedy_hearts, "SAFE_SUIT", 7)  # a rule of thumb changes
    assert signature.__wrapped__("greedy", "hearts") != known
    monkeypatch.setattr(greedy_hearts, "SAFE_SUIT", 8)
    assert signature.__wrapped__("greedy", "hearts") == known
