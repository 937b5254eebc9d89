"""What the pages of a tournament show."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournaments.par.table import ParTable
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.schedule.bracket import Bracket
from tournaments.schedule.stages import PlayedStage
from tournaments.standings.shapes import Report
from tournaments.store import Adjudication, Issued, MatchResult
from tournaments.usage.table import ModelTable


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Everything that a page may show.

    ``planned`` is how many matches the whole schedule has, None where that cannot be known. ``schedule``
    holds the issued matches by serial, each with its result if it has one. ``link_base`` leads from where the
    page will be to the tournament's folder; it is empty or ends with a slash; None: there are no links.
    ``made`` says when the page was made; empty: the page does not say so. ``digest`` is that over all
    records, None without one.
    """

    plan: Plan
    state: TournamentState
    planned: int | None
    issued: int
    played: int
    report: Report
    schedule: Iterable[tuple[Issued, MatchResult | None]]
    link_base: str | None = ""
    made: str = ""
    par: ParTable | None = None
    models: ModelTable | None = None
    rulings: Sequence[Adjudication] = ()
    bracket: Bracket | None = None
    stages: Sequence[PlayedStage] = ()
    digest: str | None = None
