"""The errors of a bot.

::

    FairdealError (Exception)
    ├── BadSetting (ValueError)   an address, a number or an option of `run` is wrong
    ├── BadAnswer (ValueError)    ``act`` gave an answer that is not legal
    ├── CannotConnect             no referee answers at the address
    ├── ConnectionLost            the session broke
    ├── ProtocolError             the referee sent something invalid
    └── Rejected                  the referee refused the session or ended it; ``reason`` says why
        └── Replaced              a newer session of the same entry and instance took over
"""


class FairdealError(Exception):
    """Anything that ends a session other than its own end; the text is one line for people."""


class BadSetting(FairdealError, ValueError):
    """A setting is wrong; the text names it and the allowed values."""


class BadAnswer(FairdealError, ValueError):
    """An answer that is not among the legal ones of its decision."""


class CannotConnect(FairdealError):
    """No referee answers at the address."""


class ConnectionLost(FairdealError):
    """The session broke: the referee, or the connection to it, is gone."""


class ProtocolError(FairdealError):
    """The referee sent something that is invalid in this version."""


class Rejected(FairdealError):
    """The referee refused the session or ended it.

    ``reason`` is one of the protocol's stable reasons, such as ``MISSING_TOKEN``; ``incident`` names the
    occurrence in the referee's log, if it does.
    """

    def __init__(self, text: str, reason: str, incident: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        self.incident = incident


class Replaced(Rejected):
    """A newer session of the same entry and instance took over."""
