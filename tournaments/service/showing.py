"""The state of tournaments for those who ask: encoded once for all of them, in slices."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from referee.core.steps import Steps
from referee.server.slices import Slices
from tournaments.plan.states import TournamentState
from tournaments.running.watch import EntrySnapshot, Snapshot
from tournaments.service import codec
from tournaments.standings.shared import Shared


@dataclass(frozen=True, slots=True)
class Shown:
    """A tournament with its entries as bytes of a ``Tournament``, and its state."""

    state: TournamentState
    data: bytes


class Showing:
    """Encodes one tournament for those who ask, as far as it has changed since the last time.

    ``look`` returns its snapshot.
    """

    def __init__(self, look: Callable[[], Awaitable[Snapshot]], slices: Slices) -> None:
        self._look = look
        self._slices = slices
        self._shown = Shared(self._show)
        self._entries: dict[str, tuple[EntrySnapshot, bytes]] = {}

    async def __call__(self) -> Shown:
        """Return the state of now or later; it fails with the error of looking."""
        return await self._shown()

    async def _show(self) -> Shown:
        snapshot = await self._look()
        return Shown(snapshot.state, await self._slices.run(self._encoding(snapshot)))

    def _encoding(self, snapshot: Snapshot) -> Steps[bytes]:
        before, now = self._entries, dict[str, tuple[EntrySnapshot, bytes]]()
        for entry in snapshot.entries:
            known = before.get(entry.name)
            if known is None or known[0] != entry:
                yield None
                known = entry, codec.tournament_entries(entry)
            now[entry.name] = known
        self._entries = now
        # messages in a row are one with the entries of all
        return codec.shown(snapshot).SerializeToString() + b"".join(data for _entry, data in now.values())


class Outlines:
    """Takes snapshots of all tournaments for those who ask, without their entries.

    ``names`` returns their names, ``look`` the snapshot of one.
    """

    def __init__(
        self, names: Callable[[], tuple[str, ...]], look: Callable[[str], Awaitable[Snapshot]]
    ) -> None:
        self._names = names
        self._look = look
        self._all = Shared(self._look_at_all)

    async def __call__(self) -> dict[str, Snapshot]:
        """Return all by name, in order, as of now or later; it fails with the error of looking."""
        return await self._all()

    async def _look_at_all(self) -> dict[str, Snapshot]:
        return {name: await self._look(name) for name in self._names()}
