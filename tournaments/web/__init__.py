"""Pages over HTTP beside a referee: tables to watch while they are played, and seats for people."""
