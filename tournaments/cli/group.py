"""The commands of `fairdeal` as a group that suggests the right command for a wrong one."""

from itertools import takewhile
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from tournaments.cli.failure import Failure

_MEANT: Final = {
    "help": ("--help",),
    "version": ("--version",),
    "start": ("demo", "serve"),
    "play": ("demo", "bot NAME"),
    "server": ("serve",),
    "check": ("check-bot FILE",),
}
"""Words that other programs use for a command; the names of commands inside groups need no entry."""


class CommandGroup(TyperGroup):
    """Commands; for one that is missing it suggests what other programs call so, and those inside groups."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the group."""
        _tidy_help(self, ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, or fail with a suggestion."""
        name = args[0]
        is_known = name in self.commands or ctx.resilient_parsing  # shells ask what there is
        if not is_known and (meant := _MEANT.get(name) or self._inside(name)):
            ctx.fail(f"No such command {name!r}. Did you mean {' or '.join(map(repr, meant))}?")
        return super().resolve_command(ctx, args)

    def _inside(self, name: str) -> tuple[str, ...]:
        groups = ((title, each) for title, each in self.commands.items() if isinstance(each, TyperGroup))
        return tuple(f"{title} {name}" for title, group in groups if name in group.commands)


class Starting(TyperCommand):
    """A command whose argument is the command of another program, to which all that follows it belongs.

    An option of its own there is refused, unless ``--`` says that it is meant for that program.
    """

    allow_interspersed_args = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse an option that stands where it has no effect."""
        given = list(args)
        rest = super().parse_args(ctx, args)
        command = list(ctx.params.get("command") or ())
        is_separated = given[: len(given) - len(command)][-1:] == ["--"]
        own = {name for option in self.get_params(ctx) for name in option.opts if name.startswith("-")}
        for word in takewhile(lambda word: word != "--", () if is_separated else command):
            if (name := word.partition("=")[0]) in own:
                text = f"{name} comes after the command and would be passed to it"
                remedy = "write it before the command, or write -- before the command if it is meant for it"
                raise Failure(f"fairdeal {ctx.info_name}: {text}: {remedy}", 2)
        return rest


def _tidy_help(command: Any, ctx: Any) -> None:
    """Make the help of a command, and of those inside it, wrap its lines and show no `<bool>` after flags."""
    command.help = "\n\n".join(" ".join(each.split()) for each in (command.help or "").split("\n\n"))
    for parameter in command.get_params(ctx):
        if isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            _tidy_help(each, typer.Context(each, parent=ctx))
