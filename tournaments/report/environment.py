"""The templates of pages: text that comes from outside is escaped, and cleaned of what reverses text."""

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tournaments.report import facts, plots


def _share(share: float | None) -> str:
    """Return a share as a percentage with one digit after the point; a dash for None."""
    return facts.NOTHING if share is None else f"{100 * share:.1f} %"


def _cleaned(value: Any) -> Any:
    return plots.clean(value) if type(value) is str else value


def environment(*packages: str) -> Environment:
    """Return the templates of this package, and of others, by the names of their files."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in (*packages, "tournaments.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )
    environment.filters["fixed"] = facts.fixed
    environment.filters["share"] = _share
    return environment
