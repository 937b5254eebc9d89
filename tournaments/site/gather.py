"""What a site shows, read from the store."""

import json
from dataclasses import replace

from tournaments.par.table import ParTable
from tournaments.plan.plan import Plan
from tournaments.report.texts import report_data
from tournaments.report.write import gathered
from tournaments.running.roster import playing
from tournaments.site import paths
from tournaments.site.index import MatchIndex
from tournaments.site.matches import ToldMatch, matches
from tournaments.site.pages import Site
from tournaments.standings import Report, current
from tournaments.store import Store
from tournaments.usage.table import ModelTable, model_table


def site_of(
    plan: Plan,
    store: Store,
    index: MatchIndex,
    report: Report,
    *,
    par: ParTable | None = None,
    models: ModelTable | None = None,
) -> Site:
    """Return the site of a tournament as it is now, given an index that has taken its matches.

    Raises:
        StoreError: the store cannot be read.
    """
    data = gathered(plan, store, report, par=par, models=models)
    # what grows with the square of the field, or with time, is in the files of the competitors
    bare = replace(report, crosstable={})
    told = report_data(plan, store, bare, par, models, history=False, is_here=False)
    del told["crosstable"]
    return Site(data, index, json.dumps(told, indent=1) + "\n")


def site_now(plan: Plan, store: Store, index: MatchIndex, par: ParTable | None = None) -> Site:
    """Do the same as `site_of`, with the standings computed from what is stored.

    Raises:
        StoreError: the store cannot be read.
    """
    plan = replace(plan, entries=playing(plan, store.roster()))
    return site_of(plan, store, index, current(store, plan), par=par, models=model_table(plan, store))


def matches_at(plan: Plan, store: Store, path: str) -> list[ToldMatch]:
    """Return the matches that what is at a path is made of: one, those of a folder, or none.

    Raises:
        StoreError: the store cannot be read.
    """
    if (found := paths.matches_at(path)) is None:
        return []
    folder, match_id = found
    first = folder * paths.IN_A_FOLDER + 1
    some = matches(plan, store, first, first + paths.IN_A_FOLDER - 1)
    return [match for match in some if match_id in (None, match.issued.match_id)]
