"""Keeps gRPC's own log off the terminal of a bot; imported before gRPC, which looks once.

gRPC would write lines about every broken handshake and lost connection, of which the SDK reports the
essentials in one line. Set GRPC_VERBOSITY to see them.
"""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")
