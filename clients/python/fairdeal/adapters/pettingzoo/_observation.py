"""Observations as NumPy arrays, for the environment and at a table."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.adapters.pettingzoo._actions import items_of
from fairdeal.adapters.pettingzoo._fields import values_of
from fairdeal.views import View

Observation = dict[str, NDArray[Any]]


def observe(game: str, view: View, picked: Sequence[int], legal: Collection[int]) -> Observation:
    """Return the observation of a seat: its view, its picks, and which actions are legal."""
    mask = np.zeros(len(items_of(game)), np.int8)
    mask[list(legal)] = 1
    return {"observation": np.array(values_of(game, view, picked), np.int32), "action_mask": mask}
