"""Which servers are on this machine: they are asked directly, whatever proxy the environment names."""

from ipaddress import ip_address

_NAMES = frozenset({"localhost", "localhost.", "ip6-localhost"})


def is_this_machine(host: str | None) -> bool:
    """Whether the host of an address is this machine; IPv6 with or without brackets."""
    if not host:
        return False
    if host.lower() in _NAMES:
        return True
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
