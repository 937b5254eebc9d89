"""Reports of what was played: data first, then text made of it."""
