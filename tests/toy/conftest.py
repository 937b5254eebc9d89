"""The toy game among the others, for the length of a test; the product's own tables stay as they are."""

import importlib
import re
import runpy
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final

import pytest
from google.protobuf import duration_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

import referee.games
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, games_pb2, play_service_pb2, views_pb2
from referee.games import registry
from referee.games.base import Game
from referee.transcript import deals
from referee.wire import tables, updates

HERE: Final = Path(__file__).parent
_BLOCK: Final = re.compile(r"^(message|enum) (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD: Final = re.compile(r"^ *(repeated )?(\w+) (\w+) = (\d+);", re.MULTILINE)
_VALUE: Final = re.compile(r"^ *(\w+) = (\d+);", re.MULTILINE)
_FREE: Final = 1000  # numbers of fields that no game will reach
_PACKAGE: Final = "fairdeal.v1"
_SCALARS: Final = {"uint32": Field.TYPE_UINT32, "sint32": Field.TYPE_SINT32, "bool": Field.TYPE_BOOL}


@pytest.fixture
def bury(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game[Any]]:
    """Return the game, importable and in the registry as if it stood in ``referee/games/bury``."""
    monkeypatch.setattr(referee.games, "__path__", [*referee.games.__path__, str(HERE)])
    game: Game[Any] = importlib.import_module("referee.games.bury").GAME
    games = MappingProxyType({**registry.GAMES, game.name: game})
    for module in [m for m in sys.modules.values() if vars(m).get("GAMES") is registry.GAMES]:
        monkeypatch.setattr(module, "GAMES", games)
    yield game
    delattr(referee.games, "bury")
    for name in [name for name in sys.modules if name.startswith("referee.games.bury")]:
        del sys.modules[name]


@pytest.fixture
def protocol(bury: Game[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give the wire its tables and messages for the toy; return the messages, as ``make proto`` would."""
    added = runpy.run_path(str(HERE / "tables.py"))
    for table in ("EVENTS", "VIEWS"):
        for told, field in added[table].items():
            monkeypatch.setitem(getattr(tables, table), told, field)
    extended = _extended((HERE / "bury.proto").read_text(), added["EVENTS"], added["VIEWS"])
    monkeypatch.setattr(updates, "play_service_pb2", extended)
    return extended


@pytest.fixture
def transcript(bury: Game[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the transcript its functions for the toy."""
    monkeypatch.setitem(deals.BY_GAME, bury.name, runpy.run_path(str(HERE / "transcript.py"))["SHOWS"])


# The protocol with the toy's messages in it, built without a compiler


def _extended(text: str, events: Mapping[type, str], views: Mapping[type, str]) -> Any:
    """Return what stands in for ``play_service_pb2``."""
    pool = DescriptorPool()
    pool.AddSerializedFile(duration_pb2.DESCRIPTOR.serialized_pb)
    for module in (cards_pb2, actions_pb2, events_pb2, games_pb2, views_pb2, play_service_pb2):
        file = FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        if module is events_pb2:
            _declare(file, text)
            _join(file, "Event", events)
        elif module is views_pb2:
            _join(file, "View", views)
        pool.Add(file)
    return SimpleNamespace(Update=GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Update")))


def _declare(file: FileDescriptorProto, text: str) -> None:
    """Declare the messages and enums of a text."""
    for keyword, name, body in _BLOCK.findall(text):
        if keyword == "enum":
            enum = file.enum_type.add(name=name)
            for value, number in _VALUE.findall(body):
                enum.value.add(name=value, number=int(number))
            continue
        message = file.message_type.add(name=name)
        for repeated, kind, field, number in _FIELD.findall(body):
            label = Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL
            made = message.field.add(name=field, number=int(number), label=label)
            if kind in _SCALARS:
                made.type = _SCALARS[kind]
            else:
                made.type_name = f".{_PACKAGE}.{kind}"  # message or enum: the pool finds out


def _join(file: FileDescriptorProto, message: str, members: Mapping[type, str]) -> None:
    """Add members to the oneof of a message."""
    (struct,) = [found for found in file.message_type if found.name == message]
    for number, (told, field) in enumerate(members.items(), _FREE):
        kind = f".{_PACKAGE}.{told.__name__}"
        struct.field.add(
            name=field,
            number=number,
            label=Field.LABEL_OPTIONAL,
            type=Field.TYPE_MESSAGE,
            type_name=kind,
            oneof_index=0,
        )
