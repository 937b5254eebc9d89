"""The sandbox of a hosted bot: bubblewrap, without network, with a read-only view of the little it needs.

A bot in it sees: the system's programs and libraries, the Python that runs this with its packages, the
folders of the files that its command names, and a private ``/tmp``, as large as its memory limit or 256 MB.
It reaches the referee through the folder of one Unix socket, in which there must be nothing else, and
nothing else of the machine: no network, no other process, no other socket, no home folder. If a folder that
it sees contains something that it must not see, such as the tournament's own folder, that is covered. Give
each bot a folder of its own, and name its files by their paths (``bots/a/main.py``, not ``-m``).

Its environment is PATH, LANG, HOME, which is ``/tmp``, and what the runner gives to it.
"""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import fairdeal
import referee

PROBE_SECONDS: Final = 20.0

_PROGRAM: Final = "bwrap"
_SOCKET_FOLDER: Final = Path("/run/fairdeal")
_UNIX: Final = "unix:"
_TEMPORARY: Final = Path("/tmp")
_OPTIONS: Final = (
    "--die-with-parent",
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",  # in a user namespace of its own a bot could mount more of the kernel's file systems
    "--cap-drop",
    "ALL",
)
_TEMPORARY_BYTES: Final = 256 << 20
_SYSTEM: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
)
_FOR_ALL: Final = ("/dev", "/proc", "/run", "/sys")  # folders below these never belong to one bot
_NEEDS_NAMESPACES: Final = (
    "; it needs user namespaces: have them allowed (sysctl user.max_user_namespaces,"
    " kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or use no sandbox"
)


class SandboxError(Exception):
    """A bot cannot be put into a sandbox; the text is one line for people."""


def probe() -> str | None:
    """Run a command in a sandbox like a bot's; return in one line why that fails, or None."""
    command = (sys.executable, "-c", "import fairdeal.bots")
    try:
        words, environment = enter(command, cwd=Path("/usr"), environment={})
        done = subprocess.run(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
        )
    except SandboxError as error:
        return str(error)
    except subprocess.TimeoutExpired:
        return f"bubblewrap cannot be used here: it did nothing within {PROBE_SECONDS:g} s"
    except OSError as error:
        return f"bubblewrap cannot be used here: {error.strerror}"
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines() or [f"it exited with status {done.returncode}"]
    own = [line for line in said if line.startswith("bwrap: ")]
    if not own:
        return f"bubblewrap cannot be used here: the Python that runs this does not run in it: {said[-1]}"
    why = own[0].removeprefix("bwrap: ")
    if why.startswith("Unknown option"):
        return f"bubblewrap cannot be used here: {why}; install version 0.8 or later"
    remedy = _NEEDS_NAMESPACES if "namespace" in why or "uid map" in why else ""
    return f"bubblewrap cannot be used here: {why.rstrip('.')}{remedy}"


def refusal(command: Sequence[str], cwd: Path, hidden: Iterable[Path] = ()) -> str | None:
    """Return in one line why a command cannot be run in a sandbox, or None.

    ``hidden`` are the files and folders that it must not see.
    """
    never = {path.resolve() for path in hidden}
    for folder in folders(command, cwd):
        for_all = len(folder.parts) < 3 or any(folder.is_relative_to(path) for path in _FOR_ALL)
        if for_all or _holds_home(folder) or folder.resolve() in never:
            return (
                f"in a sandbox it would see the whole folder {str(folder)!r}, since its command names a file"
                " there or the folder: put what the bot needs into a folder of its own"
            )
    return None


def folders(command: Sequence[str], cwd: Path) -> tuple[Path, ...]:
    """Return the folders that a command names, or in which files are that it names, in order.

    Its words are taken as paths relative to ``cwd``, which is absolute, the first one is looked up on the
    PATH; a link counts as what it leads to as well. The system's folders and those of the Python that runs
    this are left out.
    """
    common = _common()
    found: dict[Path, None] = {}
    for index, word in enumerate(command):
        program = shutil.which(word) if index == 0 and "/" not in word else None
        path = Path(os.path.normpath(cwd / (program or word)))
        for folder in _folders_of(path):
            if not any(folder.is_relative_to(seen) for seen in common):
                found[folder] = None
    return tuple(found)


def of_others(name: str, commands: Mapping[str, Sequence[str]], cwd: Path) -> tuple[Path, ...]:
    """Return the folders of all bots except one, by their commands, without those that it names itself."""
    own = set(folders(commands[name], cwd))
    others = {path for other, command in commands.items() if other != name for path in folders(command, cwd)}
    return tuple(sorted(others - own))


def enter(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    hidden: Iterable[Path] = (),
    memory: int | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Return the words that run a command in a sandbox, and their whole environment.

    FAIRDEAL_ADDRESS in ``environment`` is ``unix:`` and the socket's path. ``hidden`` are files and folders
    that are covered where the bot would see them; ``memory``, in bytes, bounds what ``/tmp`` and
    ``/dev/shm`` take each.

    Raises:
        SandboxError: bubblewrap is not installed, the command would show what it must not, or the socket is
            none or not alone in its folder.
    """
    program = shutil.which(_PROGRAM)
    if program is None:
        raise SandboxError("bubblewrap is not installed (no bwrap on the PATH): apt-get install bubblewrap")
    cwd = cwd.absolute()
    hidden = tuple(hidden)
    if problem := refusal(command, cwd, hidden):
        raise SandboxError(problem)
    inside = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    inside |= {**environment, "HOME": str(_TEMPORARY)}
    visible = [*_common(), *folders(command, cwd)]
    covered_folders, covered_files = _covered(visible, hidden)
    size = ("--size", str(memory or _TEMPORARY_BYTES))
    mounts: dict[Path, tuple[str, ...]] = {
        Path("/proc"): ("--proc",),
        Path("/dev"): ("--dev",),
        Path("/dev/shm"): (*size, "--tmpfs"),
        _TEMPORARY: (*size, "--tmpfs"),
        **{path: ("--ro-bind-try", str(path)) for path in visible},
        **dict.fromkeys(covered_folders, ("--tmpfs",)),
        **dict.fromkeys(covered_files, ("--ro-bind", os.devnull)),
    }
    if address := environment.get("FAIRDEAL_ADDRESS"):
        socket = _socket(address)
        inside["FAIRDEAL_ADDRESS"] = f"{_UNIX}{_SOCKET_FOLDER / socket.name}"
        # the folder and not the socket: the referee may have to make its socket anew
        mounts[_SOCKET_FOLDER] = ("--ro-bind", str(socket.parent))
    words = [program, *_OPTIONS]
    for path in sorted(mounts, key=lambda path: len(path.parts)):  # paths within come later, and stay visible
        words += [*mounts[path], str(path)]
    words += ["--dir", str(cwd), "--chdir", str(cwd)]
    # /proc too: to root, without any capability, much of it is writable and belongs to the whole machine
    for path in (*covered_folders, Path("/proc"), Path("/dev"), Path("/")):
        words += ["--remount-ro", str(path)]
    return [*words, "--", *command], inside


def _common() -> list[Path]:
    """Return what every bot sees: the system, this Python, and the packages that bots need."""
    prefixes = [Path(path) for path in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)]
    packages = [Path(path) for package in (fairdeal, referee) for path in package.__path__]
    java = sorted(Path("/etc").glob("java-*"))  # Python does not start without its settings
    paths = [*map(Path, _SYSTEM), *java, *prefixes, *(path.resolve() for path in prefixes), *packages]
    return list(dict.fromkeys(paths))


def _folders_of(path: Path) -> Iterable[Path]:
    """Return a folder, or the folder of a file; for a link also that of its target; else nothing."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ()
    if stat.S_ISDIR(mode):
        return path, path.resolve()
    return (path.parent, path.resolve().parent) if stat.S_ISREG(mode) else ()


def _holds_home(folder: Path) -> bool:
    try:
        return Path.home().resolve().is_relative_to(folder.resolve())
    except RuntimeError:  # this user has no home
        return False


def _covered(visible: Iterable[Path], hidden: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return the hidden folders and the hidden files, wherever they would be seen."""
    covered_folders, covered_files = [], []
    for path in (path.resolve() for path in hidden):
        for folder in visible:
            if path.is_relative_to(folder.resolve()):
                at = folder / path.relative_to(folder.resolve())
                if path.is_dir():
                    covered_folders.append(at)
                elif path.exists():
                    covered_files.append(at)
    return covered_folders, covered_files


def _socket(address: str) -> Path:
    socket = Path(address.removeprefix(_UNIX))
    if not address.startswith(_UNIX) or not socket.is_absolute():
        raise SandboxError(
            f"the address {address!r} is out of reach in a sandbox: it must be {_UNIX} and an absolute path"
        )
    if others := sorted({path.name for path in socket.parent.iterdir()} - {socket.name}):
        raise SandboxError(
            f"in a sandbox it would see {others[0]!r} beside the referee's socket {str(socket)!r}:"
            " give the socket a folder of its own"
        )
    return socket
