"""What an organiser rules on a tournament that may be played meanwhile."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from tournaments.plan.plan import Plan
from tournaments.plan.states import RulingKind, TournamentState
from tournaments.running.errors import WrongState
from tournaments.running.roster import Roster
from tournaments.running.runner import Runner
from tournaments.running.store_outage import Patience
from tournaments.running.watch import EntrySnapshot
from tournaments.store import Issued, Registered, Store, StoreError

_SETS: Final = (
    "duplicate sets are ruled on while nobody plays: end the run, or on a server pause it until its matches"
    " are over, then rule"
)


class RulingsInPlay:
    """Stores rulings and has the runner go by them.

    ``is_running`` tells whether a run is under way; ``state_changed`` is called when the tournament is paused
    by a ruling, ``entry_changed`` with an entry and the roster that was stored.
    """

    def __init__(
        self,
        roster: Roster,
        store: Store,
        runner: Runner,
        stored: Patience,
        *,
        is_running: Callable[[], bool],
        state_changed: Callable[[], None],
        entry_changed: Callable[[str, int, Sequence[Registered]], EntrySnapshot],
    ) -> None:
        self._roster = roster
        self._store = store
        self._runner = runner
        self._stored = stored
        self._is_running = is_running
        self._state_changed = state_changed
        self._entry_changed = entry_changed

    async def adjudicate(
        self, kind: RulingKind, chosen: Callable[[Plan, Store], Sequence[Issued]], who: str, why: str
    ) -> None:
        """Annul attempts that are over, or have them played again: those that are ``chosen`` in a thread.

        No match is issued meanwhile. What was finished and is not any more is paused then.

        Raises:
            WrongState: it cannot be ruled so.
            StoreError: the store cannot be written; if it was done nevertheless, the next run goes by it.
        """
        if self._roster.plan.duplicate and self._is_running():
            raise WrongState(_SETS)
        async with self._runner.issuing:
            was_finished = self._store.state is TournamentState.FINISHED
            ruled = await self._stored(partial(chosen, self._roster.plan, self._store), in_thread=True)
            withdraw = self._store.annul if kind is RulingKind.ANNUL else self._store.take_back
            try:
                await self._stored(partial(withdraw, ruled, who, why), in_thread=True)
            except StoreError:
                self._runner.doubt()
                raise
            self._runner.play_again(ruled if kind is RulingKind.REPLAY else ())
            if was_finished and self._store.state is not TournamentState.FINISHED:
                await self._stored(partial(self._store.set_state, TournamentState.PAUSED))
                self._state_changed()

    async def void(self, names: Collection[str], who: str, why: str) -> None:
        """End matches that are being played without a result, all or none; they are played again.

        The beginning of a name is enough where it is that of one match in play.

        Raises:
            WrongState: some are not being played.
            StoreError: it could not be stored; if it was done nevertheless, they have no result.
        """
        playing = self._runner.playing
        is_running = self._is_running()
        wrong: list[str] = []
        attempts: dict[str, Issued] = {}
        for name in dict.fromkeys(names):
            of_name = [each for each in playing.ids if name and each.startswith(name)]
            match_id = of_name[0] if len(of_name) == 1 else name
            issued = playing.attempt(match_id) if is_running else None
            if issued is None:
                wrong.append(
                    f"{name} (it begins {len(of_name)} matches)"
                    if of_name
                    else name or "a match without a name"
                )
            else:
                attempts[match_id] = issued
        if wrong:
            raise _not_played(wrong)
        # before they are ended: who ruled so, and why, is not lost
        over = await self._stored(
            partial(self._store.void, tuple(attempts.values()), who, why), in_thread=True
        )
        if over:
            raise _not_played([each.match_id for each in over])
        playing.end(attempts.values())

    async def rule_on_entry(
        self,
        kind: RulingKind,
        entry: str,
        who: str,
        why: str,
        *,
        is_struck: bool,
        check: Callable[[Plan, Store], None],
    ) -> EntrySnapshot:
        """Take an entry out or bring it back; what it is playing then ends without a result.

        What was finished and is not any more is paused then. ``check`` is called in a thread and may refuse.

        Raises:
            WrongState: it cannot be ruled so, or duplicate sets are played.
            StoreError: the store cannot be written; if it was done nevertheless, the next run goes by it.
        """
        if self._roster.plan.duplicate and self._is_running():
            raise WrongState(_SETS)
        async with self._runner.issuing:
            was_finished = self._store.state is TournamentState.FINISHED
            await self._stored(partial(check, self._roster.plan, self._store), in_thread=True)
            rule = partial(self._store.rule_on_entry, kind, entry, who, why, is_struck=is_struck)
            try:
                await self._stored(rule, in_thread=True)
            except StoreError:
                self._runner.doubt()
                raise
            out = await self._stored(self._store.out, in_thread=True)
            is_finished = self._store.state is TournamentState.FINISHED
            if not is_finished:
                self._runner.take_out(out.keys())
            if was_finished and not is_finished:
                await self._stored(partial(self._store.set_state, TournamentState.PAUSED))
                self._state_changed()
        return self._entry_changed(entry, *await self._stored(self._roster.stored, in_thread=True))


def _not_played(names: Sequence[str]) -> WrongState:
    are = "is" if len(names) == 1 else "are"
    text = f"{', '.join(names)} {are} not being played; what is over can be played again or annulled"
    return WrongState(text if len(names) == 1 else f"{text}, and no match is void now")
