"""The kits: how each is built and tested, and how its random bot is started."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
CLIENTS: Final = CHECKOUT / "clients"

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What a bot author takes; commands are run in its folder."""

    name: str
    bot: Command
    """Its random bot; the options stand at the end, or before what is in ``bot_of``."""
    bot_of: Command = ()
    build: tuple[Command, ...] = ()
    test: tuple[Command, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    """Programs that must be there, each with what brings it."""

    @property
    def folder(self) -> Path:
        return CLIENTS / self.name

    def command(self, *options: object) -> list[str]:
        """Return the command of the random bot with such options."""
        return [*self.bot, *map(str, options), *self.bot_of]


_FAIRDEAL: Final = str(Path(sys.executable).with_name("fairdeal"))

PYTHON: Final = Kit(name="python", bot=(sys.executable, "-m", "fairdeal.bots", "random"))

STDIO: Final = Kit(
    name="stdio",
    build=(("make", "-s"),),
    bot=(_FAIRDEAL, "bridge"),
    bot_of=("--", str(CLIENTS / "stdio" / "build" / "random_bot")),
    tools={"cc": "apt-get install gcc", "make": "apt-get install make"},
)

# what is not optimised plays quickly enough, and is built in less time
CPP_FLAGS: Final = "-DCMAKE_CXX_FLAGS_RELEASE=-O0"

KITS: Final = (
    PYTHON,
    STDIO,
    Kit(
        name="typescript",
        build=(("npm", "ci", "--no-audit", "--no-fund", "--silent"), ("npm", "run", "--silent", "build")),
        test=(("npm", "test", "--silent"),),
        bot=("node", str(CLIENTS / "typescript/dist/bin/random-bot.js")),
        tools={"node": "Node.js 20 or newer", "npm": "Node.js 20 or newer"},
    ),
    Kit(
        name="go",
        build=(("go", "build", "-o", "build/", "./cmd/..."),),
        test=(
            ("go", "vet", "./..."),
            ("go", "test", "./..."),
            ("go", "-C", "tools", "test", "-count=1", "./..."),  # what is generated is what is committed
        ),
        bot=(str(CLIENTS / "go/build/fairdeal-random-bot"),),
        tools={"go": "https://go.dev/dl"},
    ),
    Kit(
        name="rust",
        build=(("cargo", "build", "--quiet", "--release", "--locked"),),
        test=(("cargo", "test", "--quiet", "--release", "--locked"),),
        bot=(str(CLIENTS / "rust/target/release/fairdeal-random-bot"),),
        tools={"cargo": "https://rustup.rs"},
    ),
    Kit(
        name="java",
        build=(("mvn", "-q", "-B", "-DskipTests", "package"),),
        test=(("mvn", "-q", "-B", "surefire:test"),),
        bot=("java", "-jar", str(CLIENTS / "java/target/fairdeal-random-bot.jar")),
        tools={"java": "apt-get install openjdk-17-jdk-headless", "mvn": "apt-get install maven"},
    ),
    Kit(
        name="cpp",
        build=(
            ("cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", CPP_FLAGS),
            ("cmake", "--build", "build", "-j2"),
        ),
        test=(("ctest", "--test-dir", "build", "--output-on-failure"),),
        bot=(str(CLIENTS / "cpp/build/fairdeal-random-bot"),),
        tools={
            "cmake": "apt-get install cmake",
            "g++": "apt-get install g++",
            "grpc_cpp_plugin": "apt-get install libgrpc++-dev protobuf-compiler-grpc libgtest-dev",
            "protoc": "apt-get install protobuf-compiler",
        },
    ),
)
"""All of them; the Python SDK is the yardstick."""


def chosen(names: str) -> tuple[Kit, ...]:
    """Return the kits of a list of names, all for "all".

    Raises:
        ValueError: there is no such kit.
    """
    if names == "all":
        return KITS
    by_name = {kit.name: kit for kit in KITS}
    for name in names.split():
        if name not in by_name:
            raise ValueError(f"there is no kit {name!r}; there are {', '.join(by_name)}")
    return tuple(by_name[name] for name in names.split())
