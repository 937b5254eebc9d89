"""What a tournament cannot do as it is."""


class WrongState(Exception):
    """A tournament cannot do this in its present state; the text says why and what to do."""
