"""The server: the hall behind a gRPC address."""
