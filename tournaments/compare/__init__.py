"""Whether one bot is better than another: duplicate sets, and a test that may be looked at after each."""
