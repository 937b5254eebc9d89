"""What a tournament is, its states, and what of it may change."""
