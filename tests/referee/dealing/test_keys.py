"""The keeping of secrets: the same one until forgotten, on disk before it is told, for the owner only."""

import os
import stat
from pathlib import Path

import pytest

from referee.dealing.keys import KeySource, Revealed, SeededKeys, Vault, VaultError
from referee.dealing.scheme import seeded_secret


def make_vault(folder: Path) -> Vault:
    return Vault(folder / "secrets")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("durable", [True, False])
def test_a_restart_gets_the_stored_secret(tmp_path: Path, durable: bool) -> None:
    secret = Vault(tmp_path / "secrets", durable=durable).secret("m-1.1")
    assert len(secret) == 32
    assert Vault(tmp_path / "secrets", durable=durable).secret("m-1.1") == secret


def test_each_epoch_has_its_own_secret(tmp_path: Path) -> None:
    vault = make_vault(tmp_path)
    assert len({vault.secret(f"m-1.{attempt}") for attempt in range(1, 21)}) == 20


def test_a_forgotten_secret_is_gone(tmp_path: Path) -> None:
    vault = make_vault(tmp_path)
    secret, other = vault.secret("m-1.1"), vault.secret("m-2.1")
    vault.forget("m-1.1")
    vault.forget("m-1.1")
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["m-2.1.secret"]
    assert vault.secret("m-1.1") != secret
    assert vault.secret("m-2.1") == other


def test_secrets_of_epochs_that_are_not_open_are_dropped(tmp_path: Path) -> None:
    vault = make_vault(tmp_path)
    secret = vault.secret("m-1.1")
    vault.secret("m-2.1")
    (tmp_path / "secrets" / ".m-3.1.secret").write_bytes(b"half")
    vault.forget_all_but({"m-1.1", "m-4.1"})
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["m-1.1.secret"]
    assert vault.secret("m-1.1") == secret


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_only_the_owner_may_read(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        make_vault(tmp_path).secret("m-1.1")
    finally:
        os.umask(before)
    assert mode(tmp_path / "secrets") == 0o700
    assert mode(tmp_path / "secrets" / "m-1.1.secret") == 0o600


def test_a_folder_that_others_could_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    folder.mkdir()
    folder.chmod(0o755)
    Vault(folder)
    assert mode(folder) == 0o700


def test_a_secret_is_synced_before_its_name_and_the_name_before_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(tmp_path)
    done: list[str] = []
    sync, move = os.fsync, Path.replace

    def noting_sync(descriptor: int) -> None:
        sync(descriptor)
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        done.append("folder synced" if is_folder else f"{os.fstat(descriptor).st_size} bytes synced")

    def noting_move(self: Path, target: Path) -> Path:
        done.append("renamed")
        return move(self, target)

    monkeypatch.setattr(os, "fsync", noting_sync)
    monkeypatch.setattr(Path, "replace", noting_move)
    vault.secret("m-1.1")
    assert done == ["32 bytes synced", "renamed", "folder synced"]


def test_what_a_crash_left_unfinished_is_written_over(tmp_path: Path) -> None:
    vault = make_vault(tmp_path)
    (tmp_path / "secrets" / ".m-1.1.secret").write_bytes(b"half")
    secret = vault.secret("m-1.1")
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["m-1.1.secret"]
    assert (tmp_path / "secrets" / "m-1.1.secret").read_bytes() == secret


def test_a_failed_write_leaves_nothing_and_draws_anew_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            vault.secret("m-1.1")
    assert list((tmp_path / "secrets").iterdir()) == []
    assert len(vault.secret("m-1.1")) == 32


@pytest.mark.parametrize("stored", [b"", bytes(31), bytes(33)])
def test_a_stored_file_of_another_length_is_refused(tmp_path: Path, stored: bytes) -> None:
    vault = make_vault(tmp_path)
    path = tmp_path / "secrets" / "m-1.1.secret"
    path.write_bytes(stored)
    with pytest.raises(
        VaultError, match=f"m-1.1.secret: {len(stored)} bytes where a secret has 32; put back"
    ):
        vault.secret("m-1.1")
    assert path.read_bytes() == stored


def test_a_folder_that_cannot_be_made_is_the_systems_error(tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("a file")
    with pytest.raises(FileExistsError):
        make_vault(tmp_path)
    with pytest.raises(FileNotFoundError):
        Vault(tmp_path / "missing" / "secrets")


def test_seeded_secrets_follow_from_seed_and_epoch_and_are_never_forgotten() -> None:
    keys = SeededKeys("quickstart")
    secret = keys.secret("m-1.1")
    keys.forget("m-1.1")
    assert secret == keys.secret("m-1.1") == seeded_secret("quickstart", "m-1.1")
    assert len({secret, keys.secret("m-1.2"), SeededKeys("other").secret("m-1.1")}) == 3


def test_a_seed_that_is_not_ascii_is_refused() -> None:
    with pytest.raises(ValueError, match="seed 'jaźń' is not ASCII"):
        SeededKeys("jaźń")


@pytest.mark.parametrize("seeded", [True, False])
@pytest.mark.parametrize(
    "name", ["", ".", "..", ".m.1", "-m.1", "a/b.1", "../m.1", "a b.1", "m\n.1", "m.1\n", "ł.1", "m" * 201]
)
def test_epoch_ids_that_cannot_be_file_names_are_refused(tmp_path: Path, seeded: bool, name: str) -> None:
    source: KeySource = SeededKeys("seed") if seeded else make_vault(tmp_path)
    assert source.repeatable == seeded
    with pytest.raises(ValueError, match="cannot be a file name: use at most 200 letters"):
        source.secret(name)
    with pytest.raises(ValueError, match="cannot be a file name"):
        source.forget(name)


@pytest.mark.parametrize("name", ["m.1", "rr~greedy+random~r0_1.2", "0", "m" * 200])
def test_other_epoch_ids_are_fine(tmp_path: Path, name: str) -> None:
    vault = make_vault(tmp_path)
    assert vault.secret(name) == vault.secret(name)


def test_keys_of_an_epoch_that_is_over_keep_nothing() -> None:
    keys: KeySource = Revealed(b"s" * 32, repeatable=False)
    keys.forget("m.1")
    keys.forget_all_but(())
    assert (keys.secret("m.1"), keys.repeatable) == (b"s" * 32, False)
