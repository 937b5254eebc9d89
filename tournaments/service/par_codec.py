"""Points with the luck of the deal taken out, as messages, and back."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.steps import Steps
from tournaments.par.estimate import Adjusted, Estimates
from tournaments.par.table import ParTable
from tournaments.plan.plan import ParBot

_UNTOLD: Final = "the server's log says why"  # it may name files
_MEASURED: Final = ("raw_margin", "adjusted", "margin", "factor")


class EncodedTable(NamedTuple):
    """The table of a tournament, encoded as an answer without lines, and each line as an answer."""

    head: bytes
    lines: list[bytes]


def encoding(table: ParTable | None) -> Steps[EncodedTable]:
    """Return a table, each line a step."""
    if table is None:
        return EncodedTable(b"", [])
    lines: list[bytes] = []
    found = table.estimates
    entries = [((name, ""), each) for name, each in found.entries.items()]
    for (name, opponent), each in (*entries, *found.pairs.items()):
        yield None
        measured = {of: getattr(each, of) for of in _MEASURED}
        line = pb.ParLine(competitor=name, opponent=opponent, matches=each.matches, raw=each.raw, **measured)
        lines.append(pb.ListParResponse(lines=[line]).SerializeToString())
    par = pb.Par(
        bot=table.par.bot,
        signature=table.par.signature,
        named_before_first_card=table.is_named_before,
        per_match=table.per == "match",
        matches=found.matches,
        factor=found.factor,
        left_out=table.left_out,
        without_par=table.without_par,
        missing=table.missing,
    )
    return EncodedTable(pb.ListParResponse(par=par).SerializeToString(), lines)


def table_of(par: pb.Par, lines: Sequence[pb.ParLine]) -> ParTable:
    """Return the table in answers; of what has no par they do not say why."""
    entries = {line.competitor: _adjusted(line) for line in lines if not line.opponent}
    pairs = {(line.competitor, line.opponent): _adjusted(line) for line in lines if line.opponent}
    return ParTable(
        par=ParBot(par.bot, par.signature),
        is_named_before=par.named_before_first_card,
        per="match" if par.per_match else "deal",
        estimates=Estimates(par.matches, _given(par, "factor"), entries, pairs),
        left_out=par.left_out,
        without_par=par.without_par,
        problem=_UNTOLD if par.without_par else None,
        missing=par.missing,
    )


def _adjusted(line: pb.ParLine) -> Adjusted:
    return Adjusted(line.matches, line.raw, **{of: _given(line, of) for of in _MEASURED})


def _given(message: Any, name: str) -> Any:
    return getattr(message, name) if message.HasField(name) else None
