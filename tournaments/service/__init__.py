"""Many tournaments by name, and the TournamentService by which organisers reach them."""
