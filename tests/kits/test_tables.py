"""A kit's random bot at 64 tables at once, as fast as it can: an honest bot meets no limit."""

import json
from typing import Final

from tests.kits.kits import Kit
from tests.stress.processes import LONG
from tests.workspace import Workspace

TABLES: Final = 64
MATCHES: Final = 1280 if LONG else 128


def test_an_honest_bot_meets_no_limit_at_64_tables(workspace: Workspace, kit: Kit) -> None:
    head = f"""name = "many"
game = "two_handed_spades"
match = {{ deals = 1 }}
clock = "debug"
rounds = {MATCHES}
concurrency = {TABLES}
"""
    entries = (f'[[entries]]\nname = "{name}"\ncommand = {json.dumps(kit.command())}\n' for name in "ab")
    cup = workspace.file(head + "".join(entries), "many/cup.toml")
    done = workspace.run("tournament", "run", cup, "--json")
    assert done.status == 0, done.err
    assert done.json["matches"] == MATCHES
    for line in done.json["standings"]:
        # who meets a limit loses its session
        told = {key: line[key] for key in ("faults", "forfeits", "voids", "sessions_lost")}
        assert not any(told.values()), (told, done.err)
