"""What is on disk: the journal of running matches, and the records of finished ones."""
