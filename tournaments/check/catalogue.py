"""The checks: what each one tests, and where the protocol demands it.

A place is ``FILE: NAME``. In a .proto file the name is that of a message, an enum, an RPC, or of a field or
value of one (``Hello.games``); in a page of the documentation it is a heading.
"""

from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from referee.games.registry import GAMES

PLAY: Final = "play_service.proto"
ACTIONS: Final = "actions.proto"
SESSIONS: Final = "docs/sessions.md"


@dataclass(frozen=True, slots=True)
class Check:
    """One check; ``game`` is the game that it is about, empty if it is about none."""

    number: int
    name: str
    means: str
    places: tuple[str, ...]
    game: str = ""


CONNECTS: Final = 1
GREETS: Final = 2
TAKES_SEATS: Final = 3
ACKNOWLEDGES: Final = 4
CHOICES: Final = 10
TABLES: Final = 11
LONG: Final = 12
TIME: Final = 13
UNKNOWN: Final = 14
STALE: Final = 15
REFUSED: Final = 16
ATTEMPT: Final = 17
DROP: Final = 18
REPLACED: Final = 19
DRAINS: Final = 20
EXITS: Final = 21
FRAMES: Final = 22
ANSWERS: Final = 23

_NUMBERS: Final = chain(range(ACKNOWLEDGES + 1, CHOICES), count(ANSWERS + 1))
GAME_CHECKS: Final = dict(zip(GAMES, _NUMBERS, strict=False))
"""The number of each game's own check; those of later games come after all others, which never change."""

UP_TO_CHOICES: Final = frozenset({*range(CHOICES + 1), *GAME_CHECKS.values()})
"""The checks up to `CHOICES` in the order in which they are run."""

_DECISIONS: Final = (f"{ACTIONS}: Action", f"{ACTIONS}: Legal", f"{PLAY}: Answer", f"{SESSIONS}: Faults")

CHECKS: Final[tuple[Check, ...]] = (
    Check(
        CONNECTS,
        "connects",
        "The bot opens a stream at FAIRDEAL_ADDRESS, while its process runs on.",
        (f"{PLAY}: PlayService.Play",),
    ),
    Check(
        GREETS,
        "greets",
        "The first frame, and no other, holds a hello with version 1, its entry, games that there are, and"
        " the token in the metadata.",
        (f"{PLAY}: PlayService.Play", f"{PLAY}: PlayRequest.hello", f"{PLAY}: Hello"),
    ),
    Check(
        TAKES_SEATS,
        "takes its seats",
        "It says that it is ready, within the start clock, for every seat that it is given.",
        (f"{PLAY}: Ready", f"{PLAY}: Clock.start", f"{SESSIONS}: Time"),
    ),
    Check(
        ACKNOWLEDGES,
        "acknowledges frames",
        "It counts the frames that it received, never more, and acknowledges a heartbeat at once.",
        (f"{PLAY}: PlayRequest.frames_received", f"{PLAY}: NoticeKind.NOTICE_KIND_HEARTBEAT"),
    ),
    *(
        Check(
            number,
            f"plays {name}",
            f"Each kind of decision ({', '.join(GAMES[name].phases)}) is answered in time and legally"
            "; for choices of several see check 10.",
            _DECISIONS,
            name,
        )
        for name, number in GAME_CHECKS.items()
    ),
    Check(
        CHOICES,
        "chooses several",
        "Cards and combinations chosen are among those offered, none twice, as many as asked for; nothing"
        " chosen is a list that is present and empty.",
        (f"{ACTIONS}: ChooseCards", f"{ACTIONS}: ChooseCombinations", f"{ACTIONS}: CardList"),
    ),
    Check(
        TABLES,
        "plays many tables at once",
        "It plays as many tables at once as its hello says, up to 32, and answers at each of them.",
        (f"{PLAY}: Hello.tables", f"{PLAY}: PlayResponse", f"{PLAY}: Decision.match_id"),
    ),
    Check(
        LONG,
        "plays long matches",
        "It plays a match of each of its games on to the cap on the number of deals.",
        (f"{PLAY}: Seated.deals", f"{PLAY}: Finished.capped", "events.proto: Event.sequence"),
    ),
    Check(
        TIME,
        "keeps its time",
        "With a quarter of a second for a decision and two seconds in the bank it is never late, in one of"
        " three matches at least.",
        (f"{PLAY}: Clock", f"{PLAY}: Decision.move_time", f"{SESSIONS}: Time"),
    ),
    Check(
        UNKNOWN,
        "ignores what it does not know",
        "Unknown fields, updates of an unknown kind and unknown enum values change nothing for it.",
        (f"{PLAY}: PlayResponse", f"{PLAY}: Update"),
    ),
    Check(
        STALE,
        "copes with a stale answer",
        "An answer that came too late is refused; it plays on.",
        (f"{PLAY}: Refused", f"{PLAY}: Reason.REASON_STALE_DECISION", f"{SESSIONS}: Faults"),
    ),
    Check(
        REFUSED,
        "copes with a refused answer",
        "An answer is refused, of a decision that is closed by it and of one that still stands; it plays on.",
        (f"{PLAY}: Refused", f"{PLAY}: Refused.still_open", f"{SESSIONS}: Faults"),
    ),
    Check(
        ATTEMPT,
        "plays a void match again",
        "A match is void and played again under the same id; it takes its seat and answers, decisions"
        " counting from 1.",
        (f"{PLAY}: Seated.attempt", f"{PLAY}: Termination.TERMINATION_VOID", f"{PLAY}: Decision.decision_id"),
    ),
    Check(
        DROP,
        "comes back after a drop",
        "The stream breaks in mid-deal before an answer has arrived; it, or its process started again, opens"
        " a new one and answers the decision that is asked again.",
        (f"{PLAY}: Hello.resume", f"{SESSIONS}: Sessions"),
    ),
    Check(
        REPLACED,
        "gives way to a newer session",
        "A newer session of the same entry and instance takes over; it does not dial again.",
        (f"{PLAY}: NoticeKind.NOTICE_KIND_REPLACED", f"{SESSIONS}: Sessions"),
    ),
    Check(
        DRAINS,
        "leaves a referee that drains",
        "Told that the referee is about to leave, it plays its match to the end and then leaves.",
        (
            f"{PLAY}: NoticeKind.NOTICE_KIND_DRAINING",
            f"{PLAY}: Bye",
            f"{SESSIONS}: When the referee goes down",
        ),
    ),
    Check(
        EXITS,
        "ends",
        "Its process ends once the referee has gone, with exit status 0, and leaves nothing running.",
        (f"{SESSIONS}: When the referee goes down",),
    ),
    Check(
        FRAMES,
        "keeps frames small",
        "No frame that it sends in all of this is larger than 32 KiB.",
        (f"{PLAY}: PlayRequest", f"{PLAY}: Welcome.max_frame_bytes"),
    ),
    Check(
        ANSWERS,
        "answers what it was asked",
        "Every answer that it sends in all of this names a decision that it was asked.",
        (f"{PLAY}: Answer.decision_id", f"{PLAY}: Reason.REASON_NOT_YOUR_DECISION"),
    ),
)

BY_NUMBER: Final = {check.number: check for check in CHECKS}
