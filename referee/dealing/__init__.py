"""Chance: how cards are dealt so that anybody can check it, and where the secrets are kept."""
