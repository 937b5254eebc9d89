"""Actions as they stand on the wire, made by hand."""

from typing import Any

from fairdeal.v1 import actions_pb2


def action(**fields: Any) -> actions_pb2.Action:
    """Return an action with these fields."""
    return actions_pb2.Action(**fields)


def choose(*numbers: Any) -> actions_pb2.Action:
    """Return a choice of cards, by their names or numbers."""
    return action(choose_cards=actions_pb2.CardList(cards=numbers))


def declare(**kind: Any) -> actions_pb2.Action:
    """Return the declaration of a combination, whose fields are given."""
    return action(declare=actions_pb2.Declaration(combination=actions_pb2.Combination(**kind)))


def further(*sets: Any) -> actions_pb2.Action:
    """Return a choice of sets, whose fields are given."""
    some = [actions_pb2.Combination(set=each) for each in sets]
    return action(choose_combinations=actions_pb2.CombinationList(combinations=some))
