"""A folder of a tournament or a referee, copied as it was at one moment, and brought back."""
