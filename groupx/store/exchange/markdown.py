"""A transcript as Markdown: texts stand as they were written, each inside a quotation."""

import re
from html import escape

from groupx.store.exchange.entries import Entry, Message, Note, Reasoning, Tool, Tools
from groupx.store.exchange.transcript import Opening

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
_SPACE = re.compile(r"\s+")


class MarkdownFace:
    """Nothing that somebody wrote can look as if it came from somebody else."""

    def begin(self, opening: Opening) -> str:
        """The title, and how far it goes."""
        return (
            f"# {_line(opening.title)}\n\n"
            f"Exported from GroupX, as of event {opening.through_seq}. Times are UTC.\n\n"
        )

    def entry(self, entry: Entry) -> str:
        """One entry."""
        match entry:
            case Message():
                to = f" → {', '.join(map(_line, entry.to))}" if entry.to else ""
                back = " · taken back" if entry.withdrawn else ""
                head = f"### {_line(entry.author)}{to} · {_clock(entry.at)}{back}\n\n"
                return head + _quoted(entry.text)
            case Reasoning():
                return _folded(f"Reasoning of {entry.author}", _quoted(entry.text))
            case Tools():
                count = len(entry.tools)
                head = f"{count} tool{'' if count == 1 else 's'} of {entry.author}"
                return _folded(head, "".join(map(_tool, entry.tools)))
            case Note():
                return f"*{_clock(entry.at)} · {_line(entry.text)}*\n\n"

    def end(self) -> str:
        """Without it, the file is not whole."""
        return "*This is the end of the export.*\n"


def _line(text: str) -> str:
    """Text of a stranger as plain words on one line."""
    return _MARKUP.sub(r"\\\1", _SPACE.sub(" ", text).strip())


def _clock(at: str) -> str:
    return at[:19].replace("T", " ")


def _quoted(text: str) -> str:
    return "".join(f"> {line}\n" if line else ">\n" for line in text.splitlines()) + "\n"


def _folded(summary: str, inner: str) -> str:
    head = escape(_SPACE.sub(" ", summary))
    return f"<details><summary>{head}</summary>\n\n{inner}</details>\n\n"


def _tool(tool: Tool) -> str:
    status = f" · {_line(tool.status)}" if tool.status else ""
    text = _quoted(tool.text) if tool.text else ""
    return f"**{_line(tool.name)}**{status}\n\n{text}"
