"""Tournament files: TOML to a checked plan, or all that is wrong with it."""
