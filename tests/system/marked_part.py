"""Parts of a document that a command writes, between two marks."""

from pathlib import Path


def replace_part(path: Path, name: str, text: str) -> None:
    """Put `text` between the marks of `name`. ValueError when the document has no such marks."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    head, _, rest = path.read_text().partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"{path} has no part between {begin.strip()} and {end.strip()}")
    path.write_text(f"{head}{begin}{text}{end}{tail}")
