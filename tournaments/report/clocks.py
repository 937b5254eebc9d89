"""Clocks in words."""

from referee.match.clock import PROFILES, SECOND, ClockSettings


def clock_in_words(clock: ClockSettings) -> str:
    """Return what a clock allows, with the name of its profile if it has one."""
    profile = next((f"{name}: " for name, settings in PROFILES.items() if settings == clock), "")
    added = f", {seconds(clock.increment)} more after each decision" if clock.increment else ""
    return (
        f"{profile}{seconds(clock.move)} for a decision, then a bank of {seconds(clock.bank)} for the match"
        f"{added}; {seconds(clock.lag)} of each decision, at most {seconds(clock.lag_cap)}, count as lag;"
        f" {seconds(clock.start)} to become ready"
    )


def seconds(micros: int) -> str:
    """Return microseconds in seconds."""
    return f"{micros / SECOND:.10g} s"
