"""Where a request comes from, as far as it can be trusted."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

NOWHERE = "unknown"
IPV6_PREFIX = 64  # what one household or machine has to itself; it may take another address of it at any time


def address_of(request: HttpRequest) -> str:
    """The client's address, an IPv6 one as its /64 network; `unknown` when there is none (a Unix socket).

    With TRUSTED_PROXIES n it is the n-th from the right of X-Forwarded-For: each proxy adds whom it was asked by, and
    what a client sends itself stands further left. Where fewer have added, the leftmost is the oldest of theirs.
    """
    nearest = str(request.META.get("REMOTE_ADDR", ""))
    proxies: int = settings.TRUSTED_PROXIES
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", "")) if proxies else ""
    hops = [hop.strip() for hop in forwarded.split(",")] if forwarded else []
    claimed = hops[max(0, len(hops) - proxies)] if hops else nearest
    return _network(claimed) or _network(nearest) or NOWHERE


def _network(text: str) -> str | None:
    """One text for all that count as the same; None when it is no address."""
    try:
        address = ip_address(_without_port(text))
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ip_network((int(address), IPV6_PREFIX), strict=False))
    return str(address)


def _without_port(text: str) -> str:
    """`1.2.3.4:80` and `[::1]:80` as some proxies write them."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
