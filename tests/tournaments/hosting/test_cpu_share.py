"""How hosted bots share the processors: what is in force is read back from the kernel, not timed."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.host_under_test import Open, entry, supervisor_of
from tests.tournaments.hosted import command, run
from tournaments.hosting import cpu_share
from tournaments.hosting.proc import descendants

BURNS = "\n".join(
    (
        "for each in 1 2 3; do (while :; do :; done) & done",
        "setsid sh -c 'while :; do :; done' &",  # a session of its own has a share of its own only elsewhere
        'echo "$FAIRDEAL_TOKEN $$" > "$FAIRDEAL_ENTRY.fifo"',
        "exec sleep 600",
    )
)


def group_of(process: int) -> Path:
    """Return the folder of a process's control group."""
    found = cpu_share.group_of("cpu", process)
    assert found is not None
    return found


def share_of(group: Path) -> str:
    """Return how large the share of a control group is, as its version has it."""
    (file,) = [file for file in (group / "cpu.weight", group / "cpu.shares") if file.exists()]
    return file.read_text()


def may_make_groups() -> bool:
    """Return whether a group that is made in ours has a share of its own."""
    own = cpu_share.group_of("cpu")
    made = own and own / f"test-{os.getpid()}"
    try:
        assert made
        made.mkdir()
    except (AssertionError, OSError):
        return False
    try:
        return (made / "cpu.weight").exists() or (made / "cpu.shares").exists()
    finally:
        made.rmdir()


@pytest.fixture(scope="module")
def needs_groups() -> None:
    with cpu_share.shared() as share:
        if share.group is None:
            assert not may_make_groups()
            pytest.skip(f"no control groups can be made here: {share.text}")


@pytest.mark.asyncio
@pytest.mark.usefixtures("needs_groups")
async def test_whatever_a_bot_starts_it_has_the_share_of_one(open_host: Open) -> None:
    waits = BURNS.replace("while :; do :; done", "sleep 600")
    async with open_host(entry("one", BURNS), entry("two", waits)) as tested:
        share = tested.host.share
        groups = []
        for name in ("one", "two"):
            _token, process = await tested.started(name)
            below = descendants(supervisor_of(process))
            (group,) = {group_of(each) for each in below}
            assert group.parent == share.group
            groups.append(group)
        assert groups[0] != groups[1]
        assert share_of(groups[0]) == share_of(groups[1])
        assert group_of(os.getpid()) not in groups
    assert not share.group.exists()


@pytest.mark.usefixtures("needs_groups")
def test_what_a_run_that_was_killed_has_left_is_removed() -> None:
    own = cpu_share.group_of("cpu")
    assert own is not None
    left = own / "fairdeal-4999999"  # no process has so high a number
    (left / "of a bot").mkdir(parents=True)
    with cpu_share.shared():
        assert not left.exists()


@pytest.mark.process
@pytest.mark.asyncio
async def test_elsewhere_bots_stand_back_behind_the_referee(tmp_path: Path) -> None:
    bot = command(tmp_path, "import os; print(os.nice(0))")
    ended = await run(replace(bot, share=cpu_share.Share(None, "")), tmp_path)
    assert ended.last_output == (str(os.nice(0) + cpu_share.NICE),)


@pytest.mark.parametrize(
    ("groups", "weighed", "outside"),
    [
        ("4:cpu,cpuacct:/\n0::/user.slice", "", True),
        ("4:cpu,cpuacct:/docker/1\n0::/", "", False),
        ("0::/a/b", "", True),
        ("0::/a/b", "a", False),
        ("0::/a/b", "a/b", False),
    ],
)
def test_sessions_have_shares_where_no_group_has_one(
    tmp_path: Path, groups: str, weighed: str, outside: bool
) -> None:
    own = tmp_path / "a" / "b"
    own.mkdir(parents=True)
    if weighed:
        (tmp_path / weighed / "cpu.weight").write_text("100")
    assert cpu_share.is_outside(own, groups) is outside
