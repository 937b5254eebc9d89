"""Optional packages."""

import importlib
from types import ModuleType

from fairdeal.errors import FairdealError


class NotInstalled(FairdealError, ImportError):
    """A package that an adapter needs is not installed; the text says how to install it."""


def load(module: str, extra: str) -> ModuleType:
    """Return a module of a package that comes with an extra of ours.

    Raises:
        NotInstalled: the package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise  # the package is installed, but one of its own imports is missing
        text = f"fairdeal.adapters.{extra} needs {module}: pip install 'fairdeal[{extra}]'"
        raise NotInstalled(text, name=module) from None
