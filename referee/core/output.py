"""What comes out of the core, between two turns of whatever drives it."""

from dataclasses import dataclass, field

from referee.core.running_match import Key, RunningMatch
from referee.core.session import Session
from referee.match.effects import Input, Owner


@dataclass(slots=True)
class Output:
    """What has come out of the core since it was last taken."""

    arrived: list[Owner] = field(default_factory=list)
    opened: list[RunningMatch] = field(default_factory=list)
    inputs: list[tuple[Key, Input]] = field(default_factory=list)
    answers: int = 0  # among them
    logged: dict[Key, RunningMatch] = field(default_factory=dict)  # whose records may have new entries
    sessions: dict[Session, None] = field(default_factory=dict)  # an ordered set
    finished: list[RunningMatch] = field(default_factory=list)

    def touch(self, session: Session) -> None:
        """Record that a session may have something to send."""
        self.sessions[session] = None
