"""A second opinion on what the sanitiser lets through, by the standard library's parser."""

from html.parser import HTMLParser

ALLOWED = {
    "a": {"href", "rel", "target"},
    "ol": {"start"},
    "pre": {"class", "data-language"},
    "span": {"class", "title"},
    "div": {"class"},
    "li": {"class"},
    "td": {"class"},
    "th": {"class"},
}
BARE = {"blockquote", "br", "code", "em", "hr", "p", "s", "strong", "ul"}
BARE |= {"h1", "h2", "h3", "h4", "h5", "h6", "table", "tbody", "thead", "tr"}
VOID = {"br", "hr"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED or tag in BARE, tag
        names = [name for name, _value in attrs]
        assert len(set(names)) == len(names)
        assert set(names) <= ALLOWED.get(tag, set()), (tag, attrs)
        values = dict(attrs)
        if tag == "a":
            assert "a" not in self.open, "a link in a link"
            assert set((values.get("rel") or "").split()) == {"noopener", "noreferrer"}
            href = values.get("href")
            if href is not None:
                assert href.lower().startswith(("http://", "https://", "mailto:")), href
                self.links.append(href)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data!r}")


def must_be_safe(html: str) -> _Reader:
    """Parses, is balanced, and holds allow-listed tags, attributes and targets only."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def text_of(html: str) -> str:
    """What a reader sees."""
    return "".join(must_be_safe(html).text)
