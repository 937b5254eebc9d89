"""What a tournament cannot do."""


class RunFailed(Exception):
    """The tournament cannot go on; the text says why and what to do."""


class WrongState(Exception):
    """A tournament cannot do this in its present state; the text says why and what to do."""
