"""Rulings of an organiser on entries: withdrawn, disqualified, or back."""

from tournaments.plan.plan import Plan
from tournaments.plan.states import OUT, EntryState, RulingKind, TournamentState
from tournaments.running.errors import WrongState
from tournaments.running.rulings import check_entries, check_reason
from tournaments.running.tournament import Tournament
from tournaments.schedule.duplicates import set_of
from tournaments.store import Store


async def rule(
    tournament: Tournament, kind: RulingKind, entry: str, who: str, why: str, *, is_struck: bool = False
) -> None:
    """Rule on an entry of a tournament that may be played meanwhile.

    Raises:
        WrongState, StoreError: as for `rule_on_entry`, and for `RulingsInPlay.rule_on_entry`.
    """

    def check(plan: Plan, store: Store) -> None:
        _check(plan, store, kind, entry, why, is_struck=is_struck)

    await tournament.rulings.rule_on_entry(kind, entry, who, why, is_struck=is_struck, check=check)


def rule_on_entry(
    plan: Plan, store: Store, kind: RulingKind, entry: str, who: str, why: str, *, is_struck: bool = False
) -> None:
    """Take an entry out or bring it back, while nobody plays the tournament.

    Raises:
        WrongState: the reason is refused, there is no such entry, it is so already, or the tournament is
            cancelled or plays sets that forbid it.
        StoreError: the store cannot be written.
    """
    _check(plan, store, kind, entry, why, is_struck=is_struck)
    store.rule_on_entry(kind, entry, who, why, is_struck=is_struck)


def _check(plan: Plan, store: Store, kind: RulingKind, entry: str, why: str, *, is_struck: bool) -> None:
    check_reason(why)
    if store.state is TournamentState.CANCELLED:
        raise WrongState("it was cancelled for good: its entries stay as they are")
    check_entries(store, (entry,))
    last = next((each for each in reversed(store.adjudications()) if each.entry == entry), None)
    state = next(kept.state for kept in store.roster() if kept.entry.name == entry)
    if kind is RulingKind.REINSTATE:
        if state not in OUT:
            raise WrongState(f"{entry} is not out: only who is withdrawn or disqualified can come back")
        if plan.shared_decks:
            raise WrongState("all matches of a round share their decks, which are known by now")
        return
    will_be = EntryState.WITHDRAWN if kind is RulingKind.WITHDRAW else EntryState.DISQUALIFIED
    if state is will_be and last is not None and last.struck == is_struck:
        raise WrongState(f"{entry} is {state} already")
    if plan.duplicate:
        open_turns = {set_of(each.match_id) for each in store.to_do() if entry in each.entries}
        played = (set_of(issued.match_id) for issued, _result in store.results())
        if half := next((name for name in played if name in open_turns), None):
            raise WrongState(f"the set {half} is half played: rule when it is over")
