"""Rulings of an organiser on matches: annulled, to be played again, or void while they are played."""

from collections.abc import Collection, Sequence
from typing import Final

from tournaments import schedule
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import Chosen, RulingKind, TournamentState
from tournaments.running.errors import WrongState
from tournaments.running.tournament import Tournament
from tournaments.schedule import Pairing, Results
from tournaments.schedule.duplicates import set_of, turn_id
from tournaments.store import LEFT_OUT, Issued, Store

LONGEST_REASON: Final = 500
"""Characters."""

KNOCKOUTS: Final = (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT)


class NothingChosen(WrongState):
    """No match that counts is chosen by its entries."""


async def rule(tournament: Tournament, kind: RulingKind, matches: Chosen, who: str, why: str) -> None:
    """Rule on matches of a tournament that may be played meanwhile.

    Raises:
        WrongState, StoreError: as for `rule_on_matches`, and for `RulingsInPlay.void`.
    """
    if kind is RulingKind.VOID:
        check_reason(why)
        if matches.are_searched:
            raise WrongState("what is being played is named: choose it by its ids")
        await tournament.rulings.void(matches.names, who, why)
        return

    def chosen(plan: Plan, store: Store) -> tuple[Issued, ...]:
        return to_withdraw(plan, store, kind, matches, why)

    await tournament.rulings.adjudicate(kind, chosen, who, why)


def rule_on_matches(
    plan: Plan, store: Store, kind: RulingKind, matches: Chosen, who: str, why: str
) -> tuple[Issued, ...]:
    """Withdraw the results of matches, and return the attempts that are withdrawn.

    The results stay in the store but do not count; ``who`` withdrew them, and ``why``, is kept with them. A
    finished tournament is running again if a match is to be replayed.

    Raises:
        WrongState: as for `to_withdraw`.
        StoreError: the store cannot be written.
    """
    ruled = to_withdraw(plan, store, kind, matches, why)
    withdraw = store.annul if kind is RulingKind.ANNUL else store.take_back
    withdraw(ruled, who, why)
    return ruled


def to_withdraw(plan: Plan, store: Store, kind: RulingKind, matches: Chosen, why: str) -> tuple[Issued, ...]:
    """Return the attempts that a ruling on matches withdraws.

    All turns of a duplicate set are ruled on together.

    Raises:
        WrongState: there is no such match, it is not over, or others rest on its result.
        StoreError: the store cannot be read.
    """
    check_reason(why)
    if store.state is TournamentState.CANCELLED:
        raise WrongState("it was cancelled for good: its results stay as they are")
    found = _results_of(plan, store, kind, matches) if matches.are_searched else _named(store, matches.names)
    names = [
        turn_id(set_of(name), turn) if plan.duplicate else name
        for name in found
        for turn in range(plan.turns)
    ]
    ruled = tuple(_withdrawable(plan, store, kind, name) for name in dict.fromkeys(names))
    if kind is RulingKind.REPLAY or plan.stages:
        check_nothing_rests_on(plan, store, ruled)
    return ruled


def _results_of(plan: Plan, store: Store, kind: RulingKind, chosen: Chosen) -> list[str]:
    """Return the matches that count and are chosen by their entries.

    Duplicate sets with a turn that is open are left out: all turns of a set are ruled on together. So are
    no-shows that cannot be played again because an entry is out, as long as there are others.
    """
    wanted = set(chosen.entries) or check_entries(store, ())
    check_entries(store, chosen.entries)
    found: list[str] = []
    if chosen.only_no_shows:
        missed = [each.issued for each in store.no_shows() if not wanted.isdisjoint(each.entries)]
        out = store.out() if kind is RulingKind.REPLAY else {}
        playable = [each for each in missed if out.keys().isdisjoint(each.entries)]
        found = [each.match_id for each in playable or missed]
    else:
        for issued, result in store.results():
            forfeited = {issued.entries[seat] for seat in result.outcome.forfeited}
            if not wanted.isdisjoint(forfeited if chosen.only_forfeits else issued.entries):
                found.append(issued.match_id)
    half_played = {set_of(each.match_id) for each in store.to_do()} if plan.duplicate else set()
    found = [name for name in found if set_of(name) not in half_played]
    if not found:
        raise NothingChosen("there is no such match that counts")
    return found


def _named(store: Store, names: Collection[str]) -> list[str]:
    """Return the ids of matches that are named by their beginnings; those that no match has stay."""
    found: list[str] = []
    for name in dict.fromkeys(names):
        is_text = name and name.isprintable()
        ids = {set_of(each): each for each in store.beginning_with(name)} if is_text else {}
        if name in ids.values() or name in ids or not ids:
            found.append(name)
        elif len(ids) > 1:
            first, second, *_ = ids
            raise WrongState(
                f"{name} is the beginning of several matches, such as {first} and {second}: write more of it"
            )
        else:
            found.append(next(iter(ids.values())))
    return found


def check_entries(store: Store, entries: Collection[str]) -> set[str]:
    """Return the names of all entries, after a check that these are among them.

    Raises:
        WrongState: one is not.
        StoreError: the store cannot be read.
    """
    known = {kept.entry.name for kept in store.roster()}
    if unknown := sorted(set(entries) - known):
        raise WrongState(f"it has no entry {unknown[0]}: name one of {', '.join(sorted(known))}")
    return known


def check_nothing_rests_on(plan: Plan, store: Store, withdrawn: Sequence[Issued]) -> None:
    """Refuse to have matches played again whose results decided the pairing of another one.

    Raises:
        WrongState: there is such a match.
        StoreError: the store cannot be read.
    """
    if not withdrawn or plan.format.is_fixed or plan.format is Format.LADDER:
        return
    ranks = store.ranks()
    if plan.stages:
        _check_stages(plan, ranks, withdrawn)
    if plan.format in KNOCKOUTS:
        # not by their rounds: a round has matches that are played again after a tie, while others go on
        for each in withdrawn if _resting(plan, ranks, withdrawn) else ():
            if resting := _resting(plan, ranks, [each]):
                raise WrongState(
                    f"the result of {each.match_id} decided who plays {resting[0].match_id}: in a"
                    f" {plan.format} a match can be played again as long as no other one rests on its result"
                )
        return
    last = len(ranks.rounds)
    for each in withdrawn:
        if last > each.round:
            raise WrongState(
                f"{each.match_id} is of round {each.round}, and its result decided the pairings up to round"
                f" {last}: in a {plan.format} only the last round can be played again"
            )


def _check_stages(plan: Plan, ranks: Results, withdrawn: Sequence[Issued]) -> None:
    """Refuse to withdraw results of groups once they decided who plays in a later stage or round."""
    last = len(ranks.rounds)
    for each in withdrawn:
        stage, latest = plan.stage_of(each.round), plan.stage_of(last)
        if stage is not None and latest is not None and stage != latest:
            raise WrongState(
                f"{each.match_id} is of the stage {stage.name}, whose results decided who plays in the stage"
                f" {latest.name}: they can be ruled on only before that begins"
            )
        if stage is not None and stage.format is Format.SWISS and last > each.round:
            raise WrongState(
                f"{each.match_id} is of round {each.round}, and its result decided the pairings up to round"
                f" {last}: in a {stage.format} only the last round can be ruled on"
            )


def _resting(plan: Plan, ranks: Results, withdrawn: Sequence[Issued]) -> list[Pairing]:
    """Return the issued pairings of a knockout, or sets, that the results without some do not decide."""
    names = {set_of(each.match_id) for each in withdrawn}
    kept = {name: rank for name, rank in ranks.items() if name not in names}
    left = Results(kept, ranks.rounds, ranks.left_out, without=ranks.without)
    decided = {set_of(each.match_id) for each in schedule.next(plan, frozenset(), left)}
    return [each for issued in ranks.rounds for each in issued.pairings if each.match_id not in decided]


def check_reason(why: str) -> None:
    """Refuse a reason that is none, is too long, or could not be shown as it is.

    Raises:
        WrongState: it is refused.
    """
    if not why.isprintable():
        raise WrongState(
            "the reason of a ruling is one line without control characters: write it as plain text"
        )
    if not why.strip() or len(why) > LONGEST_REASON:
        raise WrongState(f"a ruling needs a reason of at most {LONGEST_REASON} characters")


def _withdrawable(plan: Plan, store: Store, kind: RulingKind, name: str) -> Issued:
    """Return the attempt of a match that a ruling withdraws."""
    if not (name and name.isprintable()):  # the store cannot be asked for any text
        raise WrongState("it has no match of this name: fairdeal tournament matches lists them")
    found = store.deciding(name)
    if found is None:
        if name not in store.issued():
            raise WrongState(f"it has no match {name}: fairdeal tournament matches lists them")
        raise WrongState(f"{name} is not over: a ruling withdraws a result")
    out = store.out()
    of_those = [name for name in found.issued.entries if name in out]
    is_left_out = found.issued.attempt == LEFT_OUT
    if of_those and (is_left_out or kind is RulingKind.REPLAY):
        who, done = of_those[0], "is left out" if is_left_out else "cannot be played again"
        raise WrongState(
            f"{name} {done} while {who} is {out[who]}: bring {who} back first with fairdeal tournament"
            " reinstate"
        )
    if kind is RulingKind.ANNUL:
        if found.is_skipped:
            raise WrongState(f"{name} has no result that could be annulled")
        stage = plan.stage_of(found.issued.round)
        if (stage.format if stage else plan.format) in KNOCKOUTS:
            raise WrongState(f"{name} decides who goes on in a {plan.format}: have it played again instead")
    return found.issued
