"""Writes what docs/ says of the protocol and of which games there are: `make docs`."""

import json
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from fairdeal.adapters import pettingzoo
from referee.games.registry import GAMES
from tests.docs.proto_comments import Type, types
from tests.docs.protocol_traffic import decisions, examples

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"

_FILES: Final = {
    "play_service": "The session",
    "actions": "Decisions and actions",
    "views": "Views",
    "events": "Events",
    "cards": "Cards, suits, ranks, seats",
    "games": "Options and sides",
}
_ORGANISERS: Final = {"OptionSchema", "DecisionKind", "Game"}  # not sent in a session
_WIDTH: Final = 110
_MOST_LEGAL: Final = 3

_KITS: Final = {
    "typescript": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "cpp": "C++",
    "stdio": "Any language, over JSON lines",
}
_BOT_FILE: Final = re.compile(r"<!-- file: (\S+) -->\n+(```\w*\n.*?```\n)", re.DOTALL)


def pages() -> Mapping[Path, str]:
    """Return the pages with the text that they should have."""
    guide, index, adapters = DOCS / "bots.md", DOCS / "rules" / "README.md", DOCS / "adapters.md"
    return {
        guide: _filled(guide, {"decisions": _decisions(), "examples": _worked_examples()}),
        index: _filled(index, {"games": _games()}),
        adapters: _filled(adapters, {"environments": _environments()}),
        DOCS / "protocol.md": _reference(),
    }


def _filled(page: Path, blocks: Mapping[str, str]) -> str:
    text = page.read_text()
    for name, block in blocks.items():
        marked = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->\n)", re.DOTALL)
        assert marked.search(text), f"{page} has no place for {name}"
        text = marked.sub(lambda found, block=block: f"{found[1]}\n{block}\n{found[2]}", text)
    return text


def _games() -> str:
    rows = [f"| [{name}]({name}.md) | {GAMES[name].summary} |" for name in sorted(GAMES)]
    return "\n".join(["| game | what it is |", "| --- | --- |", *rows, ""])


def _environments() -> str:
    rows = [
        f"| `{name}` | {game.seats} | {len(pettingzoo.action_names(name))} "
        f"| {max(place.stop for place in pettingzoo.layout(name).values())} |"
        for name, game in GAMES.items()
    ]
    return "\n".join(["| game | agents | actions | observation |", "| --- | --- | --- | --- |", *rows, ""])


def _reference() -> str:
    head = """# The protocol, message by message

Every message of a bot's session, with an example in JSON. `make docs` writes this page from the comments in
`proto/fairdeal/v1/` and from real sessions. [bots.md](bots.md) explains how the messages belong together;
the services for organisers are described in `match_service.proto`, `session_service.proto` and
`tournament_service.proto`.

The JSON is protobuf's mapping, with the field names of the .proto files. `fairdeal bridge` speaks it, with
some additions, and this page and `fairdeal check-bot` show messages in it; between a bot and the
referee they are binary. In JSON, 64-bit numbers are strings, and durations are strings such as `"2s"`. Fields
with their default (0, empty, false, unspecified) are left out on this page; the bridge writes them.
"""
    parts = [head]
    for name, title in _FILES.items():
        parts.append(f"## {title}\n")
        parts += [_type(each) for each in types(name) if each.name not in _ORGANISERS]
    return "\n".join(parts)


def _type(each: Type) -> str:
    if each.name == "Card":
        first, last = each.members[1].name, each.members[-1].name
        rows = [f"`{first}` is 1, and so on to `{last}`, which is 52. `{each.members[0].name}` is 0."]
    elif each.kind == "enum":
        rows = ["| value | number | |", "| --- | --- | --- |"]
        rows += [f"| `{m.name}` | {m.number} | {m.text} |" for m in each.members]
    elif each.members:
        rows = ["| field | type | |", "| --- | --- | --- |"]
        rows += [f"| `{m.name}` | {_type_of(m.type, m.oneof)} | {m.text} |" for m in each.members]
    else:
        rows = ["No fields."]
    text = f"### {each.name}\n\n{each.text}\n\n" + "\n".join(rows) + "\n"
    if each.kind == "enum":
        return text
    shown = [message for (name, _), message in sorted(examples().items()) if name == each.name]
    assert shown, f"no example of {each.name}"
    blocks = "\n".join(_json(_dict(message)) for message in shown)
    return f"{text}\n```json\n{blocks}\n```\n"


def _type_of(name: str, oneof: str) -> str:
    repeated, _, plain = name.rpartition(" ")
    many = "several " if repeated else ""
    plain = plain.removeprefix("google.protobuf.")
    link = f"[{plain}](#{plain.lower()})" if plain[0].isupper() and plain != "Duration" else plain
    return f"{many}{link}" + (f"; one of `{oneof}`" if oneof else "")


def _decisions() -> str:
    parts = []
    for game in GAMES.values():
        parts.append(f"### {game.title}\n\nThe rules: [rules/{game.name}.md](rules/{game.name}.md).\n")
        parts.append("| decision | answered by | played for a bot that cannot |\n| --- | --- | --- |")
        parts += [f"| {kind} | `{game.answers[kind]}` | {default} |" for kind, default in game.phases.items()]
        parts.append("\n```json")
        for kind in game.phases:
            asked = decisions()[game.name, kind]
            answer = _dict(asked.answer)
            del answer["match_id"], answer["decision_id"]
            parts.append(_json({"legal": _shortened(_dict(asked.decision.legal)), "answer": answer}))
        parts.append("```\n")
    return "\n".join(parts)


def _shortened(legal: dict[str, Any]) -> dict[str, Any]:
    """Leave out what there is too much of in a list of legal actions."""
    actions = legal.get("actions", {}).get("actions", [])
    if len(actions) > _MOST_LEGAL:
        del actions[_MOST_LEGAL:]
        actions.append("...")
    return legal


def _worked_examples() -> str:
    bot = (ROOT / "examples" / "my_first_bot.py").read_text()
    parts = [f"### Python\n\n`examples/my_first_bot.py`.\n\n```python\n{bot}```\n"]
    for name, title in _KITS.items():
        readme = ROOT / "clients" / name / "README.md"
        files = _BOT_FILE.findall(readme.read_text())
        _, bot = max(files, key=lambda file: len(file[1]))
        where = f"../clients/{name}/README.md"
        parts.append(f"### {title}\n\nHow it is built and run: [clients/{name}]({where}).\n\n{bot}")
    return "\n".join(parts)


def _dict(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    return found


def _json(value: Any, indent: str = "") -> str:
    """Return JSON that breaks lines only where they would be too long."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_json(item, inner)}" for key, item in value.items()]
        opening, closing = "{}"
    else:
        items = [_json(item, inner) for item in value]
        opening, closing = "[]"
        if not any(isinstance(item, (dict, list)) for item in value):
            lines = textwrap.wrap(", ".join(items), _WIDTH - len(inner), break_long_words=False)
            return f"{opening}\n{inner}" + f"\n{inner}".join(lines) + f"\n{indent}{closing}"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"


def main() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
