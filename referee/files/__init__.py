"""Files: how many may be open, remedies for errors, private files, and files written whole or not at all."""
