"""Play at a fairdeal table with bots made for other systems, or train there.

`fairdeal.adapters.openspiel` has OpenSpiel bots play, `fairdeal.adapters.kaggle` functions
``agent(observation, configuration)``; `fairdeal.adapters.pettingzoo` is an environment to train in, and
`fairdeal.adapters.text` one for language models. Each is imported by itself. The packages that it needs
besides `fairdeal` come with an extra, such as ``pip install 'fairdeal[pettingzoo]'``, and are loaded when
they are first used.
"""

from fairdeal.adapters._extras import NotInstalled

__all__ = ["NotInstalled"]
