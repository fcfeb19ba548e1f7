"""What a demo agent says for a room's checkpoint: always the same to the same question."""

import re

from groupx.domain.text import excerpt

_TASK = re.compile(
    r"This is a task of bookkeeping.*?^Write the new checkpoint of a room.*?"
    r"^mark: (\S+)\nat most: (\d+) characters$",
    re.DOTALL | re.MULTILINE,
)
KEPT_LINES = 6
"""Of the checkpoint so far; older ones come first, so each keeps its place."""
LINE_CHARACTERS = 200
NEWEST = 5
"""So many of the messages are told each by its beginning."""


def checkpoint_for(prompt: str) -> str | None:
    """The checkpoint that `prompt` asks for; None when it asks for something else."""
    head = _TASK.match(prompt)
    if head is None:
        return None
    mark, bound = head[1], int(head[2])
    before = [
        line
        for _, text in _entries(prompt, "checkpoint_so_far", mark)
        for line in text.splitlines()
    ]
    messages = _entries(prompt, "messages", mark)
    authors = sorted({author for author, _ in messages})
    lines = [excerpt(line, LINE_CHARACTERS) for line in before[:KEPT_LINES]]
    lines.append(f"{len(messages)} messages by {', '.join(authors) or 'nobody'}; the last of them:")
    for author, text in messages[-NEWEST:]:
        lines.append(excerpt(f"- {author}: {' '.join(text.split())}", LINE_CHARACTERS))
    return excerpt("\n".join(lines), bound)


def _entries(prompt: str, section: str, mark: str) -> list[tuple[str, str]]:
    """Who said what, in one section."""
    mark = re.escape(mark)
    text = re.split(rf"^\[{section} {mark}\]$", prompt, maxsplit=1, flags=re.MULTILINE)[1:]
    body = re.split(rf"^\[\w+ {mark}\]$", "".join(text), maxsplit=1, flags=re.MULTILINE)[0]
    entry = rf"^<entry {mark} [^\n]* author=(\S+) [^\n]*>\n(.*?)\n</entry {mark}>$"
    return re.findall(entry, body, re.DOTALL | re.MULTILINE)
