"""The tournament files of examples/formats, and tournaments whose results are stored without a match."""

from pathlib import Path
from typing import Final

from referee.games.registry import GAMES
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result
from tests.tournaments.on_paper import Ranks, by_chance
from tournaments import schedule
from tournaments.plan.states import TournamentState
from tournaments.schedule.pairing import Pairing
from tournaments.store import Store
from tournaments.tournament_file.reader import load

FOLDER: Final = Path(__file__).parents[2] / "examples" / "formats"
FILES: Final = tuple(sorted(file.name for file in FOLDER.glob("*.toml")))


def copied(name: str, folder: Path) -> Path:
    """Return a copy of an example, beside which its tournament is kept."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text((FOLDER / name).read_text())
    return file


def play_on_paper(file: Path, ranks: Ranks = by_chance, most: int = 10_000) -> None:
    """Issue what a tournament file decides, and store results, until nothing is left or so many are over."""
    plan = load(file)
    sides = len(GAMES[plan.game].sides)
    with Store.open(plan) as store:
        for _ in range(most):
            if not (left := tuple(store.to_do())):
                store.issue(tuple(schedule.next(plan, store.issued(), store.ranks())))
                left = tuple(store.to_do())
            if not left:
                break
            at = ranks(plan, Pairing(left[0].match_id, left[0].round, left[0].entries))
            scores = tuple(10 * (sides - rank) for rank in at)
            ended = Outcome(
                Termination.COMPLETED, at, scores, False, (FaultCounts(),) * len(left[0].entries), ()
            )
            store.add(result(left[0].match_id, ended, left[0].attempt))
        else:
            return
        store.set_state(TournamentState.FINISHED)
