"""What several commands say in the same words."""


def of_total(done: int, total: int | None, *, grows: bool) -> str:
    """Say how many matches of how many are done; a total of None is not known, one that ``grows`` a bound."""
    if total is None:
        return f"{done} matches"
    return f"{done} of {f'at least {max(done, total)}' if grows else total} matches"
