"""Matches to look at: frames of what each seat saw, and a page that replays them."""

from referee.viewer.frames import frames
from referee.viewer.page import packed, page, parts

__all__ = ["frames", "packed", "page", "parts"]
