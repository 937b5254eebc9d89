"""Tournaments: files to plans, schedules, hosted bots, results, ratings, and the command line."""
