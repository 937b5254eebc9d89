"""A tournament in stages by real processes: killed in its playoff, and gone on with."""

import signal
from collections.abc import Callable
from typing import Final

from tests.tournaments.examples import FOLDER
from tests.workspace import Workspace

OF_GROUPS: Final = 12
KILLED_AFTER: Final = (OF_GROUPS + 2,)  # records: in the playoff
EXAMPLE: Final = "groups_and_playoff"


def test_an_example_in_stages_goes_on_after_a_kill(
    workspace: Workspace, eventually: Callable[..., object]
) -> None:
    file = workspace.file((FOLDER / f"{EXAMPLE}.toml").read_text(), f"{EXAMPLE}.toml")
    records = workspace.records(f"{EXAMPLE}.fairdeal")
    for over in KILLED_AFTER:
        running = workspace.start("tournament", "run", file)
        eventually(lambda over=over: len(records.paths()) >= over, f"{over} records")
        running.stopped(signal.SIGKILL)
        workspace.nobody_is_left()
    data = workspace.run("tournament", "run", file, "--json").json
    assert data["state"] == "finished"
    assert data["played"] == data["matches"] == len(workspace.results(f"{EXAMPLE}.fairdeal"))
    assert [line["place"] for line in data["standings"]] == [1, 2, 3, 4, 5, 5]
    (groups, _playoff) = data["stages"]
    on = {line["entry"] for group in groups["groups"] for line in group if line["goes_on"]}
    assert on == {line["entry"] for line in data["standings"][:4]}
    headers = [header for header in records.headers() if header["attempt"] == 1]
    moves = {header["match_id"]: header["clock"]["move"] for header in headers}
    in_groups = [each for each in moves if int(each.split("-")[1]) <= 2]
    assert len(in_groups) == OF_GROUPS
    assert {moves[each] for each in in_groups} == {250_000}
    assert {move for each, move in moves.items() if each not in in_groups} == {1_000_000}
    verified = workspace.ask("record", "verify", file)
    assert verified.status == 0, verified.out
