"""Decisions in English, for language models, and their replies read back.

`words` gives the text of a decision: the rules of the match that is played, then what the seat knows, what is
asked and how to answer. It is made from the decision alone, so the same decision gives the same text. Seats
are named by place ("left", "partner") and never by entry. The first part, `rules`, is the same at each
decision of a match, so that servers of models can keep it. `parse` takes the answer out of a reply::

    import fairdeal
    from fairdeal.words import parse

    class Model:
        def act(self, decision):
            reply = ask_the_model(fairdeal.words(decision))
            return parse(decision, reply).answer

Profiles: ``full`` lists what is legal; ``plain`` does not; ``relabelled`` does, and has other names for suits
and ranks and none for the game, so that what is known about the game by heart helps less.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final, Literal, get_args

from fairdeal.updates import Decision
from fairdeal.words._frame import HOW_TO_ANSWER, HOW_TO_REPLY, NoWords, Places, answer_schema, legal_line
from fairdeal.words._names import OTHER, USUAL, Names
from fairdeal.words._reply import Problem, Reading, read_reply

__all__ = [
    "GAMES",
    "PROFILES",
    "TEXT_HASH",
    "VERSION",
    "NoWords",
    "Problem",
    "Profile",
    "Reading",
    "parse",
    "reminder",
    "rules",
    "schema",
    "situation",
    "words",
]

Profile = Literal["full", "plain", "relabelled"]
PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)

VERSION: Final = 1
"""The version of the texts: it rises when one of them changes."""
TEXT_HASH: Final = "6544c17879b6d837"
"""The hash of the texts: of the samples of every game, phase and profile that the tests keep."""

GAMES: Final = tuple([module.name for module in iter_modules(__path__) if module.name[0] != "_"])
"""The games that have words."""


def words(decision: Decision, profile: Profile = "full") -> str:
    """Return a decision in English: the rules first, then the situation and the question.

    Raises:
        ValueError: there is no such profile.
        NoWords: the game, or its version of the rules, is unknown here.
    """
    return f"{rules(decision, profile)}\n{situation(decision, profile)}"


def rules(decision: Decision, profile: Profile = "full") -> str:
    """Return the first part of a decision's text, which is the same at each decision of a match.

    Raises:
        ValueError: there is no such profile.
        NoWords: the game, or its version of the rules, is unknown here.
    """
    names, game = _names(profile), _game(decision)
    match = decision.match
    title = "A card game" if names.is_other else game.TITLE
    lines = [f"# Rules: {title}", "", names.legend(game.LOWEST)]
    lines += [f"* {each}" for each in game.rules(match, names)]
    # one that came later has a default that changes nothing; what it does otherwise is not known here
    later = {name: value for name, value in match.options.items() if name not in game.OPTIONS}
    if later:
        told = ", ".join(f"{name} = {str(value).lower()}" for name, value in sorted(later.items()))
        lines.append(f"* Other options of this match: {told}.")
    lines += ["", "# How to answer", "", HOW_TO_ANSWER, ""]
    return "\n".join(lines)


def situation(decision: Decision, profile: Profile = "full") -> str:
    """Return the second part of a decision's text: what the seat knows, what is asked, and how to answer.

    Raises:
        ValueError: there is no such profile.
        NoWords: the game, or its version of the rules, is unknown here.
    """
    names, game, view = _names(profile), _game(decision), decision.view
    asked = game.question(view, decision, names)
    lines = ["# What you know", "", *game.situation(view, Places.of(decision.match), names)]
    lines += ["", "# Your decision", "", asked.text]
    if profile != "plain":
        lines.append(legal_line(decision, names))
    lines += [f'The value of "action": {asked.form}.', ""]
    return "\n".join(lines)


def schema(decision: Decision, profile: Profile = "full") -> dict[str, Any]:
    """Return the JSON schema of the value of "action": what is legal, in the names of a profile.

    Raises:
        ValueError: there is no such profile.
        NoWords: the game, or its version of the rules, is unknown here.
    """
    _game(decision)
    return answer_schema(decision, _names(profile))


def parse(decision: Decision, reply: str, profile: Profile = "full") -> Reading:
    """Return the answer in a model's reply, or what is wrong with it.

    Only the last JSON object counts, in a fence or not; the prose around it is not read. Cards may be written
    as ``QS``, ``Q♠`` or ``queen of spades``. ``profile`` is that of the text that the model was given.

    Raises:
        ValueError: there is no such profile.
        NoWords: the game is unknown here.
    """
    _game(decision)
    return read_reply(decision, reply, _names(profile))


def reminder(decision: Decision, reading: Reading, profile: Profile = "full") -> str:
    """Return what to tell a model whose reply gave no answer: what was wrong, and the form of an answer.

    Raises:
        ValueError: there is no such profile.
        NoWords: the game, or its version of the rules, is unknown here.
    """
    names, game = _names(profile), _game(decision)
    asked = game.question(decision.view, decision, names)
    if reading.problem is Problem.ILLEGAL:
        first = f"Your answer is not legal: {reading.why}. {asked.text}"
    else:
        first = f"Your reply could not be read: {reading.why}."
    lines = [first, legal_line(decision, names)] if profile != "plain" else [first]
    lines.append(f'{HOW_TO_REPLY} The value of "action": {asked.form}.')
    return "\n".join(lines)


def _names(profile: str) -> Names:
    if profile not in PROFILES:
        raise ValueError(f"profile must be {' or '.join(PROFILES)}, not {profile!r}")
    return OTHER if profile == "relabelled" else USUAL


def _game(decision: Decision) -> Any:
    match = decision.match
    if match.game not in GAMES or decision.view is None:
        raise NoWords(f"there are no words for {match.game!r}; there are for {', '.join(GAMES)}")
    game = import_module(f"{__name__}.{match.game}")  # on demand: a bot plays few games
    if match.rules_version != game.RULES_VERSION:
        raise NoWords(
            f"there are no words for rules version {match.rules_version} of {match.game}, only for"
            f" {game.RULES_VERSION}: update fairdeal"
        )
    return game
