"""The last word on what reaches a page: a strict allow-list, whatever was made before it."""

import functools

import nh3

from groupx.render.highlighting import token_classes
from groupx.render.links import Target, classify

TAGS = frozenset(
    {"a", "blockquote", "br", "code", "div", "em", "hr", "li", "ol", "p", "pre", "s", "span"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "strong", "ul"}
    | {"table", "tbody", "td", "th", "thead", "tr"}
)
ATTRIBUTES: dict[str, frozenset[str]] = {
    "a": frozenset({"href"}),
    "ol": frozenset({"start"}),
    "pre": frozenset({"data-language"}),
    "span": frozenset({"title"}),
}
ALIGNMENTS = frozenset({"align-left", "align-center", "align-right"})
CLASSES: dict[str, frozenset[str]] = {
    "div": frozenset({"plain"}),
    "li": frozenset({"task"}),
    "pre": frozenset({"code"}),
    "td": ALIGNMENTS,
    "th": ALIGNMENTS,
}
"""Besides those of highlighted words, on `span`."""
LINK_REL = "noopener noreferrer"
SCHEMES = frozenset({"http", "https", "mailto"})


def sanitise(html: str) -> str:
    """Only what is allowed; links say that they keep the room to themselves."""
    return _cleaner().clean(html)


@functools.cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=TAGS,
        clean_content_tags=frozenset({"script", "style"}),
        attributes=ATTRIBUTES,
        attribute_filter=_filter,
        set_tag_attribute_values={"a": {"target": "_blank"}},
        allowed_classes={**CLASSES, "span": token_classes() | {"place"}},
        url_schemes=SCHEMES,
        url_relative="deny",
        link_rel=LINK_REL,
    )


def _filter(_tag: str, name: str, value: str) -> str | None:
    return None if name == "href" and classify(value) is not Target.LINK else value
