"""What a tournament played, in words, and its numbers as the page shows them."""

import math
from collections.abc import Mapping
from typing import Final

from referee.games.registry import GAMES
from referee.match.faults import FaultPolicy
from tournaments.plan.plan import Format, NoShowPolicy, Partners, Plan, TieBreak
from tournaments.plan.states import TournamentState
from tournaments.ratings import RatingParameters
from tournaments.report.clocks import clock_in_words, seconds
from tournaments.report.stage_tables import in_words

NOTHING: Final = "\u2013"
"""What stands for a number that is missing."""

_FORMATS: Final[Mapping[Format, str]] = {
    Format.ROUND_ROBIN: "round robin",
    Format.SWISS: "Swiss",
    Format.KNOCKOUT: "knockout",
    Format.DOUBLE_KNOCKOUT: "double knockout",
    Format.GAUNTLET: "gauntlet",
    Format.LADDER: "ladder",
}
TIE_BREAKS: Final[Mapping[TieBreak, str]] = {
    TieBreak.BUCHHOLZ: "Buchholz",
    TieBreak.DIRECT: "the matches between those who are level",
    TieBreak.SONNEBORN_BERGER: "Sonneborn-Berger",
    TieBreak.FIT: "the fit",
}
_WITH_ROUNDS: Final = {Format.ROUND_ROBIN, Format.SWISS, Format.GAUNTLET}
_PARTNERS: Final[Mapping[Partners, str]] = {
    Partners.MIXED: "everybody with everybody in turn",
    Partners.FIXED: "the same two for the whole tournament",
}


def lead(plan: Plan, state: TournamentState) -> str:
    """Return a sentence that says what was played, and how much of it."""
    format = " then ".join(stage.name for stage in plan.stages) or _format(plan)
    return f"{GAMES[plan.game].title}, {format}: {said(state)}."


def said(state: TournamentState) -> str:
    """Return how much has been played; a page cannot know whether it is being played right now."""
    return "begun" if state is TournamentState.RUNNING else state.value


def facts(plan: Plan) -> list[tuple[str, str]]:
    """Return the settings by which matches are played and rated, as terms and texts."""
    found = [
        ("Game", f"{GAMES[plan.game].title} ({plan.game})"),
        ("A match", _match(plan)),
        ("Format", _format(plan)),
    ]
    if GAMES[plan.game].has_partners:
        found.append(("Partners", _PARTNERS[plan.partners]))
    found += [
        ("Deals", _deals(plan)),
        ("Clock", clock_in_words(plan.clock)),
        *((f"Clock of {each.name}", clock_in_words(each.clock)) for each in plan.stages if each.clock),
        ("Faults", _faults(plan.faults)),
    ]
    if plan.tie_breaks:
        found.append(("Tie-breaks", ", then ".join(TIE_BREAKS[each] for each in plan.tie_breaks)))
    if plan.event_grid:
        found.append(("Events", f"told at every {seconds(plan.event_grid)} of a match"))
    if any(entry.remote for entry in plan.entries):
        then = (
            "the match begins without it"
            if plan.remote.no_show is NoShowPolicy.FORFEIT
            else "the match is skipped"
        )
        found.append(("No-shows", f"a remote entry is waited for {seconds(plan.remote.wait)}, then {then}"))
    if plan.par is not None:
        text = f"{plan.par}: what this house bot alone makes of the same decks shows the luck of the deal"
        found.append(("Par", text))
    found.append(("Ratings", _rating(plan.rating)))
    found.append(("Options", _options(plan)))
    return found


def _format(plan: Plan) -> str:
    if plan.stages:
        return "; then ".join(in_words(stage) for stage in plan.stages)
    name = _FORMATS[plan.format]
    if plan.format is Format.GAUNTLET and plan.challenger is not None:
        name += f" of {plan.challenger}"
    if plan.matches_each is not None:
        return f"{name}, {_number(plan.matches_each, 'match', 'matches')} each"
    name += f", best of {plan.best_of}" if plan.best_of > 1 else ""
    name += ", with a match for the third place" if plan.third_place else ""
    return f"{name}, {_number(plan.rounds, 'round')}" if plan.format in _WITH_ROUNDS else name


def _match(plan: Plan) -> str:
    if plan.deals is None:
        return "a whole game"
    turns = f", played {plan.turns} times with the seats turned: a duplicate set" if plan.duplicate else ""
    turns += "; all sets of a round have the same decks" if plan.shared_decks else ""
    return _number(plan.deals, "deal") + turns


def _deals(plan: Plan) -> str:
    if plan.seed is not None:
        return "repeatable, not secret: drawn from the seed of the file"
    return "secret until a match is over: fixed before play, unbiased if the secret was drawn fairly"


def _faults(policy: FaultPolicy) -> str:
    if not policy.substitute:
        return "the first one forfeits the match"
    then = f"a seat forfeits with {_number(policy.max_faults, 'fault')} in a match"
    return f"the default action is played; {then}"


def _rating(parameters: RatingParameters) -> str:
    draws = parameters.draw_probability
    return (
        f"TrueSkill; \u03bc {parameters.mu:.5g} and \u03c3 {parameters.sigma:.5g} to begin with,"
        f" \u03b2 {parameters.beta:.5g}, \u03c4 {parameters.tau:.5g},"
        f" draw probability {'estimated from the results' if draws is None else f'{draws:.5g}'}"
    )


def _options(plan: Plan) -> str:
    defaults = {option.name: option.default for option in GAMES[plan.game].options}
    said = []
    for name, value in plan.options.items():
        usual = "" if value == defaults.get(name) else f" (default {_value(defaults.get(name))})"
        said.append(f"{name} = {_value(value)}{usual}")
    return ", ".join(said) or "none"


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(number: int, thing: str, more: str = "") -> str:
    return f"{number} {thing if number == 1 else more or thing + 's'}"


def fixed(value: float | None, digits: int = 0) -> str:
    """Return a number as shown in a table; a dash for None or NaN."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:,.{digits}f}"
    return text.replace("-", "\u2212") if float(text.replace(",", "")) else text.removeprefix("-")
