"""Sites of tournaments that were played on paper, and of those that an earlier version left."""

from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from tests.results import fill, result, turn
from tests.sample_report import plan
from tests.tournaments.page_reader import Read
from tournaments.plan.plan import Entry, Plan
from tournaments.schedule.pairing import Pairing
from tournaments.site.gather import site_now
from tournaments.site.writer import SiteWriter, Written
from tournaments.store import Store

HOSTILE: Final = "</title></script><script>alert(1)</script><img src=x onerror=y>\"'&{{77777**2}}\x1b\u202e"


def update(writer: SiteWriter, plan: Plan, store: Store) -> Written:
    """Bring a site up to date."""
    return writer.update(store, partial(site_now, plan, store))


def written(plan: Plan, folder: Path) -> Written:
    """Write the site of what is stored."""
    with Store.read(plan) as store:
        return update(SiteWriter(plan, folder), plan, store)


def on_paper(plan: Plan, number: int) -> None:
    """Store so many matches of a plan, with results and without records."""
    with Store.open(plan) as store:
        fill(store, plan, number)


def files(folder: Path) -> dict[str, bytes]:
    """Return all files of a site by path."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


class SiteFiles:
    """The ``files`` of a site by path, and its pages as a browser would read them."""

    def __init__(self, folder: Path) -> None:
        self.files = files(folder)

    @cached_property
    def pages(self) -> dict[str, Read]:
        """Return the pages by path."""
        return {path: Read(data.decode()) for path, data in self.files.items() if path.endswith(".html")}


def poisoned(place: Path, text: str) -> Path:
    """Write a site in which each text of others holds this one, and return its folder."""
    who = [f"{text}{n}" for n in range(5)]
    of = plan(who, "hearts", folder=place / "cup", rounds=2, deals=1)
    of = replace(of, entries=tuple(Entry(name=name, version=text, bot="greedy") for name in who))
    with Store.open(of) as store:
        store.issue(Pairing(f"m{n}", 1, tuple(who[:n] + who[n + 1 :])) for n in range(5))
        played = store.to_do()[:-1]
        for each in played:
            store.add(result(each.match_id, turn(1, 2, 3, 4, forfeited=(0,))))
        store.take_back(played[:1], text, text)
    written(of, place / "site")
    return place / "site"
