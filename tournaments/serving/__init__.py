"""Whole programs around a referee: from opening its folder to draining it."""
