"""Records of real matches as text and in the documentation: nothing is lost, nothing is invented.

With FAIRDEAL_REGENERATE=1 in the environment the golden texts are written anew, and their tests fail once.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairdeal.chance import Chance
from referee import record
from referee.cards import ALL_CARDS, Card, Rank, Seat
from referee.clock import SECOND, ClockSettings
from referee.deals import MatchDeals
from referee.effects import Append, Effect, MatchSetup, Tell, Wake
from referee.faults import FaultPolicy
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    LegalActions,
)
from referee.games.events import BidMade, DealScored
from referee.games.options import OptionValue
from referee.games.registry import GAMES
from referee.match import Match
from referee.plain import tagged
from referee.record import Record, RecordError
from referee.transcript import WIDTH, lines
from referee.updates import Closed, Decision, Given, Index, Malformed
from referee.vault import SeededKeys

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
ENTRIES = ("careful", "greedy", "random-1", "slow")
CLOCK = ClockSettings(move=2 * SECOND, bank=10 * SECOND, increment=SECOND // 10)
STARTED = "2026-11-21T02:13:35+00:00"

Incidents = Mapping[tuple[int, int], str]  # seat and decision id -> what happens instead of an answer


class Unshuffled(MatchDeals):
    """Deals every seat one suit."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        return ALL_CARDS


class NoCourtCards(MatchDeals):
    """Deals seat 0 a hand of piquet without king, queen and jack."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        courts = [c for c in GAMES["piquet"].cards if Rank.JACK <= c % 13 <= Rank.KING]
        plain = [c for c in GAMES["piquet"].cards if c not in courts]
        return (*plain[:12], *courts, *plain[12:])


class Table:
    """Plays a match in process, with bots that choose at random and what is to go wrong."""

    def __init__(
        self,
        game: str,
        *,
        deals: int | None = 1,
        options: Mapping[str, OptionValue] | None = None,
        faults: FaultPolicy | None = None,
        arrivals: Sequence[str] = (),
        incidents: Incidents | None = None,
        dealing: type[MatchDeals] = MatchDeals,
        first_legal: bool = False,
    ) -> None:
        self.game = GAMES[game]
        self.setup = MatchSetup(
            match_id="m-0001",
            game=game,
            options=self.game.bind(options or {}),
            deals=deals,
            entries=ENTRIES[: self.game.seats],
            clock=CLOCK,
            faults=faults or FaultPolicy(),
        )
        self.deals = dealing(self.setup, self.game, SeededKeys("seed"))
        self.match = Match(self.setup, self.game, self.deals)
        self.incidents = dict(incidents or {})
        self.first_legal = first_legal
        self.now = 1_000 * SECOND
        self.wake = 0
        self.log: list[Any] = []
        self.open: dict[Seat, Decision] = {}
        self.asked: dict[Seat, int] = {}
        self.thought: list[list[int]] = [[] for _ in range(self.game.seats)]
        self._arrive(arrivals)
        while not self.match.outcome:
            self._step()

    def record(self, folder: Path) -> Record:
        """Return the record, read back from its file."""
        header = record.header_line(
            self.setup,
            [(entry, "") for entry in self.setup.entries],
            self.game,
            self.deals.commitment,
            software="fairdeal/0.1.0",
            started=STARTED,
        )
        path = record.path_of(folder, self.setup.match_id, self.setup.attempt)
        record.write(path, record.encode(header, self.log, self.deals.secret))
        return record.read(path)

    def _take(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Append(entry):
                    self.log.append(entry)
                case Tell(seat, Decision() as decision):
                    # one that was put before a session was lost is told again
                    if seat not in self.open:
                        self.asked[seat] = self.now
                    self.open[seat] = decision
                case Tell(seat, Closed()):
                    del self.open[seat]
                case Wake(at):
                    self.wake = at

    def _arrive(self, arrivals: Sequence[str]) -> None:
        self._take(self.match.start(self.now))
        ways = [*arrivals, *["ready"] * self.game.seats][: self.game.seats]
        for seat, way in ((Seat(s), way) for s, way in enumerate(ways) if way != "absent"):
            self.now += SECOND // 100
            self._take(self.match.back(seat, self.now))
            match way:
                case "ready":
                    self._take(self.match.ready(seat, self.now))
                case "decline":
                    self._take(self.match.decline(seat, self.now))
                case "returns":
                    self._take(self.match.lost(seat, self.now))
                    self._take(self.match.back(seat, self.now))
                    self._take(self.match.ready(seat, self.now))
                case "leaves":
                    self._take(self.match.ready(seat, self.now))
                    self._take(self.match.lost(seat, self.now))
        if not self.open and not self.match.outcome:
            self._wait()

    def _wait(self) -> None:
        self.now = self.wake
        self._take(self.match.tick(self.now))

    def _step(self) -> None:
        # who is to go wrong waits, so that of several that choose at once only one runs out of time
        seat, decision = min(
            self.open.items(), key=lambda item: ((item[0], item[1].decision_id) in self.incidents, item[0])
        )
        self.now += SECOND // 20 * (1 + seat)
        number = decision.decision_id
        match self.incidents.get((seat, number)):
            case "illegal":
                self._answer(seat, _illegal(decision))
            case "malformed":
                self._answer(seat, Malformed("the answer holds neither an action nor an index"))
            case "late":
                self._wait()
            case "gone":
                self._take(self.match.lost(seat, self.now))
                self._wait()
                self.now += SECOND
                self._take(self.match.back(seat, self.now))
            case "returns":
                self._take(self.match.lost(seat, self.now))
                self.now += SECOND
                self._take(self.match.back(seat, self.now))
                del self.incidents[seat, number]
            case "abandon":
                self._take(self.match.abandon(seat, self.now))
            case "cancel":
                self._take(self.match.cancel(self.now))
            case "void":
                self._take(self.match.void(self.now))
            case _:
                self._answer(seat, self._chosen(seat, decision))

    def _answer(self, seat: Seat, given: Given) -> None:
        self.thought[seat].append(self.now - self.asked[seat])
        self._take(self.match.answer(seat, self.open[seat].decision_id, given, self.now))

    def _chosen(self, seat: Seat, decision: Decision) -> Action:
        legal = decision.legal
        if isinstance(legal, LegalActions):
            chance = Chance("seed", self.setup.match_id, seat, decision.decision_id)
            return legal.actions[0] if self.first_legal else chance.choice(legal.actions)
        if isinstance(legal, ChooseFurther):
            return ChooseCombinations(legal.combinations)
        # unshuffled, seat 0 then keeps its high clubs and gets three high spades: it shoots the moon
        count = min(3, legal.maximum)
        return ChooseCards(legal.cards[:count] if seat == 0 else legal.cards[-count:])


def _illegal(decision: Decision) -> Action | Index:
    legal = decision.legal
    if isinstance(legal, LegalActions):
        return Index(len(legal.actions))
    assert isinstance(legal, Choose) and legal.minimum
    return ChooseCards(legal.cards[: legal.minimum - 1])


def hearts_with_faults() -> Table:
    """Play hearts until nearly everything has gone wrong that lets a match go on."""
    return Table(
        "hearts",
        deals=2,
        options={"target": 50, "moon": "add"},
        arrivals=("ready", "returns", "ready", "ready"),
        incidents={
            (0, 5): "returns",
            (1, 1): "illegal",
            (2, 3): "late",
            (2, 6): "gone",
            (2, 9): "illegal",
            (3, 2): "malformed",
            (3, 17): "late",
        },
    )


def spades_with_faults() -> Table:
    """Play two-handed spades with a fault in each phase."""
    incidents = {(0, 4): "illegal", (0, 7): "returns", (1, 14): "malformed", (1, 18): "late"}
    return Table("two_handed_spades", deals=2, incidents=incidents)


def blind_spades() -> Table:
    """Play spades, where a side is soon far enough behind to bid blind, with faults."""
    return Table(
        "spades",
        deals=2,
        options={"blind_nil_gap": 10},
        incidents={(0, 1): "illegal", (1, 3): "late", (3, 15): "malformed", (2, 16): "illegal"},
    )


def euchre_with_faults() -> Table:
    """Play euchre with a fault in each phase."""
    return Table(
        "euchre",
        deals=4,
        options={"stick_the_dealer": False},
        incidents={(0, 2): "late", (1, 1): "illegal", (2, 2): "malformed", (3, 2): "illegal"},
    )


def piquet_with_faults() -> Table:
    """Play piquet with faults."""
    return Table("piquet", deals=2, incidents={(1, 2): "illegal", (0, 2): "late", (1, 4): "malformed"})


def moon() -> Table:
    return Table("hearts", dealing=Unshuffled, first_legal=True)


def text_of(played: Table, folder: Path) -> list[str]:
    return list(lines(played.record(folder)))


def normal(text: Iterable[str]) -> list[str]:
    """Return lines without their alignment."""
    return [" ".join(line.split()) for line in text]


def blank() -> Table:
    return Table("piquet", deals=2, dealing=NoCourtCards, first_legal=True)


# --- whole texts ------------------------------------------------------------------------------------------

SHORT_MATCHES = {
    "hearts": hearts_with_faults,
    "spades": blind_spades,
    "euchre": euchre_with_faults,
    "piquet": piquet_with_faults,
    "two_handed_spades": spades_with_faults,
}


@pytest.mark.parametrize("game", GAMES)
def test_the_text_of_a_match_is_the_golden_one(game: str, tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in text_of(SHORT_MATCHES[game](), tmp_path))
    path = GOLDEN / f"record_{game}.txt"
    if os.environ.get("FAIRDEAL_REGENERATE") == "1":
        path.write_text(text)
        pytest.fail(f"{path} was written anew: read it, and run again without FAIRDEAL_REGENERATE")
    assert text == path.read_text()


# --- ways to begin and to end -----------------------------------------------------------------------------

ONCE = FaultPolicy(substitute=False)
REMARKS = ("! ", "- ")

COURSES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "a declined seat of four": (
        "hearts",
        {"arrivals": ["ready", "ready", "decline"]},
        [
            "! 0.030 s seat 2 random-1: declined its seat; it forfeits",
            "Deal 1: cards pass left",
            "Outcome: completed, 1 deal",
            "3 21 seat 0 careful",
            "4 5 seat 2 random-1",
            "seat 2 random-1 none; forfeited",
            "seat 2 random-1 0.000 s in 0 answers",
        ],
    ),
    "a declined seat of two": (
        "two_handed_spades",
        {"arrivals": ["decline"]},
        [
            "! 0.010 s seat 0 careful: declined its seat; it forfeits",
            "Outcome: forfeit, 0 deals",
            "1 - seat 1 greedy",
            "2 - seat 0 careful",
        ],
    ),
    "not ready in time": (
        "hearts",
        {"arrivals": ["decline", "leaves", "silent", "ready"]},
        [
            "! 0.010 s seat 0 careful: declined its seat; it forfeits",
            "- 0.020 s seat 1 greedy lost its session",
            "! 30.000 s seat 1 greedy: disconnected, not ready in time; it forfeits",
            "! 30.000 s seat 2 random-1: late, not ready in time; it forfeits",
            "Deal 1: cards pass left",
            "seat 0 careful none; forfeited",
            "seat 1 greedy 1 disconnected; 1 session lost; forfeited",
            "seat 2 random-1 1 late; forfeited",
            "seat 3 slow none",
        ],
    ),
    "nobody comes": (
        "two_handed_spades",
        {"arrivals": ["absent", "absent"]},
        [
            "! 30.000 s seat 0 careful: disconnected, not ready in time; it forfeits",
            "! 30.000 s seat 1 greedy: disconnected, not ready in time; it forfeits",
            "Outcome: forfeit, 0 deals",
            "1 - seat 0 careful",
            "1 - seat 1 greedy",
        ],
    ),
    "a bot is gone for good": (
        "hearts",
        {"incidents": {(3, 1): "abandon"}},
        [
            "! 0.540 s seat 3 slow: disconnected, its bot never comes back; it forfeits",
            "seat 3 slow gives 4C 6C 7C to seat 0 careful (default)",
            "seat 3 slow 1 disconnected; forfeited",
        ],
    ),
    "the fault that ends the match": (
        "two_handed_spades",
        {"faults": ONCE, "incidents": {(0, 15): "late"}},
        [
            "faults the default action is played; a seat forfeits at fault 1",
            "! 15.720 s seat 0 careful: late, no answer after 13.500 s (fault 1 of 1); it forfeits",
            "1 - *8D nobody, the match was over",
            "Outcome: forfeit, 1 deal",
            "1 - seat 1 greedy",
            "2 - seat 0 careful",
            "seat 0 careful 1 late; forfeited",
        ],
    ),
    "the illegal answer that ends the match": (
        "two_handed_spades",
        {"faults": ONCE, "incidents": {(1, 2): "illegal"}},
        [
            "1:-KH+8D 0:-2D+3D",
            "! 0.270 s seat 1 greedy: illegal answer: index 2 (fault 1 of 1); it forfeits",
            "Outcome: forfeit, 1 deal",
        ],
    ),
    "cancelled": (
        "hearts",
        {"incidents": {(3, 1): "cancel"}},
        [
            "! 0.540 s the match was cancelled",
            "Outcome: cancelled, 1 deal",
            "no result, the match counts for nobody",
        ],
    ),
    "void": (
        "hearts",
        {"incidents": {(3, 1): "void"}},
        ["! 0.540 s the referee failed, which is no bot's fault", "Outcome: void, 1 deal"],
    ),
    "capped": (
        "hearts",
        {"deals": None, "options": {"max_deals": 1}},
        [
            "Match m-0001, attempt 1: American hearts, a whole game",
            "options max_deals = 1",
            "Outcome: completed, 1 deal, decided by the scores at the cap on deals",
        ],
    ),
    "a deal without a pass": ("hearts", {"deals": 4}, ["Deal 4: no cards are passed"]),
    "a moon that is chosen": (
        "hearts",
        {"dealing": Unshuffled, "first_legal": True},
        [
            "seat 0 careful C 2 3 4 5 6 7 8 9 T J Q K A D - H - S -",
            "seat 0 careful shot the moon: 26 off its own total",
            "points -26 0 0 0",
        ],
    ),
    "a moon that an option settles": (
        "hearts",
        {"dealing": Unshuffled, "first_legal": True, "options": {"moon": "add"}},
        ["seat 0 careful shot the moon: 26 on each other total", "points 0 26 26 26"],
    ),
    "a moon that the referee chooses": (
        "hearts",
        {"dealing": Unshuffled, "first_legal": True, "incidents": {(0, 15): "late"}},
        [
            "! 20.540 s seat 0 careful: late, no answer after 13.500 s; default: subtract (fault 1 of 3)",
            "seat 0 careful shot the moon: 26 off its own total (default)",
        ],
    ),
    "nil": (
        "two_handed_spades",
        {"first_legal": True},
        ["seat 1 greedy bids nil", "seat 0 careful bids nil"],
    ),
}


@pytest.mark.parametrize("course", COURSES)
def test_what_matters_is_told_in_order_and_no_other_remark(course: str, tmp_path: Path) -> None:
    game, given, expected = COURSES[course]
    text = normal(text_of(Table(game, **given), tmp_path))
    rest = iter(text)
    missing = [line for line in expected if line not in rest]
    assert not missing, "\n".join(text)
    assert [line for line in text if line[:2] in REMARKS] == [
        line for line in expected if line[:2] in REMARKS
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Table, Record]]:
    tables = [make() for make in SHORT_MATCHES.values()]
    tables += [Table("piquet", incidents={(seat, 1): "late"}) for seat in (0, 1)]
    tables += [moon(), blank(), Table("euchre", deals=40), Table("piquet", deals=40)]
    tables += [Table(game, **given) for game, given, _expected in COURSES.values()]
    return [(table, table.record(tmp_path_factory.mktemp("records"))) for table in tables]


def test_all_text_fits_and_prints(corpus: list[tuple[Table, Record]]) -> None:
    for _table, played in corpus:
        for line in lines(played):
            assert len(line) <= WIDTH and line.isprintable() and line == line.rstrip()


def test_nothing_that_happens_in_a_real_match_is_shown_as_it_stands(
    corpus: list[tuple[Table, Record]],
) -> None:
    assert not [line for _table, played in corpus for line in lines(played) if "{" in line]


def test_the_time_to_think_is_what_the_bots_took(corpus: list[tuple[Table, Record]]) -> None:
    for table, played in corpus:
        text = normal(lines(played))
        thought = text[text.index("time to think, of the decisions that were answered") + 1 : -2]
        told = [re.match(r"seat \d \S+ ([\d.]+) s in (\d+) answers?", line) for line in thought]
        assert [(f"{sum(times) / SECOND:.3f}", str(len(times))) for times in table.thought] == [
            found.groups() for found in told if found
        ]


def test_a_default_that_makes_no_event_is_not_put_down_to_what_the_bot_does_next(tmp_path: Path) -> None:
    # elder's blank is declined for it, and nobody is told
    (elder,) = (int(line.split()[3]) for line in text_of(Table("piquet"), tmp_path) if "is elder" in line)
    played = Table("piquet", incidents={(elder, 1): "late"})
    (done,) = (line for line in text_of(played, tmp_path) if f"seat {elder}" in line and "exchanges" in line)
    assert not done.endswith("(default)")


# --- what is not as expected ------------------------------------------------------------------------------


def small(*log: Any, **header: Any) -> Record:
    """Return a record of a few lines with the header of a real one."""
    table = Table("hearts", arrivals=["decline"] * 4)
    setup, deals = table.setup, table.deals
    owners = [(entry, "") for entry in setup.entries]
    head = record.header_line(setup, owners, table.game, deals.commitment, software="", started=STARTED)
    return Record({**head, **header}, tuple(log))


def events(*some: Any) -> list[dict[str, Any]]:
    return [tagged(event) for event in some]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "kitty_opened", "seat": 1, "cards": ["2C"]},
        {"type": "input", "kind": "paused", "at": 5},
        {"type": "drafted", "seat": 0, "choice": "keep", "kept": "2C", "discarded": "3C"},
        {"type": "card_played", "seat": 9, "suit": "C"},
        {"type": "deal_scored", "deal": 1, "points": 7},
    ],
)
def test_a_line_that_is_not_known_is_shown_as_it_stands(line: dict[str, Any]) -> None:
    rest = json.dumps({name: value for name, value in line.items() if name != "type"})
    assert list(lines(small(line)))[-1] == f"  {line['type']} {rest}"


def test_no_line_stops_the_text(corpus: list[tuple[Table, Record]]) -> None:
    for _table, played in corpus[1:3]:
        for number, line in enumerate(played.lines):
            for name in line.keys() - {"type"}:
                damaged = list(played.lines)
                damaged[number] = {**line, name: None}
                assert any(text.startswith("Reveal") for text in lines(Record(played.header, tuple(damaged))))


def test_a_game_that_is_not_known_is_shown_by_what_all_games_share() -> None:
    score = DealScored(1, (62, -40), (62, -40))
    text = normal(lines(small(*events(BidMade(Seat(2), 0), score), game="whist", options={"rubber": True})))
    assert text[0] == "Match m-0001, attempt 1: whist, 1 deal"
    assert "options rubber = true" in text
    assert text[-4:] == ["seat 2 random-1 bids nil", "side 0 1", "points 62 -40", "total 62 -40"]


def test_partners_share_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAMES["hearts"]), "sides", ((Seat(0), Seat(2)), (Seat(1), Seat(3))))
    score = events(DealScored(1, (62, -40), (62, -40), (2, 0)))
    no_faults = {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}
    outcome = {
        "type": "outcome",
        "termination": "completed",
        "ranks": [2, 1],
        "scores": [62, 70],
        "capped": False,
        "faults": [no_faults] * 4,
        "forfeited": [],
        "times": [{"answered": 0, "total": 0, "longest": 0}] * 4,
    }
    text = normal(lines(small(*score, outcome)))
    assert "side 0+2 1+3" in text and "bags 2 0" in text
    ranking = text.index("rank score")
    assert text[ranking + 1 : ranking + 3] == [
        "1 70 seat 1 greedy + seat 3 slow",
        "2 62 seat 0 careful + seat 2 random-1",
    ]


def test_what_a_terminal_would_obey_is_spelled_out() -> None:
    text = list(lines(small(entries=["\x1b[2J\u202eeerg", "b\nc", "\ud800", "x" * 300])))
    assert all(line.isprintable() and len(line) <= WIDTH for line in text)
    assert r"  seat 0      \x1b[2J\u202eeerg" in text
    assert r"  seat 1      b\nc" in text
    assert r"  seat 2      \ud800" in text


@pytest.mark.parametrize(
    ("name", "value"),
    [("entries", 7), ("game", []), ("faults", 3), ("clock", {"move": 1}), ("options", None)],
)
def test_a_header_with_something_else_in_it_is_refused_in_one_line(name: str, value: Any) -> None:
    with pytest.raises(RecordError, match=r"^the record's header is damaged \(.+\); get a whole copy"):
        list(lines(small(**{name: value})))


def test_a_header_that_lacks_a_field_is_refused_in_one_line() -> None:
    whole = small().header
    for name in whole.keys() - {"type", "format"}:
        rest = {key: value for key, value in whole.items() if key != name}
        with pytest.raises(RecordError, match=rf"^the record's header is damaged \(KeyError: '{name}'\)"):
            list(lines(Record(rest, ())))


# --- the documentation ------------------------------------------------------------------------------------

Fields = dict[str, set[str]]


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "records.md").read_text()


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def note_fields(data: Any, kind: str, fields: Fields) -> None:
    """Note which fields the objects of each kind have; an object without a type is named by its field."""
    if isinstance(data, list):
        for item in data:
            note_fields(item, kind, fields)
    if isinstance(data, dict):
        kind = data.get("type", kind)
        for name, value in data.items():
            fields.setdefault(kind, set()).add(name)
            note_fields(value, f"{kind}.{name}", fields)


def test_the_documentation_has_every_line_and_field_of_real_records_and_no_other(
    page: str, corpus: list[tuple[Table, Record]]
) -> None:
    real: Fields = {}
    for _table, played in corpus:
        note_fields([played.header, *played.lines], "", real)
    real["header.options"] = set(GAMES["hearts"].bind({}))  # the example's; other games have others
    shown: Fields = {}
    for block in blocks(page, "json"):
        note_fields([json.loads(line) for line in block.splitlines()], "", shown)
    assert shown == real
    described = set(re.findall(r"`(\w+)`", page))
    names = {name for kind, fields in real.items() if kind != "header.options" for name in fields}
    assert names | {kind for kind in real if "." not in kind} <= described


@pytest.mark.parametrize(
    ("where", "field"),
    [("input", "kind"), ("substituted", "fault"), ("outcome", "termination"), ("dealt", "direction")],
)
def test_the_documentation_has_every_word_of_real_records(
    page: str, corpus: list[tuple[Table, Record]], where: str, field: str
) -> None:
    found = [
        line[field]
        for _t, played in corpus
        for line in played.lines
        if line["type"] == where and field in line
    ]
    assert len(set(found)) > 3
    assert set(found) <= set(re.findall(r"`(\w+)`", page))


def test_the_program_of_the_documentation_reads_a_real_record(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hearts_with_faults().record(tmp_path)
    monkeypatch.chdir(tmp_path)
    (program,) = blocks(page, "python")
    exec(compile(program, "docs/records.md", "exec"), {})
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "hearts played by careful, greedy, random-1, slow"
    assert "deal 1 points [0, 4, 8, 14] totals [0, 4, 8, 14]" in told
    assert "default for random-1 because of an earlier forfeit" in told
    assert told[-1] == "completed with ranks [1, 2, 4, 3]"
