"""The page of a match, and the files with all matches of a folder."""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from referee.core.steps import Steps
from referee.verify import Past, trusted
from referee.verify.values import NotVerified
from referee.viewer import packed
from referee.viewer.frames import framing
from tournaments.plan.plan import Plan
from tournaments.report import match_list, schedule_rows
from tournaments.site import paths
from tournaments.site.assets import version, viewer_body
from tournaments.site.matches import ToldMatch
from tournaments.site.pages import rendered
from tournaments.standings.names import RatedNames

_NO_RECORD = "The record of this match is not here, so that it cannot be replayed."
_SECRET = "The match can be replayed once everything with its deals is over."


def digest_of(match: ToldMatch, records: Collection[int]) -> str:
    """Return a digest that changes with all that the page of a match depends on."""
    return hashlib.sha256(f"{version()} {match.digest} {sorted(records)}".encode()).hexdigest()[:32]


def making(
    plan: Plan, names: RatedNames, match: ToldMatch, records: Collection[int], record: bytes | None
) -> Steps[bytes]:
    """Return the page of a match with an attempt that is over, in steps, since it is played again.

    ``records`` are the attempts of which a record is there, ``record`` is that of `shown_record`. The page
    has `digest_of` in its head.
    """
    issued = match.issued
    path = paths.match_page(issued.serial, issued.match_id)
    listed = f"../{paths.folder_of(issued.serial):05}.html"
    replay, why = yield from _replay(match, record)
    attempts = [match_list.as_data(plan, each) for each in match.attempts]
    for each in attempts:
        file = paths.record_file(issued.serial, issued.match_id, each["attempt"])
        each["href"] = f"../../{paths.link(file)}" if each["attempt"] in records else ""
    shown = next(each for each in attempts if each["attempt"] == issued.attempt)
    rated = names.by_place(issued.entries, issued.versions)
    at_seat: dict[int, str] = {
        seat: name for place, name in zip(names.places, rated, strict=True) for seat in place.seats
    }
    is_by_seat = len(names.places) == len(at_seat)
    return rendered(
        "match_page.html.j2",
        path,
        plan,
        lambda name: f"../../{paths.link(paths.entry_page(name))}" if name in rated else "",
        title=f"{', '.join(dict.fromkeys(rated))}: match {issued.serial}",
        digest_of_page=digest_of(match, records),
        row=schedule_rows.row(issued, match.result, names, ""),
        list=listed,
        seats=[
            {**seat, "entry": at_seat[number] if is_by_seat else seat["entry"], "said": _said(seat)}
            for number, seat in enumerate(shown["seats"])
        ],
        attempts=attempts,
        rulings=match.rulings,
        match_href=lambda match_id: f"{listed}#{paths.link(match_id)}",
        viewer=Markup(viewer_body()) if replay else "",
        replay=replay,
        why_no_replay=why,
    )


def shown_record(match: ToldMatch) -> int | None:
    """Return the attempt that the page of a match replays: that with the result, else the last one."""
    public = [each.attempt for each in match.records]
    if match.result is not None:
        return match.result.attempt if match.result.attempt in public else None
    return public[-1] if public else None


def files(
    plan: Plan, matches: Sequence[ToldMatch], records: Callable[[ToldMatch], Collection[int]]
) -> dict[str, bytes]:
    """Return the files with all attempts at the matches of one folder, of which there is at least one.

    ``records`` returns the attempts at a match of which a record is there.
    """
    folder = paths.folder_of(matches[0].issued.serial)
    listed = []
    for match in matches:
        here = records(match)
        for each in match.attempts:
            attempt = each.issued.attempt
            file = paths.record_file(each.issued.serial, each.issued.match_id, attempt)
            record = file if attempt in here else None
            listed.append(match_list.as_data(plan, each) | {"record": record})
    text = json.dumps({"name": plan.name, "game": plan.game, "matches": listed}, indent=1) + "\n"
    table = match_list.as_csv(plan, (each for match in matches for each in match.attempts), is_here=False)
    return {
        paths.matches_file(folder, "json"): text.encode(),
        paths.matches_file(folder, "csv"): table.encode(errors="replace"),
    }


def _replay(match: ToldMatch, record: bytes | None) -> Steps[tuple[str, str]]:
    """Return the match for the viewer, or empty and why there is none."""
    if record is None:
        is_secret = any(each.result and each.result.record for each in match.attempts) and not match.records
        return "", _SECRET if is_secret else _NO_RECORD
    past = yield partial(_trusted, record)
    if isinstance(past, NotVerified):
        return "", f"The record of this match cannot be replayed: {past}."
    shown = yield from framing(past)
    return packed(shown), ""


def _trusted(record: bytes) -> Past | NotVerified:
    try:
        return trusted(record)
    except NotVerified as error:
        return error


def _said(seat: dict[str, Any]) -> str:
    faults = [f"{number} {kind.replace('_', ' ')}" for kind, number in seat["faults"].items()]
    return ", ".join([*faults, *(["forfeits"] if seat["forfeited"] else [])])
