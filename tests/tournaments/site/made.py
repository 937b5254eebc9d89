"""Sites of tournaments that were played on paper, and of those that an earlier version left."""

from functools import cached_property, partial
from pathlib import Path

from tests.results import fill
from tests.tournaments.page_reader import Read
from tournaments.plan.plan import Plan
from tournaments.site.gather import site_now
from tournaments.site.writer import SiteWriter, Written
from tournaments.store import Store


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
