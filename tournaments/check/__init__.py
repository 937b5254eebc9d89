"""Tries a bot out against a referee of its own, check by check, before a competition does."""
