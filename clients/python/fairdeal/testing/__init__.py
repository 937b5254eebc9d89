"""Tools for testing referees and bots, and for research.

Whole matches in Python without sockets (`play`, `Arena`):

>>> from fairdeal.testing import play
>>> from fairdeal.bots import make
>>> played = play("two_handed_spades", [make("greedy"), make("random")], seed="spring", deals=2)
>>> played.outcome.termination.name
'COMPLETED'

A referee of this process behind a real socket (`serving`), for bots as they are:

    async with serving("hearts", deals=1) as served:
        report = await served.play("a", "b", "c", "d")  # their bots dial served.address

Bots that misbehave on purpose (`SCRIPTS`), which keep a `Transcript` of what they were sent; see
`fairdeal.testing.scripted`:

    transcript = await SCRIPTS["silent"](served.address, "d").run()
    print(transcript.of("closed"), transcript.endings)

A clock that moves only on demand (`VirtualClock`), for code that gets its time from outside:

>>> from fairdeal.testing import VirtualClock
>>> clock = VirtualClock()
>>> clock.advance(250_000)
250000
"""

from fairdeal.testing.alone import play_alone
from fairdeal.testing.arena import Arena, Played, play
from fairdeal.testing.scripted import SCRIPTS, Ending, Transcript
from fairdeal.testing.serve import ServedReferee, serving
from fairdeal.testing.virtual import VirtualClock

__all__ = [
    "SCRIPTS",
    "Arena",
    "Ending",
    "Played",
    "ServedReferee",
    "Transcript",
    "VirtualClock",
    "play",
    "play_alone",
    "serving",
]
