"""What language models did, as people and programs are told it."""

import csv
import json
from dataclasses import replace
from io import StringIO

from tests.sample_report import played
from tests.tournaments.page_reader import read
from tournaments.report.model_tables import as_csv, as_json, as_text
from tournaments.usage.account import Account
from tournaments.usage.table import ModelTable

GOOD = Account(matches=2, asked=100, first=95, calls=104, tokens_in=80_000, tokens_out=20_000, seconds=250.0)
BAD = Account(
    matches=2,
    asked=10,
    first=5,
    calls=16,
    unreadable=3,
    illegal=1,
    transport=2,
    defaults=3,
    tokens_in=8000,
    tokens_out=100,
    estimated=10,
    seconds=5.0,
    waited=2.5,
)
BUDGETS = (
    "ann has used 100,000 tokens of max_tokens = 90,000: no more matches begin",
    "all models have used 0.12 of max_cost = 1",
)
TABLE = ModelTable({"ann": GOOD, "=ben": BAD}, {"ann": 0.12}, BUDGETS)


def test_as_text() -> None:
    assert as_text(TABLE, "cup (euchre)").splitlines() == [
        "cup (euchre): language models",
        "   entry  asked  first ask  unreadable  illegal  transport  defaults  tokens in",
        "1  ann      100      95.0%           0        0          0         0     80,000",
        "2  =ben      10      50.0%           3        1          2         3      8,000",
        "",
        "   entry     out    cost  s/decision  waited  s/match",
        "1  ann    20,000  0.1200        2.50    0.00   125.00",
        "2  =ben      100                0.50    0.25     2.50  provisional",
        "asked: decisions without the forced ones; first ask: answered legally at once",
        "seconds: while replies came; waited: for room and after failures, a decision",
        "=ben is provisional: fewer than 20 calls, over 10% of the calls failed, over 20% default actions",
        "=ben: the tokens of 10 decisions are estimated: its server counts none",
        *BUDGETS,
    ]


def test_columns_that_say_nothing_are_left_out() -> None:
    [heading, _line, *_remarks] = as_text(ModelTable({"ann": GOOD}, {"ann": 0.12}), "cup").splitlines()[1:]
    assert heading.split() == [
        "entry",
        "asked",
        "first",
        "ask",
        "tokens",
        "in",
        "out",
        "cost",
        "s/decision",
        "s/match",
    ]


def test_before_anything_is_asked() -> None:
    assert as_text(ModelTable({}, {}, BUDGETS, missing=3), "cup").splitlines()[1:] == [
        "no model was asked yet",
        *BUDGETS,
        "3 records are not here, and not counted",
    ]


def test_as_json() -> None:
    ann, ben = as_json(TABLE)
    assert (ann["entry"], ann["asked"], ann["first_share"], ann["cost"]) == ("ann", 100, 0.95, 0.12)
    assert (ben["provisional"], ben["cost"], ben["illegal"]) == (["calls", "provider", "defaults"], None, 1)
    json.dumps([ben, ann])


def test_as_csv() -> None:
    ann, ben = csv.DictReader(StringIO(as_csv(TABLE)))
    assert (ben["entry"], ben["provisional"], ben["cost"]) == ("'=ben", "calls provider defaults", "")
    assert (ann["entry"], ann["tokens_in"], ann["transport"]) == ("ann", "80000", "0")
    assert as_csv(ModelTable({}, {})) == "entry\n"


def test_on_the_page() -> None:
    given = played(2, 1)
    assert "Language models" not in read(given).html
    found = read(replace(given, models=TABLE))
    assert "Language models" in found.html
    assert found.rows["models"][1][:3] == ["ann", "100", "95.0%"]
    assert "provisional: fewer than 20 calls" in found.html
