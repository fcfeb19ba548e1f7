"""The files of the UI, read once: what is not in the table cannot be served."""

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

import attrs

ROOT = Path(__file__).with_name("static")
INDEX = "index.html"

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


@attrs.frozen(kw_only=True)
class StaticFiles:
    """Every file by its path with slashes; at `<version>/<path>` a browser may keep it for good."""

    files: Mapping[str, StaticFile]
    version: str
    """Of all of them: another as soon as one of them differs."""

    def find(self, name: str) -> tuple[StaticFile | None, bool]:
        """The file, and whether `name` says of which version."""
        path = name.removeprefix(f"{self.version}/")
        return self.files.get(path), path != name


@functools.cache
def static_files(root: Path = ROOT) -> StaticFiles:
    """Every file below `root`; other types than ours are left out.

    The first page names the files at their version, and all modules at once, so that they are not
    found one behind the other.
    """
    files = {
        path.relative_to(root).as_posix(): _load(path)
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
    digest = hashlib.sha256()
    for name, file in files.items():
        digest.update(b"%b\0%d\0%b" % (name.encode(), len(file.content), file.content))
    version = digest.hexdigest()[:16]
    if INDEX in files:
        page = _page(files[INDEX].content.decode(), list(files), version)
        files[INDEX] = attrs.evolve(files[INDEX], content=page.encode())
    return StaticFiles(files=files, version=version)


def _load(path: Path) -> StaticFile:
    return StaticFile(content=path.read_bytes(), content_type=_TYPES[path.suffix])


def _page(page: str, names: list[str], version: str) -> str:
    modules = "".join(
        f'<link rel="modulepreload" href="/static/{name}">\n'
        for name in names
        if name.endswith(".js")
    )
    with_modules = page.replace('<script type="module"', f'{modules}<script type="module"')
    return with_modules.replace('="/static/', f'="/static/{version}/')
