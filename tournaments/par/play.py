"""The par of a deck: the result when one house bot has all seats.

It follows from what the record of the match reveals, so anybody can compute it again, and nobody can before
the match is over.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

from fairdeal import bots
from fairdeal.testing.alone import play_alone
from referee.cards import Seat
from referee.codec.json import tagged
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import Revealed, SeededKeys
from referee.dealing.scheme import epoch_id, sha
from referee.games.actions import Action
from referee.games.base import Result
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from referee.match.replay import ReplayError
from referee.storage import record

_SHOWN: Final = 12  # hexadecimal digits of a signature
_MATCHES: Final = 4  # whose actions make it
_DEALS: Final = 2  # of each


class ParError(Exception):
    """The par of a match cannot be computed; the text says why."""


def par(setup: MatchSetup, deals: MatchDeals, bot: str) -> Result:
    """Return the result of a match with one house bot in all seats; its draws follow from the secret.

    Raises:
        BadSetting: there is no such bot.
    """
    seed = sha("fairdeal/1/par", bot, deals.secret).hex()
    return play_alone(setup, deals, bots.make(bot).act, seed=seed)


def par_of_record(path: Path, bot: str, attempt: str | None = None) -> Result:
    """Return the par of the match in a record, which must be that of ``attempt`` if one is given.

    Raises:
        RecordError: the file is no complete record.
        ParError: it is of another match, does not hold what its commitment promised, or was played by rules
            other than ours.
        BadSetting: there is no such bot.
    """
    whole = record.read(path)
    try:
        header = record.read_header(whole.header)
        secret = bytes.fromhex(whole.lines[-1]["secret"])
        rules = GAMES[header.setup.game]
        keys = Revealed(secret, repeatable=header.commitment.repeatable)
        deals = MatchDeals(header.setup, rules, keys, rules_version=header.rules_version)
    except (KeyError, TypeError, ValueError, ReplayError) as error:
        raise ParError(f"{path}: its header or its secret is damaged ({type(error).__name__})") from None
    if header.rules_version != rules.rules_version:
        raise ParError(
            f"{path}: played by version {header.rules_version} of the rules, ours is {rules.rules_version}"
        )
    if deals.commitment != header.commitment:
        raise ParError(f"{path}: its secret does not open its commitment")
    found = epoch_id(header.setup.match_id, header.setup.attempt)
    if attempt not in (None, found):
        raise ParError(f"{path}: the record of {found}, not of {attempt}")
    return par(header.setup, deals, bot)


@cache
def signature(bot: str, game: str) -> str:
    """Return how a house bot plays a game, in 12 hexadecimal digits: a hash of what it did in fixed matches.

    Versions of the bot with the same signature play alike as far as these matches show.

    Raises:
        BadSetting: there is no such bot.
        ValueError: it does not play the game.
    """
    rules = GAMES[game]
    done: list[object] = [game, rules.rules_version]

    def note(seat: Seat, action: Action) -> None:
        done.append([seat, tagged(action)])

    for number in range(1, _MATCHES + 1):
        setup = MatchSetup(
            match_id=f"par-{number}",
            game=game,
            options=rules.bind({}),
            deals=_DEALS,
            entries=(bot,) * rules.seats,
            clock=PROFILES["standard"],
            faults=FaultPolicy(),
        )
        deals = MatchDeals(setup, rules, SeededKeys("par"))
        play_alone(setup, deals, bots.make(bot).act, seed="par", on_action=note)
    return hashlib.sha256(json.dumps(done, sort_keys=True).encode()).hexdigest()[:_SHOWN]
