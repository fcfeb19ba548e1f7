"""Messages with their HTML: beside the envelope, made once, bounded."""

import orjson
import pytest
import trio

from groupx.domain.commits import Frame
from groupx.web import views as module
from groupx.web.streams.frames import parts, text_frame, together
from groupx.web.views import WITH_WORDS, Views


def message(seq, content, event_type="message.created"):
    data = orjson.dumps({"eventId": f"evt_{seq}", "seq": seq, "body": {"content": content}})
    return Frame(seq, "room:main", event_type, data)


async def test_a_message_is_sent_with_its_view_and_its_envelope_untouched():
    frame = message(1, "a **b** <i>")
    sent = await Views().sent(frame)
    assert orjson.loads(sent) == {
        "event": orjson.loads(frame.data),
        "view": {"html": "<p>a <strong>b</strong> &lt;i&gt;</p>\n"},
    }
    assert frame.data in sent


async def test_what_has_no_view_is_its_envelope():
    views = Views()
    for frame in (
        message(1, "x", "turn.completed"),
        message(None, "x"),
        message(2, ""),
        message(3, 7),
        message(4, "x" * 70_000),
    ):
        assert await views.sent(frame) == frame.data
    assert await views.on_demand(message(4, "<" * 70_000)) == (
        '<div class="plain">' + "&lt;" * 70_000 + "</div>"
    )
    assert await views.on_demand(message(5, "")) is None


@pytest.mark.parametrize("event_type", sorted(WITH_WORDS - {"message.created"}))
async def test_what_is_remembered_or_dispatched_is_seen_as_what_is_said(event_type):
    said = {"content": "**b**"}
    body = said if event_type == "operator.dispatch" else {"record": said}
    data = orjson.dumps({"eventId": "evt_1", "seq": 1, "body": body})
    sent = orjson.loads(await Views().sent(Frame(1, "room:main", event_type, data)))
    assert sent["view"] == {"html": "<p><strong>b</strong></p>\n"}


async def test_texts_are_kept_as_events_are(monkeypatch):
    made = []
    real = module._view_of_text
    monkeypatch.setattr(module, "_view_of_text", lambda text: made.append(text) or real(text))
    views = Views(max_bytes=1_000)
    for texts in (["a", "b", "a"], ["b"], ["", "x" * 900]):
        await views.beside([{"content": text} for text in texts])
    assert made == ["a", "b", "", "x" * 900]
    assert views._bytes <= 1_000


async def test_a_view_is_made_once_however_many_ask(monkeypatch):
    made = []
    real = module._view_of
    monkeypatch.setattr(module, "_view_of", lambda frame: made.append(frame.seq) or real(frame))
    views = Views()
    frame = message(1, "hello")
    answers = []

    async def ask():
        answers.append(await views.sent(frame))

    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(ask)
    assert made == [1]
    assert len(set(answers)) == 1


async def test_one_who_leaves_does_not_take_the_view_away():
    views = Views()
    frame = message(1, "hello")
    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as scope:
            scope.cancel()
            nursery.start_soon(views.sent, frame)
            await views.sent(frame)
    assert b'"view"' in await views.sent(frame)


async def test_what_is_kept_is_bounded():
    views = Views(max_bytes=1_000)
    frames = [message(seq, f"text {seq}") for seq in range(1, 30)]
    page = await views.page(frames)
    assert [orjson.loads(sent)["event"]["seq"] for sent in page] == list(range(1, 30))
    assert views._bytes <= 1_000
    assert 0 < len(views._kept) < 29
    assert 29 in views._kept


def test_parts_keep_order_and_put_together_what_has_no_words():
    frames = [message(1, "x", "turn.queued"), message(2, "x"), message(3, "x"),
              message(4, "x", "turn.started"), message(5, "x", "turn.completed")]  # fmt: skip
    found = parts(frames)
    assert found == [text_frame(frames[0].data), frames[1], frames[2], together(frames[3:])]
    run = together(frames[3:])
    assert orjson.loads(run[2:]) == [orjson.loads(frame.data) for frame in frames[3:]]
    assert run == text_frame(run[2:])
