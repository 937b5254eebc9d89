"""Who may register for a tournament, over the wire or in its folder."""

from collections.abc import Sequence
from dataclasses import replace

from referee.core.access import Denied, Role
from referee.match.messages import Reason
from tournaments.plan.plan import Entry, Format, Plan
from tournaments.plan.states import OVER, EntryState, TournamentState
from tournaments.store import Registered
from tournaments.tournament_file.schema import check_entry_name, check_version


def to_register(
    plan: Plan,
    state: TournamentState,
    roster: Sequence[Registered],
    name: str,
    version: str | None,
    role: Role | None,
) -> Entry | None:
    """Return what to register for a remote entry, None when it takes part already.

    ``version`` None: keep its version. ``role`` is the role of a token of this name, None without one.

    Raises:
        Denied: BAD_REQUEST, the name or the version cannot be; ENTRY_EXISTS, the name is that of a hosted
            entry, of a team or of an organiser; WRONG_STATE, the tournament takes no such entry.
    """
    if wrong := check_entry_name(name) or (version and check_version(version)):
        raise Denied(Reason.BAD_REQUEST, wrong)
    known = next((kept for kept in roster if kept.entry.name == name), None)
    if known and not known.entry.remote:
        raise Denied(Reason.ENTRY_EXISTS, f"{name} is hosted by the referee, and needs no token")
    if name in {team.name for team in plan.teams}:
        raise Denied(Reason.ENTRY_EXISTS, f"{name} is the name of a team: choose another one")
    if role in (Role.ORGANISER, Role.OPERATOR):
        raise Denied(Reason.ENTRY_EXISTS, f"{name} is the name of an organiser: choose another one")
    if state in OVER:
        raise Denied(Reason.WRONG_STATE, f"it is {state}, and its entries stay as they are")
    if known and known.state is not EntryState.LEFT and version in (None, known.entry.version):
        return None
    if plan.format is not Format.LADDER:
        if not (known or plan.open):
            text = f"it takes only the entries of its file, and {name} is not one of them"
            raise Denied(Reason.WRONG_STATE, f'{text}: registration = "open" there lets others in')
        if state is not TournamentState.CREATED:
            raise Denied(Reason.WRONG_STATE, f"it has begun, and a {plan.format} takes no entries after that")
    entry = known.entry if known else Entry(name=name, remote=True)
    return replace(entry, version=version or entry.version)
