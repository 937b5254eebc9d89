"""What a game is, for bots that ask."""

from typing import Any

from fairdeal.v1 import games_pb2
from referee.codec.proto.fields import fill_option, fill_sides
from referee.games.base import Game
from referee.games.options import Option


def fill_game(message: games_pb2.Game, game: Game[Any]) -> None:
    """Fill the description of a game."""
    message.name = game.name
    message.title = game.title
    message.summary = game.summary
    fill_sides(message.sides, game.sides)
    message.low_wins = game.low_wins
    for option in game.options:
        _fill_option_schema(message.options.add(), option)
    for name, default in game.phases.items():
        message.decisions.add(name=name, default_action=default, answer=game.answers[name])
    message.rules_version = game.rules_version


def _fill_option_schema(message: Any, option: Option) -> None:
    fill_option(message.default_value, option.name, option.default)
    message.help = option.help
    if option.minimum is not None and option.maximum is not None:
        message.minimum = option.minimum
        message.maximum = option.maximum
    message.choices.extend(option.choices)
