"""The command `fairdeal`."""

from tournaments.cli.app import main

__all__ = ["main"]
