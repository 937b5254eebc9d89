"""What one address may hold."""

import pytest

from referee.server.shares import Shares, holder, share


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        *((own, "") for own in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "unix", "", "nonsense")),
    ],
)
def test_as_whom_an_address_counts(address: str, expected: str) -> None:
    assert holder(address) == expected


def test_a_share_is_a_quarter_and_at_least_one() -> None:
    assert [share(most) for most in (256, 4, 3, 1, 0)] == [64, 1, 1, 1, 1]


def test_what_is_given_back_can_be_taken_again() -> None:
    shares = Shares()
    for address in ("2001:db8::1", "2001:db8::2", "127.0.0.1", "127.0.0.1"):
        assert shares.is_left(address, 8)
        shares.take(address)
    assert not shares.is_left("2001:db8::3", 8)
    assert shares.is_left("192.0.2.7", 8)
    assert shares.total == 4
    shares.give_back("2001:db8::2")
    assert shares.is_left("2001:db8::3", 8)
    assert shares.total == 3
