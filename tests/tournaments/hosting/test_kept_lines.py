"""What a hosted bot keeps of its matches lies beside its log, and the bot cannot reach the file."""

from pathlib import Path

import pytest

from tests.tournaments.hosted import command, run
from tournaments.hosting.bot_output import KEPT_LIMIT
from tournaments.plan.plan import Hosting

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

KEEP = "import os\nwith open(os.environ['FAIRDEAL_KEEP'], 'a') as file: file.write('{}')\n"


@pytest.mark.parametrize("sandbox", ["none", "bubblewrap"])
async def test_what_a_bot_keeps_is_added_to_a_file_beside_its_log(
    tmp_path: Path, sandbox: str, request: pytest.FixtureRequest
) -> None:
    if sandbox != "none":
        request.getfixturevalue("needs_sandbox")
    for text in ("one", "two"):
        ended = await run(
            command(tmp_path, KEEP.format(rf"{text}\n"), hosting=Hosting(sandbox=sandbox)), tmp_path / "logs"
        )
        assert (ended.code, ended.last_output) == (0, ())
    kept = tmp_path / "logs" / "greedy.kept.jsonl"
    assert kept.read_text() == "one\ntwo\n"
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_a_file_takes_16_mb(tmp_path: Path) -> None:
    lines = KEEP.replace("'{}'", "('x' * 1023 + '\\n') * (17 << 10)")
    await run(command(tmp_path, lines), tmp_path / "logs")
    kept = tmp_path / "logs" / "greedy.kept.jsonl"
    size = kept.stat().st_size
    assert KEPT_LIMIT - (1 << 17) < size <= KEPT_LIMIT
    await run(command(tmp_path, KEEP.format("more")), tmp_path / "logs")
    assert kept.read_text() == "more"
    assert kept.with_name(f"{kept.name}.1").stat().st_size == size


async def test_a_bot_has_the_pipe_and_not_the_file(tmp_path: Path) -> None:
    source = """
import os
for number in os.listdir("/proc/self/fd"):
    if os.path.exists(path := f"/proc/self/fd/{number}") and "kept" in os.readlink(path):
        print("it has the file")
print(os.environ["FAIRDEAL_KEEP"])
"""
    ended = await run(command(tmp_path, source), tmp_path / "logs")
    assert ended.last_output == ("/dev/fd/100",)


async def test_a_bot_plays_though_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "logs" / "greedy.kept.jsonl").mkdir(parents=True)
    source = "import os; print(repr(os.environ['FAIRDEAL_KEEP']))"
    ended = await run(command(tmp_path, source), tmp_path / "logs")
    assert (ended.code, ended.last_output) == (0, ("''",))
