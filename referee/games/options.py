"""Options of a game: what they are, the values given for them, and how they are listed.

A game that is already in use may gain options. Each has a default that changes nothing, so an older plan,
record or a journal of before is the same as one that gives the option its default. `listed` and `complete`
keep it so: an option that came later is listed only where it differs from its default, and what a list lacks
has its default.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from referee.games.errors import BadOption, no_such

OptionValue = int | bool | str
Options = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option: its name, default, bounds (numbers) or choices (words), and what it does."""

    name: str
    default: OptionValue
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Return ``flag``, ``number`` or ``word``."""
        if isinstance(self.default, bool):
            return "flag"
        return "number" if isinstance(self.default, int) else "word"

    @property
    def bounds(self) -> str:
        """Return a text that says which values are allowed."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "word":
            return " or ".join(self.choices)
        return f"{self.minimum} to {self.maximum}"

    def problem(self, value: object) -> str | None:
        """Return what is wrong with a value, or None when it is allowed."""
        wanted = self.bounds
        if self.kind == "flag":
            fits = isinstance(value, bool)
        elif self.kind == "word":
            fits = value in self.choices
        else:
            assert self.minimum is not None and self.maximum is not None
            wanted = f"a whole number from {wanted}"
            is_number = isinstance(value, int) and not isinstance(value, bool)
            fits = is_number and value in range(self.minimum, self.maximum + 1)
        return None if fits else f"{self.name} = {value!r}: must be {wanted}"


def max_deals(default: int) -> Option:
    """Return the option that caps the number of deals of a game."""
    return Option(
        name="max_deals",
        default=default,
        minimum=1,
        maximum=1000,
        help="A game that is not over after this many deals is decided by the scores.",
    )


def problems(schema: tuple[Option, ...], given: Mapping[str, object]) -> dict[str, str]:
    """Return what is wrong with given options: option name to a line of text; empty when all is well."""
    known = {option.name: option for option in schema}
    found: dict[str, str] = {}
    for name, value in given.items():
        if name not in known:
            found[name] = f"{name}: {no_such('option', name, sorted(known))}"
        elif text := known[name].problem(value):
            found[name] = text
    return found


def bind(schema: tuple[Option, ...], given: Mapping[str, object]) -> Options:
    """Return all options with their values, given ones over defaults.

    Raises:
        BadOption: an option is unknown, of the wrong type or out of bounds; every one is named.
    """
    if found := problems(schema, given):
        raise BadOption("; ".join(found.values()))
    bound: dict[str, OptionValue] = {}
    for option in schema:
        value = given.get(option.name, option.default)
        assert isinstance(value, int | bool | str)  # `problems` has checked every given value
        bound[option.name] = value
    return MappingProxyType(bound)


def listed(schema: tuple[Option, ...], always: Collection[str], options: Options) -> Options:
    """Return the options that are written down, by name: those of ``always``, and all others that differ."""
    neutral = {option.name: option.default for option in schema if option.name not in always}
    return {name: options[name] for name in sorted(options) if options[name] != neutral.get(name)}


def complete(schema: tuple[Option, ...], options: Options) -> Options:
    """Return options that were written down, unchecked, with the default for each option that they lack."""
    return {option.name: option.default for option in schema} | dict(options)


def number(options: Options, name: str) -> int:
    """Return the value of an option that is a number."""
    value = options[name]
    assert isinstance(value, int)
    return value


def flag(options: Options, name: str) -> bool:
    """Return the value of an option that is a flag."""
    value = options[name]
    assert isinstance(value, bool)
    return value


def word(options: Options, name: str) -> str:
    """Return the value of an option that is a word."""
    value = options[name]
    assert isinstance(value, str)
    return value
