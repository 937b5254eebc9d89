"""Options that several commands have."""

from typing import Annotated, Final

import typer

from referee.match.clock import PROFILES

DEFAULT_ADDRESS: Final = "127.0.0.1:7447"

# the groups of commands in the help
PLAY: Final = "Play"
BOTS: Final = "Bots"
SERVE: Final = "Serve others"
READ: Final = "Look up"

Drain = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0, help="How long running matches may go on after the first Ctrl-C."),
]
Clock = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"How long bots may think: {', '.join([*PROFILES][:-1])} or {[*PROFILES][-1]}.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
