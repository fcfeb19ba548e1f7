"""A transcript as one HTML page: no script, nothing from elsewhere, texts as in the room."""

import hashlib
from base64 import b64encode
from html import escape

from groupx.render.markdown import render_markdown
from groupx.store.exchange.entries import Entry, Message, Note, Reasoning, Tool, Tools
from groupx.store.exchange.transcript import Opening

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 50rem; padding: 1rem; overflow-wrap: anywhere; }
article, details, .note { margin: 1rem 0; }
article > header { font-weight: 600; }
article > header time, .note, footer, h1 + p { color: GrayText; font-weight: 400; }
article.back > div { text-decoration: line-through; }
pre { overflow-x: auto; padding: .5rem; border: 1px solid; border-radius: 4px; }
.plain, details pre { white-space: pre-wrap; }
table { border-collapse: collapse; }
td, th { border: 1px solid; padding: .2rem .5rem; }
.align-left { text-align: left; }
.align-center { text-align: center; }
.align-right { text-align: right; }
"""
_HASH = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"


class HtmlFace:
    """Everything but a rendered text is escaped."""

    def begin(self, opening: Opening) -> str:
        """The head of the page."""
        title = escape(opening.title)
        return (
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
            '<meta name="referrer" content="no-referrer">\n'
            '<meta name="viewport" content="width=device-width">\n'
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n<h1>{title}</h1>\n"
            f"<p>Exported from GroupX, as of event {opening.through_seq}. Times are UTC.</p>\n"
        )

    def entry(self, entry: Entry) -> str:
        """One entry."""
        match entry:
            case Message():
                to = f" → {escape(', '.join(entry.to))}" if entry.to else ""
                kind = ' class="back"' if entry.withdrawn else ""
                back = " · taken back" if entry.withdrawn else ""
                return (
                    f'<article id="event-{entry.seq}"{kind}><header>{escape(entry.author)}{to} '
                    f"{_time(entry.at)}{back}</header>\n"
                    f"<div>{render_markdown(entry.text)}</div></article>\n"
                )
            case Reasoning():
                inner = render_markdown(entry.text)
                return _folded(f"Reasoning of {entry.author}", inner)
            case Tools():
                count = len(entry.tools)
                head = f"{count} tool{'' if count == 1 else 's'} of {entry.author}"
                return _folded(head, "".join(map(_tool, entry.tools)))
            case Note():
                return f'<p class="note">{_time(entry.at)} {escape(entry.text)}</p>\n'

    def end(self) -> str:
        """The foot of the page: without it, the page is not whole."""
        return "<footer>This is the end of the export.</footer>\n</html>\n"


def _time(at: str) -> str:
    return f'<time datetime="{escape(at)}">{escape(at[:19].replace("T", " "))}</time>'


def _folded(summary: str, inner: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>\n{inner}</details>\n"


def _tool(tool: Tool) -> str:
    status = f" · {escape(tool.status)}" if tool.status else ""
    text = f"<pre>{escape(tool.text)}</pre>" if tool.text else ""
    return f"<p><b>{escape(tool.name)}</b>{status}</p>{text}\n"
