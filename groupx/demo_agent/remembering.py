"""What a demo agent says for the memory of its own day: always the same to the same question."""

import re

from groupx.domain.text import excerpt

_TASK = re.compile(
    r"This is a task of bookkeeping,[^\n]*\nWrite your own memory of one day.*?^mark: (\S+)$",
    re.DOTALL | re.MULTILINE,
)
_GREETING = re.compile(
    r"\W*(hi|hello|hey|thanks?|thank you|ok|test|你好|谢谢|好的)\W*", re.IGNORECASE
)
KEPT_LINES = 24
"""Of the memory so far; the newest."""
LINE_CHARACTERS = 160
NOTHING = "NOTHING WORTH KEEPING"


def memory_for(prompt: str) -> str | None:
    """The memory that `prompt` asks for; None when it asks for something else."""
    head = _TASK.match(prompt)
    if head is None:
        return None
    mark = re.escape(head[1])
    entry = rf"^<entry {mark} id=\S+ [^\n]*? source=(\S+?)[ >][^\n]*\n(.*?)\n?</entry {mark}>$"
    entries: list[tuple[str, str]] = re.findall(entry, prompt, re.DOTALL | re.MULTILINE)
    before = [text for source, text in entries if source == "automatic-rollup"]
    said = [(source, text) for source, text in entries if source != "automatic-rollup"]
    new = [
        f"- {asked_by}: {_line(question)} → {_line(answer)}"
        for (asked_by, question), (_, answer) in zip(said[::2], said[1::2], strict=False)
        if not _GREETING.fullmatch(question)
    ]
    if not new:
        return NOTHING
    kept = [line for text in before for line in text.splitlines()]
    return "\n".join((kept + new)[-KEPT_LINES:])


def _line(text: str) -> str:
    return excerpt(" ".join(text.split()), LINE_CHARACTERS)
