"""Tests a bot against a referee of its own, check by check, before a competition."""
