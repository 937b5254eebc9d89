"""The luck of the deal, taken out of results: what a house bot alone makes of each deck is its par."""
