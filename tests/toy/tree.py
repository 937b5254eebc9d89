"""A copy of the project to which the toys are added, file by file, as docs/adding-a-game.md says."""

import filecmp
import re
import shutil
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from fairdeal.v1 import events_pb2, views_pb2

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
TOYS: Final = {"bury": "Bury", "last_trick": "Last trick"}
"""The toys with their titles."""

_COPIED: Final = ("referee", "tournaments", "clients/python", "proto", "docs", "tests")
_FILES: Final = ("CHANGELOG.md", "README.md", "pyproject.toml")
_V1: Final = "fairdeal/v1"
_BLOCK: Final = re.compile(r"^(message|enum) (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD: Final = re.compile(r"^ *(repeated )?(\w+) (\w+) = (\d+);", re.MULTILINE)
_VALUE: Final = re.compile(r"^ *(\w+) = (\d+);", re.MULTILINE)
_SCALARS: Final = {"uint32": Field.TYPE_UINT32, "sint32": Field.TYPE_SINT32, "bool": Field.TYPE_BOOL}


def copy(to: Path) -> None:
    """Copy the project, without what is built or kept of runs."""
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache", "kept")
    for folder in _COPIED:
        shutil.copytree(ROOT / folder, to / folder, ignore=ignored)
    for file in _FILES:
        shutil.copy(ROOT / file, to / file)


def add(tree: Path, name: str) -> None:
    """Add a toy: its folder, its messages, one line of the registry, its bot and its pages."""
    shutil.copytree(HERE / name, tree / "referee/games" / name, ignore=shutil.ignore_patterns("__pycache__"))
    _insert(tree / "referee/games/registry.py", r'_FOLDERS: Final = \(\n(    "\w+",\n)+', f'    "{name}",\n')
    text = (HERE / f"{name}.proto").read_text()
    for file, oneof, told in (
        ("views", "game", [each for each in _messages(text) if each.endswith("View")]),
        ("events", "kind", [each for each in _messages(text) if not each.endswith("View")]),
    ):
        proto = tree / f"proto/{_V1}/{file}.proto"
        for message in told:
            member = re.sub(r"(?<!^)(?=[A-Z])", "_", message).lower().removesuffix("_view")
            number = 1 + max(
                int(found) for found in re.findall(r"^    \w+ \w+ = (\d+);", proto.read_text(), re.M)
            )
            members = rf"  oneof {oneof} {{\n(    .+\n)+"
            _insert(proto, members, f"    // Of {TOYS[name]}.\n    {message} {member} = {number};\n")
        blocks = [
            block for block in re.split(r"\n(?=// .*\n(?:message|enum) )", text) if _belongs(block, file)
        ]
        proto.write_text(proto.read_text() + "".join(f"\n{block.strip()}\n" for block in blocks))
    if (HERE / f"greedy_{name}.py").exists():
        shutil.copy(HERE / f"greedy_{name}.py", tree / "clients/python/fairdeal/bots")
        shutil.copy(HERE / f"{name}.md", tree / "docs/rules")
        _insert(tree / "CHANGELOG.md", r"### Referee\n\n", f"- The game `{name}`.\n")


def changed(tree: Path) -> set[str]:
    """Return the files that the copy has and the project has not, or has otherwise."""
    files = {path.relative_to(tree) for path in tree.rglob("*") if path.is_file()}
    return {
        str(file)
        for file in files
        if not (ROOT / file).exists() or not filecmp.cmp(ROOT / file, tree / file, shallow=False)
    }


def generate(tree: Path) -> None:
    """Generate the code of the messages from the copy's .proto files; `make proto` has a compiler for it."""
    for name, module in (("views", views_pb2), ("events", events_pb2)):
        file = FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        _compile((tree / f"proto/{_V1}/{name}.proto").read_text(), file)
        code = tree / f"clients/python/{_V1}/{name}_pb2.py"
        head, _old, rest = re.split(r"(?<=AddSerializedFile\()(b'.*')(?=\)\n)", code.read_text())
        # what follows repeats options, for a slower implementation than the one in use
        rest = rest.partition("if not _descriptor._USE_C_DESCRIPTORS")[0]
        code.write_text(f"{head}{file.SerializeToString()!r}{rest}")


def _insert(file: Path, after: str, text: str) -> None:
    found = re.search(after, file.read_text())
    assert found, f"{file} has no place for {text!r}"
    file.write_text(f"{found.string[: found.end()]}{text}{found.string[found.end() :]}")


def _messages(text: str) -> list[str]:
    return [name for keyword, name, _body in _BLOCK.findall(text) if keyword == "message"]


def _belongs(block: str, file: str) -> bool:
    ((_keyword, name, _body),) = _BLOCK.findall(block)
    return (file == "views") == name.endswith(("View", "Phase"))


def _compile(text: str, file: Any) -> None:
    """Add the messages, enums and members that a .proto text has and its descriptor has not."""
    messages = {message.name: message for message in file.message_type}
    known = {*messages, *(enum.name for enum in file.enum_type)}
    for keyword, name, body in _BLOCK.findall(text):
        if keyword == "enum" and name not in known:
            enum = file.enum_type.add(name=name)
            for value, number in _VALUE.findall(body):
                enum.value.add(name=value, number=int(number))
        elif keyword == "message":
            message = messages.get(name) or file.message_type.add(name=name)
            present = {field.name for field in message.field}
            for repeated, kind, field, number in _FIELD.findall(body):
                if field not in present:
                    made = message.field.add(name=field, number=int(number))
                    made.label = Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL
                    if kind in _SCALARS:
                        made.type = _SCALARS[kind]
                    else:
                        made.type_name = f".fairdeal.v1.{kind}"  # message or enum: the pool finds out
                    if name in ("View", "Event"):
                        made.type, made.oneof_index = Field.TYPE_MESSAGE, 0
