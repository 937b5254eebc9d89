"""The report of a tournament as one page of HTML that opens from a file, offline.

It contains its style and its plots, and fetches nothing. Its only script, the one that its policy allows,
sorts and searches tables; without it everything is there, too. Every text that comes from outside is escaped.
The same data give the same bytes.
"""

import base64
import hashlib
from importlib import resources
from typing import Final

from markupsafe import Markup

from referee.games.registry import GAMES
from tournaments.report import facts, rating_plots, schedule_rows, sections
from tournaments.report.data import ReportData
from tournaments.report.environment import environment
from tournaments.report.sections import MOST_SHOWN


def page(data: ReportData) -> str:
    """Return the page as HTML."""
    standings = data.report.standings
    shown = standings[:MOST_SHOWN]
    return _TEMPLATES.get_template("report.html.j2").render(
        plan=data.plan,
        href_of=lambda name: "",
        match_href="#{}".format,
        heading="h2",
        lead=facts.lead(data.plan, data.state),
        facts=facts.facts(data.plan),
        tiles=sections.tiles(data),
        made=data.made,
        link_base=data.link_base,
        low_wins=GAMES[data.plan.game].low_wins,
        **sections.in_standings(data.plan, standings),
        most_shown=MOST_SHOWN,
        crosstable=sections.crosstable(shown, data.report.crosstable),
        ratings=rating_plots.over_time(shown),
        scores=sections.scores(shown),
        faults=sections.faults(standings),
        times=sections.times(standings),
        schedule=schedule_rows.rows(data.plan, data.schedule, data.issued, data.link_base),
        rulings=data.rulings,
        bracket=sections.bracket(data.plan, data.bracket),
        groups=sections.groups(data.stages),
        digest=data.digest,
        script=_SCRIPT,
        script_sha256=base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode(),
        **sections.luck(data.par),
        **sections.models(data.models),
    )


_TEMPLATES: Final = environment()
_SCRIPT: Final = Markup(resources.files(__package__).joinpath("templates", "report.js").read_text("utf-8"))
