"""Matches that share their decks, as the turns of a duplicate set do: what is kept, and what is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.codec.json import from_plain
from referee.dealing.scheme import Manifest, verify
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.messages import Commitment
from referee.storage import record
from tests.referee.driven_core import DrivenBot, DrivenCore
from tests.referee.storage.test_recorder import RecordedCore

GAME = "two_handed_spades"
SET = "set-1.1"


@pytest.fixture
def books(tmp_path: Path, driven_core: type[DrivenCore]) -> Iterator[RecordedCore]:
    made = RecordedCore(tmp_path, driven_core)
    yield made
    made.journal.close()


def open_turn(books: RecordedCore, match_id: str, entries: str) -> list[DrivenBot]:
    """Open a turn of the set and seat its bots."""
    books.driven_core.create(
        GAME, match_id, entries=list(entries), clock=PROFILES["debug"], deals=2, epoch=SET
    )
    return [books.driven_core.arrive(entry).ready() for entry in entries]


def play(books: RecordedCore, match_id: str, entries: str) -> list[DrivenBot]:
    """Play a turn of the set to its end."""
    bots = open_turn(books, match_id, entries)
    books.driven_core.play_out()
    return bots


def test_turns_have_the_same_decks_and_commitment_and_other_matches_do_not(books: RecordedCore) -> None:
    first, second = play(books, "m-1", "ab"), play(books, "m-2", "cd")
    told = [bot.of("seated")[0].commitment for bot in (*first, *second)]
    assert told[0] == told[1] and told[2] == told[3]
    assert len({(each.epoch_id, each.commit) for each in told}) == 1
    assert told[0].epoch_id == SET
    assert told[0].manifest != told[2].manifest, "each turn has seats of its own"
    one, two = (report.path for report in books.reported)
    lines = [record.read(path).lines[-1] for path in (one, two)]
    assert lines[0]["secret"] == lines[1]["secret"]
    tables = books.driven_core.opened
    assert [tables[0].deals.deck(deal) for deal in (0, 1)] == [tables[1].deals.deck(deal) for deal in (0, 1)]
    assert tables[0].deals.first(2) == tables[1].deals.first(2)
    alone = books.driven_core.create(GAME, "m-3", entries=["e", "f"])
    assert alone.deals.deck(0) != tables[0].deals.deck(0)


def test_the_record_of_a_turn_is_checked_as_any_other(books: RecordedCore) -> None:
    play(books, "m-1", "ab")
    read = record.read(books.reported[0].path)
    assert read.header["epoch"] == SET
    told = from_plain(Commitment, read.header["commitment"])
    options = read.header["options"]
    deals = books.driven_core.opened[0].deals
    manifest = Manifest(epoch_id=SET, game=GAME, options=options, deals=2, commitment=told.commit)
    verify(
        bytes.fromhex(read.lines[-1]["secret"]),
        manifest,
        commitment=told.commit.hex(),
        manifest_digest=manifest.digest().hex(),
        cards=GAMES[GAME].cards,
        decks=[deals.deck(deal) for deal in range(2)],
        seats=2,
        first=deals.first(2),
    )


def test_what_opens_the_decks_is_told_to_nobody_who_played_them(books: RecordedCore) -> None:
    bots = play(books, "m-1", "ab")
    assert [bot.of("finished")[0].secret for bot in bots] == [b"", b""]
    secret = bytes.fromhex(record.read(books.reported[0].path).lines[-1]["secret"])
    back = books.driven_core.arrive("a")  # who comes back after the end is told of it again
    assert not any(secret in frame for bot in (*bots, back) for frame in bot.frames)
    books.driven_core.create(GAME, "m-2", entries=["a", "b"], deals=1)
    for bot in (back, bots[1]):
        bot.ready()
    books.driven_core.play_out()
    assert len(back.of("finished")[-1].secret) == 32, "a match by itself is opened at its end"


def test_a_turn_tells_nothing_of_another(books: RecordedCore, tmp_path: Path) -> None:
    def heard(others: bool, folder: Path) -> list[bytes]:
        alone = RecordedCore(folder, type(books.driven_core))
        (alone.folder / "secrets" / f"{SET}.secret").write_bytes(bytes(range(32)))
        if others:
            play(alone, "m-0", "cd")
            open_turn(alone, "m-9", "ef")
        bots = open_turn(alone, "m-1", "ab")
        while any(bot.answer() for bot in bots):
            pass
        alone.journal.close()
        return [
            update.SerializeToString()
            for bot in bots
            for update in bot.heard
            if not update.HasField("welcome")
        ]

    assert heard(True, tmp_path / "with") == heard(False, tmp_path / "without")


def test_the_key_stays_until_the_set_is_over(books: RecordedCore) -> None:
    play(books, "m-1", "ab")
    assert books.secrets == [f"{SET}.secret"]
    play(books, "m-2", "cd")
    assert books.secrets == [f"{SET}.secret"]
    books.recorder.close_epoch(SET)
    assert books.secrets == []


@pytest.mark.parametrize("is_open", [True, False])
def test_a_restart_between_two_turns_keeps_the_key_of_an_open_set(
    tmp_path: Path, driven_core: type[DrivenCore], is_open: bool
) -> None:
    first = RecordedCore(tmp_path, driven_core)
    play(first, "m-1", "ab")
    first.journal.close()
    second = RecordedCore(tmp_path, driven_core)
    second.recorder.recover(0, 0, [SET] if is_open else [])
    assert second.secrets == [f"{SET}.secret"] * is_open
    second.journal.close()


def test_a_restart_in_a_turn_goes_on_with_its_decks(tmp_path: Path, driven_core: type[DrivenCore]) -> None:
    first = RecordedCore(tmp_path, driven_core)
    open_turn(first, "m-1", "ab")
    first.journal.close()
    second = RecordedCore(tmp_path, driven_core)
    second.recover()
    table = second.driven_core.core.matches.get("m-1")
    assert table is not None
    assert table.setup.epoch == SET
    assert table.match.outcome is None
    assert table.deals.deck(0) == first.driven_core.opened[0].deals.deck(0)
    second.journal.close()


def test_keys_are_kept_until_it_is_known_which_are_needed(
    tmp_path: Path, driven_core: type[DrivenCore]
) -> None:
    first = RecordedCore(tmp_path, driven_core)
    play(first, "m-1", "ab")
    first.driven_core.create(GAME, "m-3", entries=["e", "f"])
    first.recorder.turn(first.driven_core.now)
    (first.folder / "secrets" / "set-9.1.secret").write_bytes(bytes(32))
    kept = sorted(first.secrets)
    first.journal.close()
    second = RecordedCore(tmp_path, driven_core)
    second.recorder.recover(0, 0, None)
    assert sorted(second.secrets) == kept
    second.recorder.forget_keys_but([SET])
    assert sorted(second.secrets) == ["m-3.1.secret", f"{SET}.secret"]
    second.journal.close()
