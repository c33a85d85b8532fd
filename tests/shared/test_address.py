"""The address of a call."""

import pytest

from services.shared.base.address import Address, find_address
from services.shared.base.peer import read_networks

PROXIES = read_networks("10.0.0.0/8, 192.0.2.1 ::1")


@pytest.mark.parametrize(
    ("peer", "block", "site"),
    [
        ("ipv4:192.0.2.7:4711", "192.0.2.7", ""),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:4711", "2001:db8:1:2::", "2001:db8:1::"),
        ("ipv6:[2001:db8:1:2::9]:4711", "2001:db8:1:2::", "2001:db8:1::"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:4711", "192.0.2.7", ""),
        ("ipv6:%5Bfe80::1%25eth0%5D:4711", "fe80::", "fe80::"),
        ("unix:/run/maumau.sock", "unix", ""),
        ("", "unknown", ""),
    ],
)
def test_a_peer_is_an_address_or_the_64_of_one(peer, block, site):
    assert find_address(peer, "", PROXIES) == Address(block, site)


@pytest.mark.parametrize(
    ("peer", "forwarded", "block"),
    [
        ("ipv4:198.51.100.9:1", "203.0.113.5", "198.51.100.9"),  # no proxy: anybody may write that
        ("ipv4:10.1.2.3:1", "203.0.113.5", "203.0.113.5"),
        ("ipv4:10.1.2.3:1", "1.1.1.1, 203.0.113.5", "203.0.113.5"),  # the caller wrote the first one
        ("ipv4:10.1.2.3:1", "1.1.1.1, 203.0.113.5, 10.9.9.9", "203.0.113.5"),  # two proxies
        ("ipv4:10.1.2.3:1", "203.0.113.5:4711", "203.0.113.5"),
        ("ipv4:10.1.2.3:1", "[2001:db8::5]:4711", "2001:db8::"),
        ("ipv4:10.1.2.3:1", "::ffff:203.0.113.5", "203.0.113.5"),
        ("ipv4:10.1.2.3:1", "203.0.113.5, nonsense", "10.1.2.3"),
        ("ipv4:10.1.2.3:1", "", "10.1.2.3"),
        ("ipv6:%5B::1%5D:1", "203.0.113.5", "203.0.113.5"),
    ],
)
def test_a_header_counts_as_far_as_proxies_wrote_it(peer, forwarded, block):
    assert find_address(peer, forwarded, PROXIES).block == block


def test_a_machine_with_a_prefix_of_its_own_is_one_address():
    blocks = {find_address(f"ipv6:%5B2001:db8::{number:x}%5D:1", "", ()).block for number in range(1, 200)}
    assert blocks == {"2001:db8::"}


def test_a_list_that_names_no_network_is_refused():
    with pytest.raises(ValueError, match=r"10\.0\.0\.1/8"):
        read_networks("10.0.0.1/8")
