"""One tournament being played: its bots, its matches, how far it is."""
