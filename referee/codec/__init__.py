"""Domain values as bytes and back: protobuf for bots, JSON for records."""
