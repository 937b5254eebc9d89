"""Play at a fairdeal table with bots made for other systems, or train there.

`fairdeal.adapters.openspiel` has OpenSpiel bots play, `fairdeal.adapters.kaggle` functions
``agent(observation, configuration)``; `fairdeal.adapters.pettingzoo` is an environment to train in. Each is
imported by itself. The packages that it needs besides `fairdeal` come with an extra, such as
``pip install 'fairdeal[pettingzoo]'``, and is loaded when it is first used.
"""

from fairdeal.adapters._extras import NotInstalled

__all__ = ["NotInstalled"]
