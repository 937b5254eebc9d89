"""Who runs a tournament: a lease in its store, with an epoch that fences those who ran it before.

Whoever opens a store to run its tournament begins the next epoch. What a process of an earlier epoch writes
later, as one that was cut off from the network and is back, is refused within the same transaction. In
PostgreSQL the holder also renews its lease again and again: one that has not for long may be on a machine
that is gone, while the server takes its connection for alive. Only the clock of the database counts.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from tournaments.folder_lock import this_process
from tournaments.store.tables import LEASES

BEAT: Final = 10.0
"""How often the holder of a lease in PostgreSQL renews it, in seconds."""

EXPIRES: Final = 60
"""After how many seconds without being renewed a lease may be taken over."""


class Fenced(Exception):
    """Another process has begun a later epoch; the text says which and when."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lease, since when, and how many seconds ago it was renewed."""

    name: str
    since: str
    seconds: int

    @property
    def is_expired(self) -> bool:
        """Return whether it may be taken over."""
        return self.seconds >= EXPIRES

    def __str__(self) -> str:
        return f"{self.name} since {self.since}, last seen {self.seconds} s ago"


class Lease:
    """The lease of this process on a tournament."""

    def __init__(self, tournament: str, epoch: int) -> None:
        self._here = {"of_tournament": tournament}
        self._epoch = epoch

    def check(self, connection: sa.Connection) -> None:
        """Check within a transaction for writing that the lease holds until its end.

        Raises:
            Fenced: it does not.
        """
        found = connection.execute(_LOCKED, self._here).first()
        # without a row the tournament was moved away, and its rows refuse what belongs to them
        if found is not None and found.epoch != self._epoch:
            raise Fenced(f"taken over by {found.holder} at {found.since}")

    def renew(self, connection: sa.Connection) -> None:
        """Record within a transaction, after `check`, that the holder is there."""
        connection.execute(LEASES.update().where(_HERE).values(seen=_clock(connection)), self._here)


def take(connection: sa.Connection, tournament: str, at: str) -> Lease:
    """Begin the next epoch of a tournament, whose row is there, for this process; ``at`` is for people."""
    here = {"of_tournament": tournament}
    epoch = (connection.execute(sa.select(LEASES.c.epoch).where(_HERE), here).scalar() or 0) + 1
    row = {"epoch": epoch, "holder": this_process(), "since": at, "seen": _clock(connection)}
    if epoch == 1:
        connection.execute(LEASES.insert().values(tournament=tournament, **row))
    else:
        connection.execute(LEASES.update().where(LEASES.c.tournament == tournament).values(row))
    return Lease(tournament, epoch)


def last_holder(connection: sa.Connection, tournament: str) -> Holder | None:
    """Return who has the lease on a tournament or had it last, None where nobody ever had one."""
    if not sa.inspect(connection).has_table(LEASES.name):
        return None  # a store of an earlier version
    seconds = (_clock(connection) - LEASES.c.seen).label("seconds")
    query = sa.select(LEASES.c.holder, LEASES.c.since, seconds).where(_HERE)
    row = connection.execute(query, {"of_tournament": tournament}).first()
    return None if row is None else Holder(row.holder, row.since, int(row.seconds))


def inherit(connection: sa.Connection, tournament: str) -> Lease | None:
    """Renew the lease that a tournament was run by last, and return it: its next holder is there, and begins.

    None where nobody ever had one, so that nobody can take it over either.
    """
    if not sa.inspect(connection).has_table(LEASES.name):
        return None  # a store of an earlier version
    epoch = connection.execute(sa.select(LEASES.c.epoch).where(_HERE), {"of_tournament": tournament}).scalar()
    if epoch is None:
        return None
    lease = Lease(tournament, epoch)
    lease.renew(connection)
    return lease


def claim(connection: sa.Connection, tournament: str) -> bool:
    """Return whether an expired lease may be taken over by this process, and by no other one for a while."""
    query = sa.select(_clock(connection) - LEASES.c.seen).where(_HERE).with_for_update()
    here = {"of_tournament": tournament}
    if connection.execute(query, here).scalar_one() < EXPIRES:
        return False
    connection.execute(LEASES.update().where(_HERE).values(seen=_clock(connection)), here)
    return True


class Heartbeat:
    """Calls a function every so many seconds, in a thread of its own, until it returns False or is stopped.

    Neither a loop that is busy nor one that waits for the store keeps it from that.
    """

    def __init__(self, beat: Callable[[], bool], seconds: float) -> None:
        self._beat = beat
        self._seconds = seconds
        self._over = threading.Event()
        threading.Thread(target=self._run, name="lease", daemon=True).start()

    def stop(self) -> None:
        """Call it no more."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(self._seconds):
            if not self._beat():
                return


def _clock(connection: sa.Connection) -> sa.ColumnElement[int]:
    """Return the seconds since 1970, by the clock of the database."""
    if connection.dialect.name == "postgresql":
        return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.BigInteger)
    return sa.cast(sa.func.strftime("%s", "now"), sa.BigInteger)


# built once, and not for each result
_HERE: Final = LEASES.c.tournament == sa.bindparam("of_tournament")
_LOCKED: Final = (
    sa.select(LEASES.c.epoch, LEASES.c.holder, LEASES.c.since).where(_HERE).with_for_update(read=True)
)
