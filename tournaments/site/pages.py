"""The pages of a site but those of matches: a path and the state of a tournament to bytes.

Nothing here reads or writes anything, and the same state gives the same bytes, so that a writer of a folder
and a server make the same site.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from referee.games.registry import GAMES
from tournaments.plan.plan import Plan
from tournaments.report import export, facts, model_tables, par_tables, rating_plots, sections
from tournaments.report.data import ReportData
from tournaments.report.sections import MOST_SHOWN
from tournaments.site import paths
from tournaments.site.assets import POLICY, assets
from tournaments.site.index import TEMPLATES, MatchIndex
from tournaments.standings.shapes import Encounters, Skill, Standing

MENU: Final = (
    ("index.html", "Overview"),
    ("standings.html", "Standings"),
    ("crosstable.html", "Crosstable"),
    ("ratings.html", "Ratings"),
    ("schedule.html", "Schedule"),
    ("faults.html", "Faults"),
    ("data.html", "Data"),
)
_FIRST: Final = 10  # competitors on the overview
_LATEST: Final = 15  # results on it
_LAST: Final = 50  # matches on the page of an entry
_SHADES: Final = 5


def rendered(template: str, path: str, plan: Plan, href_of: Callable[[str], str], **more: Any) -> bytes:
    """Return the page at a path; ``href_of`` returns where the name of a competitor leads, empty: nowhere."""
    context = {
        "root": "../" * path.count("/"),
        "here": path,
        "pages": MENU,
        "policy": POLICY,
        "plan": plan,
        "game": GAMES[plan.game].title,
        "content": template,
        "href_of": href_of,
        "digest_of_page": "",
    }
    return TEMPLATES.get_template("base.html.j2").render(context | more).encode(errors="replace")


@dataclass(frozen=True)
class Site:
    """The site at one moment. ``json`` is the report for programs, as text."""

    data: ReportData
    index: MatchIndex
    json: str

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files but those of matches, their lists and the lists' files."""
        yield from assets()
        yield from self._files
        for name in self._standings:
            yield paths.entry_file(name)
            yield paths.entry_page(name)
            yield from (paths.entry_page(name, part) for part in range(1, self._parts(name) + 1))
        yield from reversed([path for path, _ in MENU])  # the overview last: it leads to all others

    def lists(self) -> Iterator[str]:
        """Yield the paths of the lists of matches, and of their files, which need more than is here."""
        for each in self._folders:
            yield from (each["page"], each["csv"], each["json"])

    def page(self, path: str) -> bytes | None:
        """Return what is at a path, None where nothing is that is made here."""
        if path in assets():
            return assets()[path]
        if (text := self._files.get(path)) is not None:
            return text().encode(errors="replace")
        if (make := _PAGES.get(path)) is not None:
            return make(self)
        if (of_entry := self._entry_pages.get(path)) is not None:
            name, part = of_entry
            return self._part(path, name, part) if part else self._entry(path, name)
        if (name_of_file := self._entry_files.get(path)) is not None:
            return self._entry_file(name_of_file)
        folder = self._lists.get(path)
        return None if folder is None else self._list(path, folder)

    def _render(self, template: str, path: str, title: str, **more: Any) -> bytes:
        root = "../" * path.count("/")

        def href_of(name: str) -> str:
            return root + paths.link(paths.entry_page(name)) if name in self._standings else ""

        return rendered(template, path, self.data.plan, href_of, title=title, **more)

    # Pages at the root

    def overview(self) -> bytes:
        """Return the first page."""
        first = self.data.report.standings[:_FIRST]
        return self._render(
            "index.html.j2",
            "index.html",
            "Overview",
            heading="h2",
            lead=self._lead,
            tiles=sections.tiles(self.data),
            facts=facts.facts(self.data.plan),
            competitors=len(self.data.report.standings),
            bracket=sections.bracket(self.data.plan, self.data.bracket),
            latest=self.index.latest(_LATEST),
            sides=self.index.sides,
            **sections.in_standings(self.data.plan, first),
        )

    def standings(self) -> bytes:
        """Return the page of the standings, with groups, bracket, luck, models and rulings."""
        return self._render(
            "standings_page.html.j2",
            "standings.html",
            "Standings",
            heading="h1",
            groups=sections.groups(self.data.stages),
            bracket=sections.bracket(self.data.plan, self.data.bracket),
            rulings=self.data.rulings,
            match_href=self._match_href,
            most_shown=MOST_SHOWN,
            **sections.in_standings(self.data.plan, self.data.report.standings),
            **sections.luck(self.data.par),
            **sections.models(self.data.models),
        )

    def crosstable(self) -> bytes:
        """Return the page of the crosstable."""
        rows = self.data.report.standings
        table = sections.crosstable(rows[:MOST_SHOWN], self.data.report.crosstable)
        return self._render(
            "crosstable_page.html.j2",
            "crosstable.html",
            "Crosstable",
            heading="h1",
            crosstable=table,
            rows=rows,
            most_shown=MOST_SHOWN,
        )

    def ratings(self) -> bytes:
        """Return the page of ratings over time and scores."""
        rows = self.data.report.standings
        return self._render(
            "ratings_page.html.j2", "ratings.html", "Ratings", **self._plots(rows[:MOST_SHOWN]), rows=rows
        )

    def schedule(self) -> bytes:
        """Return the page that leads to the lists of matches."""
        counts = {"issued": self.data.issued, "played": self.data.played, "digest": self.data.digest}
        return self._render(
            "schedule_page.html.j2",
            "schedule.html",
            "Schedule",
            lead=self._lead,
            lists=self._folders,
            **counts,
        )

    def faults(self) -> bytes:
        """Return the page of faults and think times."""
        rows = self.data.report.standings
        return self._render(
            "faults_page.html.j2",
            "faults.html",
            "Faults",
            rows=rows,
            faults=sections.faults(rows),
            times=sections.times(rows),
        )

    def files(self) -> bytes:
        """Return the page that says what is there for programs."""
        return self._render(
            "data_page.html.j2",
            "data.html",
            "Data",
            files=[(path, _ABOUT[path]) for path in self._files],
            lists=self._folders,
            digest=self.data.digest,
        )

    # Entries and lists

    def _entry(self, path: str, name: str) -> bytes:
        standing = self._standings[name]
        serials = self.index.serials_of(name)
        members = self.index.names.entries_of(name)
        return self._render(
            "entry_page.html.j2",
            path,
            name,
            standing=standing,
            file=f"../{paths.link(paths.entry_file(name))}",
            members=[] if members == (name,) else members,
            tiles=_tiles(standing),
            opponents=[self._opponent(standing, other, met) for other, met in self._met.get(name, ())],
            rows=[standing],
            faults=sections.faults([standing]),
            times=sections.times([standing]),
            lines=self.index.html(serials[: -_LAST - 1 : -1]),
            parts=[self._part_of(name, part) for part in range(1, self._parts(name) + 1)],
            sides=self.index.sides,
            **self._plots([standing]),
        )

    def _entry_file(self, name: str) -> bytes:
        met = dict(self._met.get(name, ()))
        told = export.standing_as_json(self._standings[name], self._skills, met, self.data.report)
        return f"{json.dumps(told, indent=1)}\n".encode(errors="replace")

    def _part(self, path: str, name: str, part: int) -> bytes:
        here = self._part_of(name, part)
        return self._render(
            "part_page.html.j2",
            path,
            f"{name}, matches {here['first']} to {here['last']}",
            standing=self._standings[name],
            lines=self.index.html(self.index.serials_of(name)[here["first"] - 1 : here["last"]]),
            sides=self.index.sides,
            first=here["first"],
            last=here["last"],
            up=f"../{paths.link(paths.entry_page(name))}",
            up_text=name,
            before=self._part_of(name, part - 1)["page"] if part > 1 else "",
            after=self._part_of(name, part + 1)["page"] if part < self._parts(name) else "",
        )

    def _part_of(self, name: str, part: int) -> dict[str, Any]:
        first = (part - 1) * paths.IN_A_PART + 1
        last = min(part * paths.IN_A_PART, len(self.index.serials_of(name)))
        return {"page": f"../{paths.link(paths.entry_page(name, part))}", "first": first, "last": last}

    def _parts(self, name: str) -> int:
        """Return on how many pages the matches of a competitor are listed; none where one page has all."""
        number = len(self.index.serials_of(name))
        return -(-number // paths.IN_A_PART) if number > _LAST else 0

    def _list(self, path: str, folder: int) -> bytes:
        here = self._folders[folder]
        last = len(self._folders) - 1
        return self._render(
            "list_page.html.j2",
            path,
            f"Matches {here['first']} to {here['last']}",
            lines=self.index.html(range(here["first"], here["last"] + 1)),
            sides=self.index.sides,
            up="../schedule.html",
            up_text="Schedule",
            before=f"../{paths.list_page(folder - 1)}" if folder else "",
            after=f"../{paths.list_page(folder + 1)}" if folder < last else "",
            **{name: here[name] for name in ("first", "last")},
            **{kind: f"../{here[kind]}" for kind in ("csv", "json")},
        )

    def _opponent(self, standing: Standing, other: str, met: Encounters) -> dict[str, Any]:
        tally = met.tally
        matches = tally.wins + tally.draws + tally.losses
        share = (tally.wins + tally.draws / 2) / matches if matches else None
        skill, of_other = standing.skill, self._standings[other].skill if other in self._standings else None
        margins = self.data.report.margins
        return {
            "name": other,
            "met": met,
            "share": share,
            "shade": "" if share is None else f"h{round(_SHADES * share)}",
            "ahead": skill.mu - of_other.mu if skill and of_other else None,
            "margin": margins.between(standing.entry, other) if margins else None,
        }

    # What several pages show

    @property
    def _lead(self) -> str:
        return facts.lead(self.data.plan, self.data.state)

    def _plots(self, rows: Any) -> dict[str, Any]:
        return {
            "ratings": rating_plots.over_time(rows),
            "scores": sections.scores(rows),
            "low_wins": GAMES[self.data.plan.game].low_wins,
            "is_fitted": any(each.skill for each in rows),
            "most_shown": MOST_SHOWN,
        }

    def _match_href(self, match_id: str) -> str:
        serial = self.index.serial_of(match_id)
        if serial is None:
            return ""
        return f"{paths.link(paths.list_page(paths.folder_of(serial)))}#{paths.link(match_id)}"

    @cached_property
    def _files(self) -> Mapping[str, Callable[[], str]]:
        par, models = self.data.par, self.data.models
        return {
            "data/report.json": lambda: self.json,
            "data/standings.csv": lambda: export.standings_csv(self.data.report),
            "data/crosstable.csv": lambda: export.crosstable_csv(self.data.report),
            **({"data/par.csv": lambda: par_tables.as_csv(par)} if par else {}),
            **({"data/models.csv": lambda: model_tables.as_csv(models)} if models else {}),
        }

    @cached_property
    def _standings(self) -> Mapping[str, Standing]:
        return {each.entry: each for each in self.data.report.standings}

    @cached_property
    def _skills(self) -> Mapping[str, Skill | None]:
        return {name: standing.skill for name, standing in self._standings.items()}

    @cached_property
    def _entry_files(self) -> Mapping[str, str]:
        return {paths.entry_file(name): name for name in self._standings}

    @cached_property
    def _entry_pages(self) -> Mapping[str, tuple[str, int]]:
        return {
            paths.entry_page(name, part): (name, part)
            for name in self._standings
            for part in range(self._parts(name) + 1)
        }

    @cached_property
    def _lists(self) -> Mapping[str, int]:
        return {paths.list_page(folder): folder for folder in range(self.index.folders)}

    @cached_property
    def _met(self) -> Mapping[str, list[tuple[str, Encounters]]]:
        """Return whom each has met, in the order of the standings."""
        order = {name: number for number, name in enumerate(self._standings)}
        found: dict[str, list[tuple[str, Encounters]]] = {}
        for (name, other), met in self.data.report.crosstable.items():
            found.setdefault(name, []).append((other, met))
        for of_name in found.values():
            of_name.sort(key=lambda each: (order.get(each[0], len(order)), each[0]))
        return found

    @cached_property
    def _folders(self) -> list[dict[str, Any]]:
        found = []
        for folder in range(self.index.folders):
            first = folder * paths.IN_A_FOLDER + 1
            rows = self.index.rows[first - 1 : first - 1 + paths.IN_A_FOLDER]
            low, high = min(row.round for row in rows), max(row.round for row in rows)
            page = paths.list_page(folder)
            found.append(
                {
                    "first": first,
                    "last": first + len(rows) - 1,
                    "count": len(rows),
                    "over": sum(row.has_result for row in rows),
                    "rounds": str(low) if low == high else f"{low}\u2013{high}",
                    "page": page,
                    "records": page.replace(".html", "/*.jsonl.gz"),
                    "csv": paths.matches_file(folder, "csv"),
                    "json": paths.matches_file(folder, "json"),
                }
            )
        return found


_PAGES: Final[Mapping[str, Callable[[Site], bytes]]] = {
    "index.html": Site.overview,
    "standings.html": Site.standings,
    "crosstable.html": Site.crosstable,
    "ratings.html": Site.ratings,
    "schedule.html": Site.schedule,
    "faults.html": Site.faults,
    "data.html": Site.files,
}
_ABOUT: Final = {
    "data/report.json": "the report: standings, rulings, counts",
    "data/standings.csv": "the standings, a line for each competitor, best first",
    "data/crosstable.csv": "a line for each two that met, in both orders",
    "data/par.csv": "points with the luck of the deal taken out",
    "data/models.csv": "what language models did and cost",
}


def _tiles(standing: Standing) -> list[tuple[str, str, str]]:
    """Return the numbers at the top of the page of a competitor."""
    best, worst = standing.possible_ranks
    tally, skill, rating = standing.tally, standing.skill, standing.rating
    tiles = [("Rank", f"{best}\u2013{worst}" if best < worst else str(standing.rank), "")]
    if standing.place is not None:
        tiles.append(("Place", str(standing.place), ""))
    if standing.points is not None:
        tiles.append(("Points", facts.fixed(standing.points, 1), ""))
    if skill is not None:
        tiles.append(("vs field", facts.fixed(skill.ahead, 1), f"\u00b1 {facts.fixed(skill.margin, 1)}"))
    rated = skill or rating
    tiles += [
        ("\u03bc", facts.fixed(rated.mu, 2), f"\u03c3 {facts.fixed(rated.sigma, 2)}"),
        ("Matches", facts.fixed(standing.matches), ""),
        ("Won, drawn, lost", str(tally), ""),
        ("Mean score", facts.fixed(standing.mean_score, 1), ""),
        ("Faults", facts.fixed(standing.faults.total), ""),
    ]
    return tiles
