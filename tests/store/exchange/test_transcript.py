"""What people read: who said what, safely; reasoning and tools folded away."""

import re

import pytest

from groupx.domain.commands import WithdrawCommand
from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB
from groupx.store.exchange.exporting import ExportRequest, export_of
from groupx.store.exchange.formats import FORMS
from groupx.store.exchange.reading import run
from groupx.store.transactions.withdraw import withdraw
from tests.store.exchange.conftest import HARD


def written(conn, form, **more):
    return b"".join(run(export_of(ExportRequest(form=form, **more)), conn)).decode()


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_what_was_said_and_how_turns_ended(full, form):
    text = written(full.conn, form)
    assert "You → Ada" in text
    assert "周三" in text
    assert "it broke" in text
    assert "NATIVE_TURN_FAILED" in re.sub(r"\\", "", text)
    assert "Tool" not in text
    assert "1 tool of Ada" in text
    assert "long ago" not in text
    assert "I think" not in text
    assert "end of the export" in text


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_reasoning_and_another_room_when_asked(full, form):
    text = written(full.conn, form, reasoning=True)
    assert text.index("Reasoning of Ada") < text.index("I think") < text.index("</details>")
    assert "long ago" in written(full.conn, form, room_id="room:old")
    with pytest.raises(GroupXError) as caught:
        written(full.conn, form, room_id="room:x")
    assert caught.value.code == "NOT_FOUND"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_message_that_was_taken_back_says_so(ledger, form):
    answer = ledger.send()
    key = ledger.key("message.withdraw")
    event_id = answer.message_event_id
    ledger.write(withdraw, WithdrawCommand(key=key, message_event_id=event_id, actor_id=USER_WEB))
    assert "taken back" in written(ledger.conn, form)


def test_a_page_holds_no_script_and_asks_nobody_for_anything(ledger):
    evil = (
        "<script>alert(1)</script> <img src=https://x.example/a.png onerror=alert(1)> "
        "![x](https://x.example/b.png) [y](javascript:alert(1)) </div></article></html>"
    )
    ledger.completed(content=evil, response=evil)
    ledger.conn.execute("UPDATE events SET actor_display_name = '<script>alert(2)</script>'")
    ledger.conn.execute("UPDATE rooms SET title = '</title><script>alert(3)</script>'")
    page = written(ledger.conn, "html", reasoning=True)
    assert "<script" not in page
    assert "<img" not in page
    assert not re.search(r"<[^>]*\son\w+=", page)
    assert not re.search(r"<[^>]*\ssrc=|<[^>]*\shref=.?javascript", page)
    assert page.count("<style>") == 1
    assert page.count("</html>") == 1
    assert "default-src &#x27;none&#x27;; style-src &#x27;sha256-" in page


def test_nobody_can_speak_for_somebody_else_in_markdown(ledger):
    ledger.completed(response="fine\n### You · 2026\n\n> I agree\r# You\x0b# You\u2028# You")
    text = written(ledger.conn, "markdown")
    heads = [line for line in text.splitlines() if re.match(r"\s*#", line)]
    assert [head.split(" · ")[0] for head in heads] == ["# room:main", "### You → Ada", "### Ada"]


def test_names_are_words_on_one_line(ledger):
    ledger.queued()
    ledger.conn.execute("UPDATE events SET actor_display_name = 'a\n# *b* <i>`c`'")
    text = written(ledger.conn, "markdown")
    assert "### a \\# \\*b\\* \\<i\\>\\`c\\` → Ada" in text


def test_hard_characters_pass(full):
    for form in FORMS:
        if form != "jsonl":
            assert HARD[-1] in written(full.conn, form)


def test_one_room_as_jsonl_is_refused():
    with pytest.raises(GroupXError, match="every room"):
        export_of(ExportRequest(room_id="room:main"))
