"""`fairdeal tournament export`."""

from pathlib import Path

import pytest

from tests.tournaments import kept
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.site.made import files
from tests.tournaments.tournament_under_test import remote


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return kept.restored("piquet-finished", tmp_path)


def test_a_site_is_written_and_then_only_what_has_changed(fairdeal: Fairdeal, cup: Path) -> None:
    done = fairdeal("tournament", "export", cup, "site")
    number = len(files(Path("site")))
    assert (done.status, done.out) == (0, "")
    said = done.err.splitlines()[-1]
    assert said.startswith(f"wrote {number - 1} files, ")
    assert said.endswith(" MB; open site/index.html")
    again = fairdeal("tournament", "export", cup, "site", "--follow")
    assert again.status == 0
    assert again.err.splitlines() == ["nothing has changed; open site/index.html"]


def test_what_cannot_be_exported_is_refused(fairdeal: Fairdeal, cup: Path) -> None:
    busy = fairdeal("tournament", "export", cup, ".")
    assert (busy.status, busy.out) == (1, "")
    assert busy.err == "fairdeal: .: holds other files: choose a folder that is empty or not there\n"
    new = Path("new.toml")
    new.write_text(f'game = "piquet"\n{remote("a", "b")}')
    unplayed = fairdeal("tournament", "export", new, "site")
    assert unplayed.status == 1
    assert "no match has been played here: run the tournament first" in unplayed.err
    assert not Path("site").exists()
    refused = fairdeal("tournament", "run", cup, "--export", ".")
    assert (refused.status, refused.err) == (1, busy.err)
