"""The files of the UI, read once: what is not in the table cannot be served."""

import functools
from collections.abc import Mapping
from pathlib import Path

import attrs

ROOT = Path(__file__).with_name("static")

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@attrs.frozen(kw_only=True)
class StaticFile:
    """One file, ready to be sent."""

    content: bytes
    content_type: str


@functools.cache
def static_files(root: Path = ROOT) -> Mapping[str, StaticFile]:
    """Every file below `root` by its path with slashes; other types than ours are left out."""
    return {
        path.relative_to(root).as_posix(): _load(path)
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }


def _load(path: Path) -> StaticFile:
    return StaticFile(content=path.read_bytes(), content_type=_TYPES[path.suffix])
