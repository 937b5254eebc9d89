"""What is wrong with what a tournament file says of the cluster that plays its matches."""

from collections.abc import Iterator
from typing import Final

from tournaments.plan.cluster import ray_is_installed
from tournaments.plan.models import LLM
from tournaments.plan.plan import Format, Plan
from tournaments.plan.toml_lines import KeyPath
from tournaments.tournament_file.schema import FileShape

MISSING: Final = "needs Ray, which is not installed: pip install 'fairdeal[ray]', or leave executor out"
_WITHOUT: Final = 'is for executor = "ray": write that, too, or leave this out'


def wrong(shape: FileShape, plan: Plan, *, to_run: bool) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong; ``to_run``: also that Ray is not installed."""
    asking = [index for index, entry in enumerate(shape.entries) if entry.resources]
    if plan.ray is None:
        if "ray" in shape.model_fields_set:
            yield ("ray",), _WITHOUT
        for index in asking:
            yield ("entries", index, "resources"), _WITHOUT
        return
    if plan.format is Format.LADDER:
        text = "plays schedules, and a ladder pairs who is here: leave it out"
        yield ("executor",), text
    if plan.ray.processors is not None and plan.ray.address != "local":
        yield ("ray", "processors"), "are those of a cluster that begins with the run: leave it out"
    for index in asking:
        if shape.entries[index].remote:
            text = "are what a bot needs that is started for it, and this one is remote: leave it out"
            yield ("entries", index, "resources"), text
    for index, entry in enumerate(shape.entries):
        if entry.bot == LLM:
            yield ("entries", index, "bot"), "a language model is asked from here: leave executor out"
    if to_run and not ray_is_installed():
        yield ("executor",), MISSING
