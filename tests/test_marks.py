"""`make test` leaves out what takes a fixture that starts programs: such a name must mean nothing else."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import PROGRAMS

FIXTURE: Final = re.compile(
    r"""^@pytest(?:_asyncio)?\.fixture(?:.*name="(\w+)")?.*\n(?:async )?def (\w+)\(""", re.MULTILINE
)


def test_no_other_fixture_is_called_as_one_that_starts_programs() -> None:
    found: Counter[str] = Counter()
    for path in Path(__file__).parent.rglob("*.py"):
        found.update(named or called for named, called in FIXTURE.findall(path.read_text()))
    assert {name: found[name] for name in PROGRAMS} == dict.fromkeys(PROGRAMS, 1)


@pytest.mark.process
def test_a_test_answers_for_what_it_starts_and_not_for_what_ends_with_the_session(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import pytest_runtest_call, pytest_runtest_setup, pytest_runtest_teardown\n"
        "from tests.conftest import pytest_configure\n"
    )
    (tmp_path / "test_last.py").write_text(
        "import subprocess, pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def server():\n"
        "    yield\n"
        "    subprocess.run(['true'])\n"
        "def test_starts_one(server):\n"
        "    try:\n"
        "        subprocess.run(['true'])\n"
        "    except AssertionError:\n"
        "        pass\n"
        "def test_starts_none(server):\n"
        "    assert True\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, tmp_path]
    # without the second tries that `.ci/run` gives every test
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed in" in done.stdout
    assert "test_starts_one starts a process (subprocess.Popen): mark it process" in done.stdout
