"""Language models at the table: a bot that asks any server which speaks OpenAI's ``/v1/chat/completions``.

From a terminal: ``fairdeal bot llm --model NAME --base-url URL --game hearts``. It needs the package httpx
(``pip install 'fairdeal[llm]'``). The texts are those of `fairdeal.words`. docs/models.md explains all of it.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final, Unpack

from fairdeal import by_hand
from fairdeal._run import run_async, until_stopped
from fairdeal.errors import BadSetting
from fairdeal.llm._model import Model, OnFailure
from fairdeal.llm._provider import ModelRefused, Provider, ProviderFailed, key_of, opened
from fairdeal.llm._room import Room
from fairdeal.llm._transcript import CallLog
from fairdeal.llm.settings import NAME, ModelSettings
from fairdeal.words import GAMES

__all__ = [
    "NAME",
    "CallLog",
    "Model",
    "ModelRefused",
    "ModelSettings",
    "Provider",
    "ProviderFailed",
    "Room",
    "key_of",
    "opened",
    "play",
    "probe",
]

PROBE_SECONDS: Final = 120.0
"""How long a probe may take: a server may have to load the model first."""


async def probe(settings: ModelSettings, seconds: float = PROBE_SECONDS) -> None:
    """Send one small request to a model, so that a wrong key or name is found before it matters.

    Raises:
        BadSetting: the key is missing, or the package httpx is.
        ModelRefused: the provider takes no such calls.
        ProviderFailed: it does not answer.
    """
    async with opened(settings) as provider:
        await provider.probe(seconds)


def play(
    settings: ModelSettings,
    address: str | None = None,
    *,
    game: str | None = None,
    transcript: Path | None = None,
    folder: Path | None = None,
    on_failure: OnFailure = "fault",
    probes: bool = True,
    say: Callable[[str], None] | None = None,
    **options: Unpack[by_hand.Options],
) -> None:
    """Run a model as a bot until its matches are over, as `fairdeal.bots.play` does a house bot.

    ``transcript`` takes whole prompts and replies. All that play from the same ``folder`` share the number of
    calls that a provider gets at a time. Without ``probes`` no request is sent before the first decision.

    Raises:
        BadSetting: one of the settings is wrong.
        ModelRefused: the provider takes no such calls.
        ProviderFailed: it does not answer, at the beginning or, where ``on_failure`` is "leave", in a match.
        FairdealError: the session failed.
    """
    if game is not None and game not in GAMES:
        raise BadSetting(f"{NAME} does not play {game!r}; it plays {', '.join(GAMES)}")
    options["games"] = GAMES if game is None else (game,)
    if options.get("tables") is None:
        options["tables"] = settings.calls
    completed = by_hand.completed(NAME, address, options)
    room, written = Room(settings.base_url, settings.calls, folder), CallLog(transcript)

    async def main(finish: asyncio.Event) -> None:
        async with opened(settings) as provider:
            if probes:
                await provider.probe(PROBE_SECONDS)
            model = Model(provider, room, written, on_failure=on_failure)
            bot = by_hand.Telling(model.act, say) if say else model
            await run_async(bot, address, finish=finish, on_error="stop", play_forced=True, **completed)

    until_stopped(main)
