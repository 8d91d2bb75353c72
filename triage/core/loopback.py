"""Which names and addresses mean this machine to itself alone."""

import ipaddress
from typing import Final

_NAMES: Final = frozenset({"localhost", "ip6-localhost"})


def is_loopback(host: str | None) -> bool:
    """Tell whether *host* names this machine to itself alone."""
    if not host:
        return False
    if host.lower() in _NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
