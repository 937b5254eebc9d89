"""Matches played on other machines: a cluster of Ray gives each batch of them to one of its workers."""
