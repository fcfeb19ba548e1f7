"""Tokens, queries and excerpts, against the index's own tokenizer and the truth of substrings."""

import re
import sqlite3
import time
from contextlib import closing

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groupx.domain.search_excerpt import EXCERPT, excerpt_html
from groupx.domain.search_folding import folded
from groupx.domain.search_query import parse_search
from groupx.domain.search_text import index_tokens

TEXTS = {
    1: "We compile the c++ part with node.js, not with C.",
    2: "只修改数据库的索引，然后重启。",
    3: "Use .NET and c# for foo_bar; see a-b 🙂!",
    4: "ＦＵＬＬ width and ﬁne ligatures; 100% of naïve users",
}


def filled(texts):
    conn = sqlite3.connect(":memory:")
    conn.execute("CREATE VIRTUAL TABLE f USING fts5(content, content='')")
    rows = [(key, index_tokens(text)) for key, text in texts.items()]
    conn.executemany("INSERT INTO f (rowid, content) VALUES (?, ?)", rows)
    return conn


def matched(conn, terms):
    if not terms.expression:
        return set()
    rows = conn.execute("SELECT rowid FROM f WHERE f MATCH ?", (terms.expression,))
    return {row[0] for row in rows}


def found_in(texts, query):
    with closing(filled(texts)) as conn:
        return matched(conn, parse_search(query))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("c++", {1}), ("C#", {3}), (".net", {3}), ("net", {3}), ("node.js", {1}), ("foo_bar", {3}),
        ("a-b", {3}), ("🙂", {3}), ("c", {1, 3}), ("100%", {4}), ("full", {4}), ("fine", {4}),
        ("库", {2}), ("索引", {2}), ("数据库的", {2}), ("索重", set()), ("重启 修改", {2}),
        ("comp", {1}), ("comp part", set()), ('"the c"', {1}), ('"part the"', set()),
        ('"not with"', {1}), ("part OR users", set()), ("", set()), ('"""', set()),
    ],
)  # fmt: skip
def test_what_is_found(query, found):
    assert found_in(TEXTS, query) == found


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "NEAR(",
        "%",
        "*",
        "\0",
        "a\0b",
        "x" * 10_000,
        "数" * 10_000,
        "- + ^ :",
        "(((",
        "f:",
        "'",
    ],
)
def test_any_input_is_safe(query):
    assert isinstance(found_in(TEXTS, query), set)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_breaks_the_index(text, query):
    assert found_in({1: text}, query) <= {1}


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_a_plain_text_gives_the_same_tokens_as_any_other(text):
    """`þ` has no letter in common with ASCII, and leads the text along the long way."""
    assert index_tokens(text) == index_tokens(f"þ {text}").removeprefix("þ").lstrip(" ")


@settings(max_examples=25, deadline=None)
@given(st.text("数据库索引", min_size=1, max_size=12), st.text("数据库", min_size=1, max_size=4))
def test_runs_are_found_as_substrings(text, query):
    assert bool(found_in({1: text}, query)) == (query in text)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["c", "c++", "c#", "+", "net", ".net", "a-b"]), min_size=1))
def test_each_sign_of_a_text_is_found(items):
    text = " ".join(items)
    for item in ("c++", "c#", ".net"):
        assert bool(found_in({1: text}, item)) == (item in items)


def test_filters_are_no_words():
    terms = parse_search("from:kimi to:agent:grok before:2026-03-01 has:code  plan")
    assert (terms.author, terms.target) == ("kimi", "agent:grok")
    assert (terms.before, terms.has_code) == ("2026-03-01T00:00:00", True)
    assert not terms.has_history
    both = parse_search("has:history plan has:Code")
    assert (both.has_code, both.has_history) == (True, True)
    assert terms.expression == '"plan" *'


@pytest.mark.parametrize("query", ["before:soon", "has:nothing", "after:0001-01-01T00:00+23:00"])
def test_a_filter_that_says_nothing_is_words(query):
    terms = parse_search(query)
    assert (terms.before, terms.after, terms.has_code) == (None, None, False)
    assert terms.expression


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("after:2026-11", ("after", "2026-11-01T00:00:00")),
        ("after:2026", ("after", "2026-01-01T00:00:00")),
        ("before：2026/1/5", ("before", "2026-01-05T00:00:00")),
        ("before:2026-01-05T10:00+02:00", ("before", "2026-01-05T08:00:00")),
        ("before:2026-13", ("before", None)),
        ("from:@kimi", ("author", "kimi")),
        ("from：“Big Planner”", ("author", "Big Planner")),
        ("to:@", ("target", None)),
    ],
)
def test_filters_as_they_are_typed(typed, read):
    name, value = read
    assert getattr(parse_search(typed), name) == value


@pytest.mark.parametrize(
    "text", ["x", "a.b/", "👍️", "数", "\u0e48", "e\u0301", "a!", '"', "! ", "数a", "\u1100\u1161"]
)
def test_no_text_and_no_search_takes_long(text):
    """A writer waits for the one, everybody for the other: neither may grow with its square."""
    text *= 20_000 // len(text)
    began = time.thread_time()
    index_tokens(text)
    excerpt_html(text, parse_search(text).needles)
    assert time.thread_time() - began < 1


def test_marks_stand_where_the_text_was_hit():
    needles = parse_search("fine 索引").needles
    assert excerpt_html("ＡＢ ﬁne <b> 索引", needles) == (
        "ＡＢ <mark>ﬁne</mark> &lt;b&gt; <mark>索引</mark>"
    )
    assert excerpt_html("ßß naive", parse_search("naive").needles) == "ßß <mark>naive</mark>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"the plan {'x ' * 300}an index and the plan", ["index", "plan"]),
        (f"the plan {'很长，' * 300}the plan, an index", ["plan", "index"]),
        (f"an index of the plan {'x ' * 300}plan", ["index", "plan"]),
        (f"{'the plan ' * 99}{'x ' * 300} index", ["index"]),
        (f"the plan {'x ' * 300} plans", ["plan"]),
    ],
)
def test_what_is_shown_has_as_much_of_the_search_as_stands_together(text, shown):
    excerpt = excerpt_html(text, parse_search("plan index").needles)
    assert re.findall("<mark>(.*?)</mark>", excerpt) == shown
    assert len(re.sub("<.*?>", "", excerpt)) <= EXCERPT + 2


@settings(max_examples=60, deadline=None)
@given(st.text("aß數，ﬁﾞ👍\ufe0f\u0301\u0e48\u200d İ", max_size=12), st.integers(0, 60))
def test_a_hit_is_marked_wherever_it_stands(before, times):
    text = f"{before * times} Needle {before * times}"
    marked = re.search("<mark>(.*?)</mark>", excerpt_html(text, parse_search("needle").needles))
    assert marked is not None
    assert marked[1].strip("\ufe0f\u0301\u200d") == "Needle"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400), st.text(max_size=20))
def test_an_excerpt_is_escaped(text, query):
    shown = excerpt_html(text, parse_search(query).needles)
    bare = re.sub(r"</?mark>", "", shown)
    assert "<" not in bare
    assert ">" not in bare
    assert re.sub(r"&(amp|lt|gt|quot|#x27);", "", bare).count("&") == 0
    assert shown.count("<mark>") == shown.count("</mark>")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab.#数é👍 ", min_size=1, max_size=8), min_size=1, max_size=5),
    st.text("ab.#数é👍 ", max_size=4),
    st.sampled_from(["ab", "aa", "ba", "b.a", "数b"]),
)
@example([". ab", "x.ab", "#.ab", "a.b #ab"], "....", "ab")
@example(["数# b", "b👍 ab", "ab👍"], "#👍", "数b")
@example(["c.ab ab", "c ab", "ca.b"], ".c", "ab")
def test_the_index_and_the_texts_themselves_say_the_same(texts, typed, end):
    """Whether something is common must not change what is found."""
    terms = parse_search(typed + end)
    left, common = terms.without(terms.beginnings)
    with closing(filled(dict(enumerate(texts)))) as conn:
        in_texts = {
            number
            for number in (matched(conn, left) if left.expression else range(len(texts)))
            if all(needle.is_in(folded(texts[number])) for needle in common)
        }
        assert in_texts == matched(conn, terms)
