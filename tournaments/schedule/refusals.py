"""The reasons why a format cannot play a plan, in plain words with the remedy."""

from collections.abc import Iterator

from referee.games.errors import did_you_mean
from referee.games.registry import GAMES
from tournaments.plan.plan import Format, NoShowPolicy, Partners, Plan, Stage
from tournaments.schedule.stages import outlines


def refusals(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return everything that the plan's format cannot do, each as the key that causes it, and why.

    Keys are those of the tournament file, a key of a table with a dot: ``remote.no_show``. The entries are
    not checked where more may still register.
    """
    return (
        *_too_few(plan),
        *_partners(plan),
        *(_stages(plan) if plan.stages else (*_rounds(plan), *_series(plan))),
        *_challenger(plan),
        *_no_show(plan),
        *_duplicate(plan),
    )


def _may_grow(plan: Plan) -> bool:
    return plan.open or plan.format is Format.LADDER


def _words(plan: Plan) -> str:
    return f"a {plan.format.replace('_', ' ')}"


def _too_few(plan: Plan) -> Iterator[tuple[str, str]]:
    if _may_grow(plan) or (there := len(plan.competitors)) >= plan.at_table:
        return
    if plan.has_fixed_pairs:
        text = "a match of fixed pairs is between 2 of them, and there is 1: add an entry or a team"
    else:
        text = f"a match of {plan.game} takes {plan.at_table} entries, and there are {there}: add some"
        if GAMES[plan.game].has_partners and there >= 2:
            text += ', or write partners = "fixed", so that one entry plays both seats of a side'
    yield "entries", text


def _partners(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.format.is_knockout and GAMES[plan.game].has_partners and plan.partners is Partners.MIXED:
        yield (
            "partners",
            f"{_words(plan)} cannot be won by one of two partners who change: "
            'write partners = "fixed", or take another format',
        )


def _stages(plan: Plan) -> Iterator[tuple[str, str]]:
    if len(plan.stages) == 1:
        yield "stages", "are at least two: write the format of the only one above the tables of the file"
        return
    last = len(plan.stages) - 1
    for number, (stage, plans) in enumerate(outlines(plan)):
        key = f"stages.{number}"
        if number < last:
            found = _groups(plan, stage, min(len(each.competitors) for each in plans))
        else:
            found = _last_stage(stage)
        problems = [*found]
        if not problems:
            smallest = min(plans, key=lambda each: len(each.competitors))
            problems += [*_rounds(smallest), *_series(smallest)]
        yield from ((f"{key}.{where}", text) for where, text in problems)
        if problems:
            return  # what follows rests on it


def _groups(plan: Plan, stage: Stage, smallest: int) -> Iterator[tuple[str, str]]:
    if stage.format not in (Format.ROUND_ROBIN, Format.SWISS):
        text = 'only the last stage is a knockout: write "round_robin" or "swiss", or make it the last'
        yield "format", text
    elif not stage.advance:
        yield "advance", "is missing: how many of each group go on to the next stage?"
    elif stage.groups * stage.advance < plan.at_table:
        text = f"sends on {stage.groups * stage.advance}, and a match of the next stage takes {plan.at_table}"
        yield "advance", f"{text}: raise it, or have more groups"
    elif not _may_grow(plan) and smallest < max(plan.at_table, stage.advance):
        why = (
            f"a match takes {plan.at_table}" if smallest < plan.at_table else f"{stage.advance} are to go on"
        )
        text = f"of {stage.groups} groups" if stage.groups > 1 else "of all"
        yield "groups", f"{text} the smallest has {smallest}, and {why}: lower it, or add entries"


def _last_stage(stage: Stage) -> Iterator[tuple[str, str]]:
    if not stage.format.is_knockout:
        yield "format", 'the last stage decides who wins: write "knockout" or "double_knockout"'
    if stage.advance:
        yield "advance", "is for stages that another one follows: leave it out"
    if stage.groups > 1:
        yield "groups", "is for stages that another one follows: leave it out"


def _rounds(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.format is not Format.SWISS or plan.at_table != 2 or _may_grow(plan):
        return
    there = len(plan.competitors)
    most = there if there % 2 else there - 1
    if there >= 2 and plan.rounds > most:
        yield (
            "rounds",
            f"in a swiss no two meet twice: {there} can play {most} round{'s' * (most > 1)}, "
            f"not {plan.rounds}; lower it, or take a round robin",
        )


def _series(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.best_of != 1 and not plan.format.is_knockout:
        yield "best_of", f"{_words(plan)} has no series: leave it out, or take a knockout"
    elif plan.best_of != 1 and plan.at_table != 2:
        text = f"is for matches of two, and a match of {plan.game} has {plan.at_table}: leave it out"
        yield "best_of", f"{text}, and write match = {{ deals = NUMBER }} for longer matches"
    if not plan.third_place:
        return
    if plan.format is Format.DOUBLE_KNOCKOUT:
        text = "a double knockout decides the third place without a match of its own: leave it out"
        yield "third_place", text
    elif plan.format is not Format.KNOCKOUT:
        yield "third_place", f"{_words(plan)} has no match for the third place: leave it out"
    elif plan.at_table != 2:
        yield "third_place", f"the last table of {plan.at_table} decides the third place: leave it out"


def _challenger(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.format is not Format.GAUNTLET:
        if plan.challenger is not None:
            yield "challenger", f"{_words(plan)} has no challenger: leave it out, or take a gauntlet"
        return
    names = [competitor.name for competitor in plan.competitors]
    given = plan.challenger
    if given is None:
        yield "challenger", "a gauntlet is one against all the others: write challenger = the name of the one"
    elif given not in names and not _may_grow(plan):
        team = plan.competitor_of(given)
        if team != given:
            yield "challenger", f"{given} plays in team {team}: name the team"
        else:
            meant = did_you_mean(given, names) or "name one of them"
            yield "challenger", f"{given} does not take part; {meant}"


def _no_show(plan: Plan) -> Iterator[tuple[str, str]]:
    if (plan.format.is_knockout or plan.format is Format.SWISS) and plan.remote.no_show is NoShowPolicy.SKIP:
        yield (
            "remote.no_show",
            f"{_words(plan)} needs the result of every match, so none can be left out: "
            'write no_show = "forfeit"',
        )


def _duplicate(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.shared_decks and (text := _no_shared_decks(plan)):
        yield "match.shared_decks", text
    if not plan.duplicate:
        return
    if plan.format is Format.LADDER:
        yield "match.duplicate", "is for formats with a schedule, which a ladder has not: leave it out"
    if plan.open:
        text = "would have those who register meet deals twice: close the registration, or leave it out"
        yield "match.duplicate", text
    elif remote := [entry.name for entry in plan.entries if entry.remote]:
        text = f"would have {remote[0]}, which is remote, meet deals twice: host it here, or leave it out"
        yield "match.duplicate", text


def _no_shared_decks(plan: Plan) -> str | None:
    """Return why no pairs can share their decks, None if they can."""
    if not plan.duplicate:
        return "is for duplicate sets: write match = { deals = 1, duplicate = true, shared_decks = true }"
    if plan.format is not Format.ROUND_ROBIN or plan.matches_each is not None:
        return "is for round robins of whole rounds: leave it out"
    if plan.at_table != 2:
        return "is for matches between two entries or fixed pairs: leave it out"
    return None
