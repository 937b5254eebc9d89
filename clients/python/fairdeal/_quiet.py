"""Keeps gRPC's own log off the terminal of a bot; imported before gRPC, which looks once.

It would write lines of every broken handshake and lost connection; the SDK tells in one what matters of them.
Whoever sets GRPC_VERBOSITY gets them.
"""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")
