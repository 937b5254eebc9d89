"""The messages of TournamentService about standings, from domain values to protobuf and back."""

from dataclasses import asdict, fields
from typing import Any

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.codec.proto.fields import fill, fill_duration
from referee.match.faults import FaultCounts
from tournaments.ratings import Rating
from tournaments.service.codec import entry_state, entry_state_of
from tournaments.standings.shapes import Skill, Standing, Tally, ThinkTime


def standing(line: Standing) -> pb.Standing:
    """Return a line of the standings, without the rating over time and the single scores."""
    message = pb.Standing(
        rank=line.rank,
        competitor=line.entry,
        matches=line.matches,
        wins=line.tally.wins,
        draws=line.tally.draws,
        losses=line.tally.losses,
        mean_score=line.mean_score,
        score_deviation=line.score_deviation,
        scored=line.scored,
        mu=line.rating.mu,
        sigma=line.rating.sigma,
        conservative=line.rating.conservative,
        forfeits=line.forfeits,
        voids=line.voids,
        current=line.is_current,
        state=entry_state(line.state),
        points=line.points,
        buchholz=line.buchholz,
        place=line.place,
        skill=None if line.skill is None else pb.Skill(**asdict(line.skill)),
        ranked_by_skill=line.is_ranked_by_skill,
        clean_matches=line.clean_matches,
        decided_by_faults=line.decided_by_faults,
        clean_skill=None if line.clean_skill is None else pb.Skill(**asdict(line.clean_skill)),
    )
    fill(message.faults, line.faults)
    message.think.answered = line.think.answered
    fill_duration(message.think.total, line.think.total)
    fill_duration(message.think.longest, line.think.longest)
    return message


def listed(line: Standing) -> bytes:
    """Return a line of the standings as an answer of one line; answers in a row are one with all lines."""
    return pb.ListStandingsResponse(standings=[standing(line)]).SerializeToString()


def standing_of(message: pb.Standing) -> Standing:
    """Return a line of the standings, without the rating over time and the single scores.

    Raises:
        UnknownMessage: it holds something that this version does not know.
    """
    faults, think = message.faults, message.think

    def given(name: str) -> Any:
        return getattr(message, name) if message.HasField(name) else None

    return Standing(
        rank=message.rank,
        entry=message.competitor,
        matches=message.matches,
        tally=Tally(message.wins, message.draws, message.losses),
        mean_score=given("mean_score"),
        score_deviation=given("score_deviation"),
        scored=message.scored,
        rating=Rating(message.mu, message.sigma),
        forfeits=dict(sorted(message.forfeits.items())),
        faults=FaultCounts(
            faults.malformed, faults.illegal, faults.disconnected, faults.late, faults.sessions_lost
        ),
        voids=message.voids,
        think=ThinkTime(think.answered, think.total.ToMicroseconds(), think.longest.ToMicroseconds()),
        is_current=message.current,
        state=entry_state_of(message.state),
        history=(),
        scores=(),
        points=given("points"),
        buchholz=given("buchholz"),
        place=given("place"),
        skill=_skill_of(message.skill) if message.HasField("skill") else None,
        is_ranked_by_skill=message.ranked_by_skill,
        clean_matches=message.clean_matches,
        decided_by_faults=message.decided_by_faults,
        clean_skill=_skill_of(message.clean_skill) if message.HasField("clean_skill") else None,
    )


def _skill_of(message: pb.Skill) -> Skill:
    return Skill(**{field.name: getattr(message, field.name) for field in fields(Skill)})
