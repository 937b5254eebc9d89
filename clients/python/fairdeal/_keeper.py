"""What a bot keeps of its matches, so that it can show what it was told before, and what it said.

`Keeper` is told of each match by the session and does no I/O: a line goes to ``write``. docs/bots.md says
what a line holds and how the digest is made.
"""

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fairdeal.updates import Finished, Seated
from fairdeal.v1 import play_service_pb2 as play

log = logging.getLogger("fairdeal")

_SCHEMES: Final = ("fairdeal/1", "fairdeal/2")
_EPOCHS: Final = 10_000  # that are remembered
_READ: Final = 16 << 20  # bytes of a file
_OF_A_RUN: Final = re.compile(r"\d{8}T\d{6}Z-\d+\.jsonl", re.ASCII)
_MOST_OF_A_FILE: Final = 32 << 20  # bytes
_MOST_BEFORE: Final = 96 << 20  # bytes of earlier files in a folder
_MOST_FILES: Final = 1000

_JSON: Final = json.JSONEncoder(separators=(",", ":"))  # once, and not for each line

Write = Callable[[str], None]
Epoch = tuple[str, str, bytes]  # its id, the scheme and the commitment


def enc(*items: bytes) -> bytes:
    """Return items one after the other, each preceded by its length as four bytes, big-endian."""
    row = b""
    for item in items:
        row += len(item).to_bytes(4, "big") + item
    return row


# what the items of most decisions begin with, made once
_ASKED: Final = enc(b"asked")
_ANSWERED: Final = enc(b"answered")


class KeptFile:
    """The file to which a bot appends its lines, and perhaps other processes of the same bot theirs.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.open("a").close()
        self._is_file = path.is_file()  # of a pipe nothing can be read
        self._read = max(0, path.stat().st_size - _READ) if self._is_file else 0
        self._failed = False

    def write(self, line: str) -> None:
        """Append a line, behind one that was cut off a new one; that it cannot be is told once."""
        try:
            with self._path.open("ab") as file:
                file.write(b"\n" * self._is_cut_off() + f"{line}\n".encode())
        except OSError as error:
            if not self._failed:
                log.error("%s: what the bot is told cannot be kept: %s", self._path, error.strerror)
            self._failed = True

    def _is_cut_off(self) -> bool:
        """Return whether the last line has no end: the disk was full, or a process was killed."""
        if not self._is_file or not self._path.stat().st_size:
            return False
        with self._path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"

    def epochs(self) -> Iterator[Epoch]:
        """Yield the epochs of the lines that were appended since the last call, by whomever.

        At first the last 16 MB are read. What is no line of a bot, or not whole, is passed over.
        """
        if not self._is_file:
            return
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                data = file.read(_READ)
        except OSError:
            return  # then it cannot be written either, which is told
        self._read += data.rfind(b"\n") + 1
        for text in data.split(b"\n"):
            with suppress(ValueError, KeyError, TypeError):
                line = json.loads(text)
                if line["type"] == "seated":
                    yield str(line["epoch_id"]), str(line["scheme"]), bytes.fromhex(line["commit"])


class KeptFolder:
    """A folder in which each run of a bot keeps its lines in files of its own, from its first match on.

    The oldest files of runs are removed, so that all of them stay below 128 MB or little more. Where the
    folder cannot be written, the bot plays on, and that is told once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: KeptFile | None = None
        self._size = 0
        self._has_failed = False

    def write(self, line: str) -> None:
        """Append a line to the present file, or to a new one when that is long."""
        if self._file is None or self._size > _MOST_OF_A_FILE:
            try:
                self._file, self._size = self._next(), 0
            except OSError as error:
                if not self._has_failed:
                    log.warning(
                        "%s: what the bot is told cannot be kept there (%s): set FAIRDEAL_KEEP to another"
                        " folder, FOLDER/, or to nothing",
                        self._path,
                        error.strerror,
                    )
                self._has_failed = True
                return
        self._size += len(line)
        self._file.write(line)

    def _next(self) -> KeptFile:
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        runs = (path for path in self._path.iterdir() if _OF_A_RUN.fullmatch(path.name))
        size = 0
        for number, run in enumerate(sorted(runs, reverse=True)):
            with suppress(FileNotFoundError):  # another process removes them, too
                size += run.stat().st_size
                if size > _MOST_BEFORE or number >= _MOST_FILES:
                    run.unlink()
        path = self._path / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}.jsonl"
        file = KeptFile(path)
        log.info("what the bot is told is kept in %s", path)
        return file


def usual_folder(entry: str, environment: Mapping[str, str]) -> str:
    """Return the folder in which an entry keeps its lines if nothing is said, with a slash at the end."""
    state = environment.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        state = f"{environment.get('HOME', '')}/.local/state"
    name = re.sub("[^A-Za-z0-9_-]", "_", entry)[:100] or "bot"
    return f"{state}/fairdeal/kept/{name}/"


@dataclass(slots=True)
class KeptMatch:
    """What is kept of a match that is being played."""

    seated: Seated
    digest: Any
    last: int = 0  # the decision that was told last
    is_open: bool = False
    missed: list[list[int]] = field(default_factory=list)  # first and last of decisions that were not told
    unknown: list[int] = field(default_factory=list)  # decisions of whose end nothing was told

    def asked(self, number: int, data: bytes) -> None:
        """Take a decision that is told for the first time, with the bytes of its message."""
        if self.is_open:
            self.unknown.append(self.last)
        if number > self.last + 1:
            self.missed.append([self.last + 1, number - 1])
        self.last, self.is_open = number, True
        self.digest.update(b"%b%b%b" % (_ASKED, len(data).to_bytes(4, "big"), data))

    def closed(self, message: play.Closed, answer: bytes | None) -> None:
        """Take the end of a decision, with the bytes of what the bot had answered to it."""
        if not self.is_open or message.decision_id != self.last:
            return
        self.is_open = False
        was_read = message.reason == play.CLOSE_REASON_ANSWERED or message.fault == play.FAULT_ILLEGAL
        if not was_read:
            self.digest.update(enc(b"closed", bytes([message.reason & 0xFF, message.fault & 0xFF])))
        elif answer is None:
            self.unknown.append(self.last)
        else:
            data = canonical(answer)
            self.digest.update(b"%b%b%b" % (_ANSWERED, len(data).to_bytes(4, "big"), data))


class Keeper:
    """Keeps what one bot is told and says; ``write`` takes lines, None: only breaches are looked for.

    ``others`` returns epochs that the bot was told of by other processes, or earlier, since the last call.
    """

    def __init__(self, write: Write | None = None, others: Callable[[], Iterable[Epoch]] = tuple) -> None:
        self._write = write
        self._others = others
        self._matches: dict[str, KeptMatch] = {}
        self._epochs: dict[str, tuple[str, bytes]] = {}  # scheme and commitment

    def seated(self, seated: Seated) -> KeptMatch | None:
        """Take a seat, or the same seat again; return what takes its decisions, None if nothing does."""
        told = seated.commitment
        for epoch in self._others():
            self._known(*epoch)
        first = self._known(told.epoch_id, told.scheme, told.commit)
        if told.epoch_id and first != (told.scheme, told.commit):
            self._breach(
                seated,
                f"epoch {told.epoch_id} has another commitment than before: {told.commit.hex()}, it was"
                f" {first[1].hex()}",
            )
        known = self._matches.get(seated.id)
        if known and known.seated.attempt == seated.attempt:
            if known.seated.commitment != told:
                self._breach(
                    seated,
                    f"its manifest is another than before: {told.manifest.hex()}, it was"
                    f" {known.seated.commitment.manifest.hex()}",
                )
            return self._taking(known)
        start = enc(
            b"fairdeal/told/1",
            seated.id.encode(),
            seated.attempt.to_bytes(4, "big"),
            (seated.seat & 0xFFFF_FFFF).to_bytes(4, "big"),  # -1: of a later version, or none
            told.manifest,
        )
        kept = self._matches[seated.id] = KeptMatch(seated, hashlib.sha256(start))
        self._line("seated", seated)
        return self._taking(kept)

    def _taking(self, kept: KeptMatch) -> KeptMatch | None:
        return kept if self._write else None

    def _known(self, epoch: str, scheme: str, commit: bytes) -> tuple[str, bytes]:
        """Return the scheme and the commitment that were told first of an epoch, perhaps now."""
        first = self._epochs.setdefault(epoch, (scheme, commit))
        if len(self._epochs) > _EPOCHS:
            del self._epochs[next(iter(self._epochs))]
        return first

    def finished(self, finished: Finished) -> None:
        """Take the end of a match, and check what is revealed."""
        match = self._matches.pop(finished.match.id, None)
        if match is None:
            return
        if match.is_open:
            match.unknown.append(match.last)
        told, secret = match.seated.commitment, finished.secret
        if secret and told.scheme in _SCHEMES:
            opened = hashlib.sha256(enc(b"fairdeal/1/commit", told.epoch_id.encode(), secret)).digest()
            if opened != told.commit:
                self._breach(match.seated, "what it reveals does not open its commitment")
        self._line(
            "finished",
            match.seated,
            termination=finished.termination.name.lower(),
            ranks=list(finished.ranks),
            scores=list(finished.scores),
            secret=secret.hex(),
            told=match.digest.hexdigest(),
            decisions=match.last,
            missed=match.missed,
            unknown=match.unknown,
        )

    def forgotten(self, match_id: str) -> None:
        """Drop a match that the referee does not know any more."""
        self._matches.pop(match_id, None)

    def _breach(self, seated: Seated, what: str) -> None:
        log.error(
            "BREACH by the referee in match %s, attempt %d: %s; keep this and show it to the organiser",
            seated.id,
            seated.attempt,
            what,
        )
        self._line("breach", seated, breach=what)

    def _line(self, kind: str, seated: Seated, **more: object) -> None:
        if self._write is None:
            return
        told = seated.commitment
        line = {
            "type": kind,
            "match_id": seated.id,
            "attempt": seated.attempt,
            "game": seated.game,
            "seat": seated.seat,
            "entries": list(seated.entries),
            "scheme": told.scheme,
            "epoch_id": told.epoch_id,
            "commit": told.commit.hex(),
            "manifest": told.manifest.hex(),
            **more,
        }
        self._write(_JSON.encode(line))


def canonical(data: bytes) -> bytes:
    """Return the bytes of an answer without its note and with what has no order put in order."""
    answer = play.Answer.FromString(data)
    if not (answer.note or answer.HasField("action")):
        return data  # the place of an action in the list
    answer.ClearField("note")
    match answer.action.WhichOneof("kind"):
        case "choose_cards":
            cards = answer.action.choose_cards.cards
            cards[:] = sorted(cards)
        case "choose_combinations":
            combinations = answer.action.choose_combinations.combinations
            combinations.sort(key=lambda each: each.SerializeToString())
    return answer.SerializeToString()
