"""Turns the protocol's updates into those of `fairdeal.updates`."""

from collections.abc import Callable
from typing import Final

from fairdeal._decode import decoder, event
from fairdeal.updates import Closed, Finished, Happened, Notice, Refused, Seated
from fairdeal.v1 import play_service_pb2 as play

seated: Final[Callable[[play.Seated], Seated]] = decoder(Seated, play.Seated.DESCRIPTOR)
notice: Final[Callable[[play.Notice], Notice]] = decoder(Notice, play.Notice.DESCRIPTOR)

# of a match
closed: Final[Callable[[Seated, play.Closed], Closed]] = decoder(Closed, play.Closed.DESCRIPTOR)
refused: Final[Callable[[Seated | None, play.Refused], Refused]] = decoder(Refused, play.Refused.DESCRIPTOR)
finished: Final[Callable[[Seated, play.Finished], Finished]] = decoder(Finished, play.Finished.DESCRIPTOR)


def happened(match: Seated, message: play.Happened) -> Happened:
    """Return an event."""
    return Happened(match, message.event.sequence, event(message.event), message)
