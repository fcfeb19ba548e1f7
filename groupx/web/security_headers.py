"""The headers of every response (docs/security.md). There are no CORS headers at all."""

CSP = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)

_ALWAYS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
KEEP = (b"cache-control", b"private, max-age=31536000, immutable")
"""The one exception to `no-store`: a file of the UI at an address that names its version."""
_NAMES = frozenset(name for name, _ in _ALWAYS)

RawHeaders = list[tuple[bytes, bytes]]


def secured(headers: RawHeaders) -> RawHeaders:
    """`headers` with ours in place of any of the same name, but for `KEEP`."""
    ours = [KEEP if pair[0] == KEEP[0] and KEEP in headers else pair for pair in _ALWAYS]
    return [pair for pair in headers if pair[0].lower() not in _NAMES] + ours
