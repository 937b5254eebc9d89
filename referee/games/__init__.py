"""The games: what one is (`base`), which ones there are (`registry`), and a package for each."""
