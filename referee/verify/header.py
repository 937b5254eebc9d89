"""The header of a record: its shape, and the match that it is of."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from referee.dealing import binding
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import Revealed
from referee.dealing.scheme import SECRET_BYTES
from referee.games.options import problems
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup
from referee.match.replay import Header, ReplayError
from referee.storage import record
from referee.verify.lines import Line
from referee.verify.values import MISSING, Discrepancy, NotVerified, as_json, difference, differs, unknown

_NAME: Final = re.compile(r"(.+)\.([0-9]+)\.jsonl\.gz")

# how many lines a record may have: a deal in which every seat is at fault with every answer has about 300
_LINES_A_DEAL: Final = 400
_OTHER_LINES: Final = 200_000  # of seats that come and go, and of a referee that was started again
_MOST_DEALS: Final = 1000  # of a match
_WHOLE_GAME: Final = 60  # deals, where no option says how many it may have

_BINDS: Final = {
    binding.PLAIN_SCHEME: "game, options, deals and epoch",
    binding.SCHEME: "game, options, deals, epoch, match, attempt, rules_version, clock, faults, event_grid,"
    " entries, instances and repeatable",
}

_Test = Callable[[Any], bool]


def _number(low: int) -> _Test:
    return lambda value: type(value) is int and value >= low


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value != "" and value.isascii()


_TIMES: Final = dict.fromkeys(("move", "bank", "increment", "lag", "lag_cap", "start"), _number(0))
_SHAPE: Final[Mapping[str, _Test]] = {
    "software": _is_text,
    "started": _is_text,
    "match_id": _is_id,
    "attempt": _number(1),
    "game": _is_text,
    "rules_version": _number(1),
    "options": lambda value: isinstance(value, dict),
    "deals": lambda value: value is None or _number(1)(value),
    "entries": _are_texts,
    "instances": _are_texts,
    **{f"clock.{name}": test for name, test in _TIMES.items()},
    "faults.substitute": lambda value: isinstance(value, bool),
    "faults.max_faults": _number(1),
    "commitment.scheme": _is_text,
    "commitment.epoch_id": _is_id,
    "commitment.commit": _is_text,
    "commitment.manifest": _is_text,
    "commitment.repeatable": lambda value: isinstance(value, bool),
}


def read_match(line: Line) -> Header:
    """Return the match that a header is of, by rules that this version has.

    Raises:
        NotVerified: it is damaged, or of a match that this version cannot follow.
    """
    if "format" not in line:
        raise NotVerified(Discrepancy("the header is damaged", 1, "format", None, as_json(MISSING)))
    if line["format"] != record.FORMAT:
        text = f"the format is {as_json(line['format'])}; this version reads {record.FORMAT}"
        raise unknown(text, 1, "format")
    for path, is_right in _SHAPE.items():
        if not is_right(value := _at(line, path)):
            raise NotVerified(Discrepancy("the header is damaged", 1, path, None, as_json(value)))
    rules = GAMES.get(line["game"])
    if rules is None:
        raise unknown(f"this version has no game {as_json(line['game'])}", 1, "game")
    if line["commitment"]["scheme"] not in binding.SCHEMES:
        text = f"the decks are of another scheme; this version knows {' and '.join(binding.SCHEMES)}"
        raise unknown(text, 1, "commitment.scheme")
    if wrong := problems(rules.options, line["options"]):
        name, text = next(iter(wrong.items()))
        raise unknown(f"this version has no such option ({text})", 1, f"options.{name}")
    try:
        header = record.read_header(line)
    except ReplayError as error:
        raise NotVerified(Discrepancy(str(error), 1)) from None
    try:
        again = record.header_line(
            header.setup,
            header.owners,
            rules,
            header.commitment,
            software=line["software"],
            started=line["started"],
            rules_version=line["rules_version"],  # whether it is ours, its reader looks at
        )
    except ValueError as error:
        raise NotVerified(Discrepancy(f"the header has a value that no match has ({error})", 1)) from None
    if where := difference(again, line):
        path, expected, found = where
        if path.startswith("bound."):
            where = (path.removeprefix("bound."), expected, found)
            raise differs("this is not what the manifest was made of: its hash differs", 1, where)
        raise differs("the header has a value that no such match has", 1, where)
    _check_seats(header, rules.seats)
    return header


def most_lines(setup: MatchSetup) -> int:
    """Return how many lines the record of a match may have; none that a referee played comes near."""
    deals = setup.deals or setup.options.get("max_deals", _WHOLE_GAME)
    assert isinstance(deals, int)
    return _OTHER_LINES + _LINES_A_DEAL * min(deals, _MOST_DEALS)


def _at(line: Line, path: str) -> Any:
    value: Any = line
    for name in path.split("."):
        value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
    return value


def _check_seats(header: Header, seats: int) -> None:
    if len(header.owners) != seats:
        where = ("entries", seats, len(header.owners))
        raise differs("one entry has each seat", 1, where)
    for seat, owner in enumerate(header.owners):
        if owner in header.owners[:seat]:
            text = f"one instance of {as_json(owner[0])} has two seats"
            raise NotVerified(Discrepancy(text, 1, f"instances[{seat}]", None, as_json(owner[1])))


def check_name(name: str, setup: MatchSetup) -> None:
    """Check that a file that is named as records are has the name of its match.

    Raises:
        NotVerified: it has that of another.
    """
    if named := _NAME.fullmatch(name):
        for field, expected, found in (
            ("match_id", named[1], setup.match_id),
            ("attempt", named[2], str(setup.attempt)),
        ):
            if expected != found:
                text = f"the record is of another match than its file, {name}, is named after"
                raise differs(text, 1, (field, expected, found))


def opened(header: Header, reveal: Line, number: int) -> MatchDeals:
    """Return the decks of a match from what its record reveals.

    Raises:
        NotVerified: the secret does not open the commitment, or does not give the digest of the manifest.
    """
    try:
        secret = bytes.fromhex(reveal.get("secret", ""))
    except (TypeError, ValueError):
        secret = b""
    if len(secret) != SECRET_BYTES:
        text = f"a secret is {SECRET_BYTES} bytes in hexadecimal"
        raise NotVerified(Discrepancy(text, number, "secret", None, as_json(reveal.get("secret", MISSING))))
    due = {"type": "reveal", "secret": secret.hex(), **({"told": reveal["told"]} if "told" in reveal else {})}
    if where := difference(due, reveal):
        raise differs("the reveal holds a secret, digests of what was told, and nothing else", number, where)
    rules, told = GAMES[header.setup.game], header.commitment
    try:
        keys = Revealed(secret, repeatable=told.repeatable)
        deals = MatchDeals(header.setup, rules, keys, rules_version=header.rules_version)
    except ValueError as error:
        raise NotVerified(Discrepancy(f"no decks follow from the header ({error})", 1)) from None
    ours = deals.commitment
    for field, text in (
        ("epoch_id", "this match is of another epoch"),
        ("commit", "the secret at the end does not open the commitment"),
        ("manifest", f"the digest is not that of {_BINDS[told.scheme]}"),
    ):
        expected, found = getattr(ours, field), getattr(told, field)
        if expected != found:
            raise differs(text, 1, (f"commitment.{field}", _hex(expected), _hex(found)))
    return deals


def _hex(value: bytes | str) -> str:
    return value.hex() if isinstance(value, bytes) else value
