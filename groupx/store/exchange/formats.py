"""The forms of an export, by name."""

from collections.abc import Mapping

import attrs

JSONL = "jsonl"


@attrs.frozen(kw_only=True)
class Form:
    """One of them."""

    content_type: str
    extension: str


FORMS: Mapping[str, Form] = {
    JSONL: Form(content_type="application/x-ndjson", extension="jsonl"),
    "markdown": Form(content_type="text/markdown; charset=utf-8", extension="md"),
    "html": Form(content_type="text/html; charset=utf-8", extension="html"),
}
