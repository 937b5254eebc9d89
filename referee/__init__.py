"""The referee: the rules of the games, one match, and the server that plays many."""
