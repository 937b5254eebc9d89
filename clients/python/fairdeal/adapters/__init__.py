"""Play at a fairdeal table with what you already have, or train there.

`fairdeal.adapters.openspiel` has OpenSpiel bots play, `fairdeal.adapters.kaggle` functions
``agent(observation, configuration)``; `fairdeal.adapters.pettingzoo` is an environment to train in. Each is
imported by itself. What it needs beside `fairdeal` comes with an extra, such as
``pip install 'fairdeal[pettingzoo]'``, and is loaded when it is first used.
"""

from fairdeal.adapters._extras import NotInstalled

__all__ = ["NotInstalled"]
