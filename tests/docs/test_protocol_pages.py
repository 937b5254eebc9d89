"""docs/bots.md and docs/protocol.md: what is written from proto/ and from real sessions is up to date."""

import json
import re
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict

from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, games_pb2, play_service_pb2, views_pb2
from tests.docs.proto_comments import types
from tests.docs.protocol_pages import DOCS, pages

_MODULES = {
    "play_service": play_service_pb2,
    "actions": actions_pb2,
    "views": views_pb2,
    "events": events_pb2,
    "cards": cards_pb2,
    "games": games_pb2,
}


@pytest.mark.parametrize("name", ["adapters.md", "bots.md", "protocol.md", "rules/README.md"])
def test_the_page_is_what_is_written(name: str) -> None:
    assert (DOCS / name).read_text() == pages()[DOCS / name], f"docs/{name} is old: run make docs"


@pytest.mark.parametrize("name", _MODULES)
def test_the_comments_of_every_member_are_found(name: str) -> None:
    descriptor = _MODULES[name].DESCRIPTOR
    found = {each.name: each for each in types(name)}
    assert set(found) == {*descriptor.message_types_by_name, *descriptor.enum_types_by_name}
    for each in found.values():
        assert each.text
        if each.kind == "message":
            described = descriptor.message_types_by_name[each.name].fields
        else:
            described = descriptor.enum_types_by_name[each.name].values
        members = [(member.name, member.number) for member in each.members]
        assert members == [(member.name, member.number) for member in described]
        assert all(member.text for member in each.members)


def test_every_example_is_what_it_says() -> None:
    sections = re.split(r"^### ", (DOCS / "protocol.md").read_text(), flags=re.MULTILINE)[1:]
    checked = 0
    for section in sections:
        if block := re.search(r"```json\n(.*?)```", section, re.DOTALL):
            name = section.split("\n", 1)[0]
            (module,) = [m for m in _MODULES.values() if name in m.DESCRIPTOR.message_types_by_name]
            decoder, rest = json.JSONDecoder(), block[1].strip()
            while rest:
                value, end = decoder.raw_decode(rest)
                ParseDict(value, getattr(module, name)())
                rest = rest[end:].strip()
                checked += 1
    messages = sum(len(module.DESCRIPTOR.message_types_by_name) for module in _MODULES.values())
    assert checked >= messages - 3  # three are for organisers


def test_the_table_of_variables_is_the_sdk_s() -> None:
    source = Path(DOCS.parent / "clients/python/fairdeal/_settings.py").read_text()
    variables = set(re.findall(r"FAIRDEAL_[A-Z]+", source))
    guide = (DOCS / "bots.md").read_text()
    assert variables == set(re.findall(r"FAIRDEAL_[A-Z]+", guide.split("## Hosted bots")[1].split("## ")[0]))
