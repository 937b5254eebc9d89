"""Generated from proto/fairdeal/v1 by `make proto`; do not edit."""
