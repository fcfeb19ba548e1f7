"""What Markdown looks like in the room, and that no text takes long."""

import threading
import time

import pytest

from groupx.render.budget import MAX_NESTING
from groupx.render.markdown import MAX_BYTES, is_too_long, render_markdown
from tests.render.html_check import must_be_safe, text_of


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a *b* **c** ~~d~~ `e`",
         "<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>\n"),
        ("# one\n\n###### six", "<h1>one</h1>\n<h6>six</h6>\n"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'),
        ("- [ ] a\n- [x] b\n- [y] c",
         '<ul>\n<li class="task">☐ a</li>\n<li class="task">☑ b</li>\n<li>[y] c</li>\n</ul>\n'),
        ("> a\n\n---", "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n"),
        ("a\\\nb", "<p>a<br>\nb</p>\n"),
        ("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"),
        ("<div>\n\n*a*", "<p>&lt;div&gt;</p>\n<p><em>a</em></p>\n"),
    ],
)  # fmt: skip
def test_a_construct(text: str, html: str) -> None:
    assert render_markdown(text) == html


def test_a_table_says_its_alignment_by_class() -> None:
    html = render_markdown("|a|b|c|\n|:-|:-:|-:|\n|1|2|3|")
    assert '<th class="align-left">a</th>' in html
    assert '<td class="align-center">2</td>' in html
    assert '<td class="align-right">3</td>' in html


LINK = '<a href="{0}" target="_blank" rel="noopener noreferrer">{1}</a>'


@pytest.mark.parametrize(
    ("text", "href", "label"),
    [
        ("[x](https://a.example)", "https://a.example", "x"),
        ("[x](HTTP://a.example/b 'title')", "HTTP://a.example/b", "x"),
        ("<mailto:a@b.example>", "mailto:a@b.example", "mailto:a@b.example"),
        ("see https://a.example/b_c_d?e=f&g.", "https://a.example/b_c_d?e=f&amp;g",
         "https://a.example/b_c_d?e=f&amp;g"),
        ("(https://a.example/b_(c))", "https://a.example/b_(c)", "https://a.example/b_(c)"),
        ("**https://a.example**", "https://a.example", "https://a.example"),
        ("看https://a.example/b，然后", "https://a.example/b", "https://a.example/b"),
        ("www.a.example", "https://www.a.example", "www.a.example"),
        ("write to me@a.example.", "mailto:me@a.example", "me@a.example"),
        ("![a *b*](https://a.example/c.png)", "https://a.example/c.png", "a b"),
        ("![](https://a.example/c.png)", "https://a.example/c.png", "https://a.example/c.png"),
        ("[![a](https://a.example/c.png)](https://d.example)", "https://d.example", "a"),
    ],
)  # fmt: skip
def test_a_link(text: str, href: str, label: str) -> None:
    html = render_markdown(text)
    assert LINK.format(href, label) in html
    assert html.count("<a ") == 1


@pytest.mark.parametrize(
    "text", ["main.rs", "notes.md", "git@github.com:a/b", "x://a", "`https://a.example`", "a@b"]
)
def test_what_only_looks_like_a_link(text: str) -> None:
    assert "<a" not in render_markdown(text)


def test_a_place_that_cannot_be_opened_is_named() -> None:
    html = render_markdown("[main](src/main.py:3) ![plot](out/plot.png)")
    assert '<span class="place" title="src/main.py:3">main</span>' in html
    assert '<span class="place" title="out/plot.png">plot</span>' in html


LONG = 65_000
PATHOLOGICAL = {
    "stars": "*" * LONG,
    "open emphasis": "*a " * LONG,
    "mixed emphasis": "*a_" * LONG,
    "strong in words": "a**b" + "c* " * LONG,
    "brackets": "[" * LONG,
    "half links": "[a](" * LONG,
    "half images": "![" * LONG,
    "empty images": "![[]()" * LONG,
    "links in links": "[" * 20_000 + "a" + "](b)" * 20_000,
    "unclosed target": "[a](<b" * LONG,
    "unclosed title": '[a](b "' * LONG,
    "parentheses": "[a](" + "(" * LONG,
    "backticks": "".join("`" * n + " " for n in range(1, 360)),
    "quotes": ">" * LONG,
    "many quotes": (">" * 50 + "\n") * 1000,
    "stairs of lists": "".join(" " * n + "- a\n" for n in range(360)),
    "lists in a line": "- " * LONG,
    "entities": "&" * LONG,
    "tags": "<a " * LONG,
    "comments": "<!--" * LONG,
    "references": "[a]: x\n" * LONG,
    "uses of no reference": "[a]\n" * LONG,
    "wide and long table": "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|\n" * LONG,
    "square table": "|a" * 250 + "\n" + "|-" * 250 + "\n" + "|\n" * 250,
    "pipes": "a|b\n-|-\n" + "|" * LONG,
    "escapes": "\\" * LONG,
    "setext": "a\n" * LONG + "===",
    "fences": "```\n" * LONG,
    "code": "```python\n" + "x = f(1)\n" * LONG,
    "addresses": "http://a." * LONG,
    "addresses with brackets": "http://a/(" * LONG,
    "half mails": "a@" * LONG,
    "no mails": "a.b-c" * LONG,
    "mails": ("a" * 63 + "@" + "b" * 63 + ".") * 600,
    "percents": "http://a/%" + "%" * LONG,
    "everything": "*_~`[<&|" * LONG,
    "spaces": " " * LONG + "x",
    "empty lines": "\n" * LONG,
    "nulls": "\x00" * LONG,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_no_text_takes_long(name: str) -> None:
    text = PATHOLOGICAL[name][:MAX_BYTES]
    started = time.thread_time()
    html = render_markdown(text)
    assert time.thread_time() - started < 4
    assert len(html) < 16 * MAX_BYTES
    must_be_safe(html)


@pytest.mark.parametrize("depth", [MAX_NESTING, 10_000])
@pytest.mark.parametrize("mark", [">", "- ", "1. "])
def test_what_nests_too_deep_is_shown_whole(mark: str, depth: int) -> None:
    text = (mark * depth)[: MAX_BYTES - 10] + "the end"
    assert text_of(render_markdown(text)).endswith("the end")


def test_a_long_text_is_plain_and_whole() -> None:
    text = "**a** <b>\n" + "你" * (MAX_BYTES // 3)
    assert is_too_long(text)
    assert text_of(render_markdown(text)) == text
    assert not is_too_long("a" * MAX_BYTES)


def test_several_threads_may_render() -> None:
    texts = [f"[{n}](https://a.example/{n}) *{n}*" for n in range(40)]
    alone = [render_markdown(text) for text in texts]
    together: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: together.append([render_markdown(text) for text in texts]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 4
