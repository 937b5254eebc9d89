"""Whole matches in Python without sockets, for tests and research."""
