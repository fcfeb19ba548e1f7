"""Rules about request headers, as pure functions over the raw list (docs/security.md).

Header names arrive in lower case; values are compared as sent, never normalised.
"""

from collections.abc import Sequence

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web.token import Token

Raw = Sequence[tuple[bytes, bytes]]

_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_OWN_SITES = frozenset({"same-origin", "none"})
_MAX_COOKIE_CANDIDATES = 8


def values(headers: Raw, name: str) -> list[str]:
    """Every value of a header, in order."""
    wanted = name.encode()
    return [value.decode("latin-1") for key, value in headers if key.lower() == wanted]


def bearer_line(headers: Raw) -> str | None:
    """The one Authorization header; None when there is none, or more than one."""
    lines = values(headers, "authorization")
    return lines[0] if len(lines) == 1 else None


def cookie_name(port: int) -> str:
    """Cookies ignore ports, so the name holds it: daemons on two ports do not mix."""
    return f"groupx_{port}"


@attrs.frozen
class Door:
    """What this port is called by those who may come in."""

    port: int
    hosts: frozenset[str] = attrs.field(init=False)
    origins: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        hosts = frozenset(f"{host}:{self.port}" for host in _HOSTS)
        object.__setattr__(self, "hosts", hosts)
        object.__setattr__(self, "origins", frozenset(f"http://{host}" for host in hosts))

    def check_host(self, headers: Raw) -> None:
        """Exactly one Host, exactly ours; else FORBIDDEN_HOST."""
        hosts = values(headers, "host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            raise GroupXError(
                ErrorCode.FORBIDDEN_HOST,
                "This request was not addressed to this GroupX, so it was not looked at. "
                f"Use http://127.0.0.1:{self.port}/.",
            )

    def check_origin(self, headers: Raw, *, navigable: bool) -> None:
        """No web page but our own; else FORBIDDEN_ORIGIN.

        `navigable`: a top-level navigation from elsewhere may come here.
        """
        origins = values(headers, "origin")
        if len(origins) > 1 or not set(origins) <= self.origins:
            raise _foreign()
        sites = values(headers, "sec-fetch-site")
        if len(sites) > 1:
            raise _foreign()
        if sites and sites[0] not in _OWN_SITES and not (navigable and _navigates(headers)):
            raise _foreign()

    def knows(self, headers: Raw, token: Token, *, cookies: bool = True) -> bool:
        """Whether the caller holds the token, as a bearer or (`cookies`) as our browser."""
        bearers = values(headers, "authorization")
        if bearers:
            scheme, _, presented = bearers[0].partition(" ")
            return (
                len(bearers) == 1
                and scheme.lower() == "bearer"
                and token.opens_as_bearer(presented)
            )
        return cookies and any(
            token.opens_as_cookie(candidate) for candidate in self._cookies(headers)
        )

    def _cookies(self, headers: Raw) -> list[str]:
        prefix = cookie_name(self.port) + "="
        found = [
            part.strip().removeprefix(prefix)
            for line in values(headers, "cookie")
            for part in line.split(";")
            if part.strip().startswith(prefix)
        ]
        return found[:_MAX_COOKIE_CANDIDATES]


def _navigates(headers: Raw) -> bool:
    return values(headers, "sec-fetch-mode") == ["navigate"] and values(
        headers, "sec-fetch-dest"
    ) == ["document"]


def _foreign() -> GroupXError:
    return GroupXError(
        ErrorCode.FORBIDDEN_ORIGIN,
        "This request came from another web page, so it was not looked at. "
        "Open GroupX in its own tab with 'groupx open'.",
    )


def check_json_type(headers: Raw) -> None:
    """`application/json`, in UTF-8 if it says so; else UNSUPPORTED_MEDIA_TYPE."""
    types = values(headers, "content-type")
    kind, _, parameters = types[0].partition(";") if len(types) == 1 else ("", "", "")
    charset = parameters.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
        raise GroupXError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "Only JSON is read here, so nothing was done. Send 'Content-Type: application/json'.",
        )


def declared_length(headers: Raw) -> int | None:
    """The length of the body as announced; None when it is not known beforehand."""
    if values(headers, "transfer-encoding"):
        return None
    lengths = values(headers, "content-length")
    return int(lengths[0]) if lengths and lengths[0].isascii() and lengths[0].isdigit() else 0
