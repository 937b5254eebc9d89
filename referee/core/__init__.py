"""Many matches and sessions, without I/O: who is here, what is played, what each may cost."""
