"""The server: the core behind a gRPC address."""
