"""Options that several commands have."""

from typing import Annotated, Final

import typer

DEFAULT_ADDRESS: Final = "127.0.0.1:7447"

Drain = Annotated[
    float, typer.Option(min=0, help="After a signal, seconds for the matches being played to end.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
