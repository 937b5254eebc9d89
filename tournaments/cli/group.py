"""The commands of `fairdeal`: a call that is wrong is refused with what is missing, or what was meant."""

import re
from collections.abc import Callable
from itertools import takewhile
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.models import CommandFunctionType

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

_ADDRESS: Final = re.compile(r"unix:.+|[^/\s]+:\d+")


class App(typer.Typer):
    """A group of commands, each a `Command`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=CommandGroup, **settings)

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = None, **settings: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Return a decorator that adds a command."""
        return super().command(name, cls=cls or Command, **settings)


class CommandGroup(TyperGroup):
    """Commands; for an unknown one it suggests what was meant, also in other groups."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the group."""
        _tidy_help(self, ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, or fail with a suggestion."""
        name = args[0]
        is_known = name in self.commands or ctx.resilient_parsing  # shells ask what there is
        if not is_known and (meant := self._meant(ctx.find_root().command, name)):
            ctx.fail(f"No such command {name!r}. Did you mean {' or '.join(map(repr, meant))}?")
        return super().resolve_command(ctx, args)

    def _meant(self, root: Any, name: str) -> tuple[str, ...]:
        if self is root and name in _MEANT:
            return _MEANT[name]
        if name == "help":
            return ("--help",)
        groups = ((title, each) for title, each in root.commands.items() if isinstance(each, TyperGroup))
        found = [f"{title} {name}" for title, group in groups if name in group.commands]
        if self is root:
            return tuple(found)
        return tuple(f"fairdeal {each}" for each in [name][: name in root.commands] + found)


class Command(TyperCommand):
    """A command that names all that a call lacks, not only the first, and says where an address belongs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command."""
        given = list(args)
        ctx.allow_extra_args = True  # refused below, with a remedy
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            missing = self._missing(ctx, given)
            if error.param not in missing:
                raise
            *others, last = missing.values()
            ctx.fail(f"Missing {', '.join(others)}{' and ' if others else ''}{last}.")
        if rest and not ctx.resilient_parsing:
            ctx.fail(f"Got unexpected extra argument(s) ({' '.join(rest)}){self._remedy(ctx, rest[0])}")
        return rest

    def _missing(self, ctx: Any, args: list[str]) -> dict[Any, str]:
        """Return what is required and was not given, with how it is called."""
        given, _rest, _order = self.make_parser(ctx).parse_args(args=args)
        return {
            each: f"option '{each.opts[0]}'"
            if isinstance(each, TyperOption)
            else f"argument '{each.metavar}'"
            for each in self.get_params(ctx)
            if each.required and each.value_is_missing(each.consume_value(ctx, given)[0])
        }

    def _remedy(self, ctx: Any, word: str) -> str:
        options = (name for each in self.get_params(ctx) for name in each.opts)
        of_address = next((name for name in options if name in ("--connect", "--server")), None)
        return f": write {of_address} {word}" if of_address and _ADDRESS.fullmatch(word) else ""


class Starting(Command):
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
