"""Reports of what was played: the data, and text made from it."""
