"""Plans of each kind, for tests of their standings."""

from tests.sample_report import plan
from tournaments.plan.plan import Format, Partners, Team

TWO = plan("abcd", "piquet")
FOUR = plan("abcd", "hearts")
PARTNERS = plan("abcd", "spades")
PAIRS = plan("abcd", "spades", partners=Partners.FIXED)
TEAMS = plan("abcd", "spades", partners=Partners.FIXED, teams=(Team("x", ("a", "b")), Team("y", ("c", "d"))))
LADDER = plan("abcd", "piquet", format=Format.LADDER)
PLANS = [TWO, FOUR, PARTNERS, PAIRS, TEAMS, LADDER]
