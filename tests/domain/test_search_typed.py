"""What people type, the text that they mean, and texts that have something in common with it.

The hits come newest first, so the one that is meant comes first only where the others are no hits.
"""

import hashlib
import sqlite3
import unicodedata

import pytest

from groupx.domain.search_excerpt import excerpt_html
from groupx.domain.search_query import parse_search
from groupx.domain.search_text import VERSION, index_tokens

SHA = "075caa8f1e2d3c4b5a69788796a5b4c3d2e1f009"
TRACE = """Traceback (most recent call last):
  File "/home/x/app/store/ddl.py", line 42, in tokens
    raise ValueError("no such table: search_docs")
ValueError: no such table: search_docs"""
BROKEN = "TypeError: Cannot read properties of undefined (reading 'x')"

ADDRESSES = [
    ("https://example.org/a/b", "see https://example.org/a/b?x=1#frag, ok", "example org"),
    ("https://example.org/docs/", "read https://example.org/docs today", "example docs"),
    ("https://example.org/docs", "read https://example.org/docs/, today", "docs"),
    ("example.org", "(https://example.org)", "example, an org"),
    ("/api/search?q=", "GET /api/search?q=abc fails", "api"),
    ("/api/search", "GET /api/search?q=abc fails", "the api search"),
    ("127.0.0.1:8080", "on http://127.0.0.1:8080/x", "127.0.0.2"),
    (":8080", "on http://127.0.0.1:8080/x", "8080"),
    ("ada.l@example.org", "mail Ada <ada.l@example.org>, please", "ada example"),
    ("@example.org", "mail ada.l@example.org, please", "example.org"),
    ("ada.l@", "mail ada.l@example.org, please", "ada l"),
    ("@kimi", "ask @kimi: please", "kimi said"),
]
PATHS = [
    ("groupx/store/ddl.py", "look at groupx/store/ddl.py:12", "groupx store"),
    ("store/ddl.py", "look at ./groupx/store/ddl.py", "ddl store"),
    ("ddl.py", "look at groupx/store/ddl.py", "ddl in py thon"),
    (".py", "look at groupx/store/ddl.py", "py"),
    ("/etc", "cat /etc/passwd", "etc"),
    ("/etc/pass", "cat /etc/passwd", "etc pass"),
    ("~/src", "cd ~/src/groupx", "src"),
    ("./dev test", "run ./dev test now", "dev"),
    (".env", "put it in .env.local", "env"),
    (".gitig", "in the .gitignore", "gitignore"),
    ("C:\\Users\\x", "in C:\\Users\\x\\a.txt", "users"),
    ("$HOME", "echo $HOME/bin", "home"),
]
CODE = [
    ("foo_bar", "call foo_bar() here", "foo and bar"),
    ("foo_b", "call foo_bar() here", "foo and bar"),
    ("README.m", "in README.md", "readme too"),
    ("foo_ba", "call foo_bar() here", "foo and bar"),
    ("foo_", "call foo_bar() here", "foo bar"),
    ("__init__", "see pkg/__init__.py", "init"),
    ("_conn", "self._conn.execute", "conn"),
    ("fooBar", "call fooBar() here", "foo bar"),
    ("foobar", "call fooBar() here", "foo bar"),
    ("C#", "use C# here", "use C here, a #c tag"),
    ("C++", "in C/C++ code", "in C code"),
    ("c++", "c++17 or c++", "c or d+"),
    (".NET", "on ASP.NET core", "on the net"),
    ("v1.2.3", "released v1.2.3!", "v1 2"),
    ("v1.2", "released v1.2.3!", "v1 3.2"),
    ("#123", "fixes #123.", "line 123"),
    ("#123", "org/repo#123: see", "line 123"),
    ("#12", "fixes #123.", "line 123"),
    ("--json", "groupx search x --json=1", "as json, -json"),
    ("-not", "find . -not -name x", "not this"),
    ("a->b", "p = a->b;", "a c"),
    ("std::vector", "a std::vector<int>", "vector std"),
    ("arr[0]", "let arr[0] = 1", "arr 1"),
    ("<div>", "a <div> here", "di"),
    ("key=value", "set key=value", "key"),
    ("&&", "a && b", "a b"),
    ("SELECT * FROM t", "SELECT * FROM t;", "select from"),
    ("100%", "100% of it", "100 of it"),
    ("^1.2", "needs ^1.2.3", "1.2"),
    (".*foo.*", "grep '.*foo.*' x", "foo"),
    ("**bold**", "a **bold** word", "bold"),
    ("[docs](https://example.org)", "see [docs](https://example.org/x)", "docs"),
    ("1,000", "costs 1,000", "1000"),
    ("+49", "call +49 30 1234", "49"),
    ("€100", "costs €100", "100"),
    (SHA[:7], f"in {SHA} it", "075 caa8"),
    (f"{SHA[:7]} broke", f"{SHA} broke it", "broke"),
    ('File "/home/x/app/store/ddl.py", line 42', TRACE, "line 42"),
    ("ValueError: no such table: search_docs", TRACE, "no table"),
    (TRACE, TRACE, "Traceback"),
    (BROKEN, BROKEN, "TypeError"),
]
PROSE = [
    ('"exact phrase"', "an exact phrase.", "exact a phrase, exactly phrase, exact phrases"),
    ("“exact phrase”", "an exact phrase.", "phrase exact"),
    ('"索引 重建"', "把索引 重建", "重建索引"),
    ('"foo bar', "a foo bar", "foo"),
    ("it's", "it’s fine", "its"),
    ("it’s", "it's fine", "its"),
    ("‘quoted’", "a quoted word", "quote"),
    ("why ?", "why not", "because"),
    ("foo — bar", "foo bar", "foo"),
    ("2026-12-01", "at 2026-12-01T10:00:00Z we", "on 2026-01-12"),
    ("12/01/2026", "on 12/01/2026", "01/12/2026"),
    ("10:30", "at 10:30 sharp", "at 30:10"),
    ("compile", "we com\u00adpile", "com pile"),
    ("com\u00adpile", "we compile", "com pile"),
    ("x²", "x2 is", "x"),
    ("👩‍💻", "hi 👩‍💻!", "hi 👩 there"),
    ("👍🏽", "ok 👍🏽", "ok"),
    ("❤", "love ❤️ it", "love"),
    ("❤️", "love ❤ it", "love"),
    ("🇩🇪", "in 🇩🇪", "in 🇩"),
    ("1️⃣", "step 1️⃣ go", "step 2"),
]
SCRIPTS = [
    ("full", "ＦＵＬＬ", "half"),
    ("ＦＵＬＬ", "full width", "half"),
    ("#123", "＃１２３", "123"),
    ("你好！", "你好 世界", "好你"),
    ("索引。", "重建索引", "引索"),
    ("「索引」", "全文検索の索引を", "索"),
    ("50%的", "有50%的人", "50 的"),
    ("#标签", "a hashtag #标签 here", "hashtag"),
    ("2026年12月1日", "会议在2026年12月1日召开", "会议在2026年1月12日召开"),
    ("第3章", "见第3章节", "第章 3"),
    ("GroupX数据库", "用 GroupX 数据库", "数据库 GroupX"),
    ("葛󠄀城", "葛城市", "城"),
    ("ガイド", "ｶﾞｲﾄﾞ", "カイト"),
    ("ｶﾞｲﾄﾞ", "新しいガイドを読む", "カイト"),
    ("ひらがな", "これはひらがなです", "カタカナ"),
    ("スミス", "ジョン・スミスさん", "ジョン"),
    ("검색", "검색을 한다", "검사"),
    ("검색을 한다", "빠른 검색을 한다", "한다"),
    ("مرحبا", "قال: مرحبا بالعالم", "عالم"),
    ("مُحَمَّد", "هذا محمد هنا", "هذا"),
    ("محمد", "هذا مُحَمَّد هنا", "هذا"),
    ("احمد", "قال أحمد هذا", "هذا"),
    ("שלום", "אמר \u200fשָׁלוֹם\u200f לך", "לך"),
    ("\u200fשלום", "אמר שלום", "לך"),
    ("กินข้าว", "ผมชอบกินข้าวมาก", "ผมชอบข้าวกิน"),
    ("ข้าว", "ผมชอบกินข้าวมาก", "ผมชอบขาว"),
    ("हिन्दी", "यह हिन्दी। है", "यह हन्द है"),
    ("हिन्", "यह हिन्दी है", "यह"),
    ("தமிழ்", "இது தமிழ், மொழி", "மொழி"),
    ("cafe", "un café noir", "caf"),
    ("café", "un cafe\u0301 noir", "caf"),
    ("x̂", "the estimate x̂ is", "y"),
    ("istanbul", "in İstanbul", "stan"),
    ("Viet", "Việt Nam", "vi et"),
    ("duong", "đường phố", "du ong"),
    ("lodz", "Łódź", "odz"),
    ("ısı", "the isi", "si"),
    ("یک", "يك کتاب", "کتاب"),
    ("ёлка", "новая елка", "ель"),
    ("мой", "это мой дом", "это мои дома"),
    ("straße", "STRASSE 5", "stra"),
]
TYPED = [*ADDRESSES, *PATHS, *CODE, *PROSE, *SCRIPTS]


@pytest.fixture(scope="module")
def index():
    conn = sqlite3.connect(":memory:")
    conn.execute("CREATE VIRTUAL TABLE f USING fts5(content, content='')")
    yield conn
    conn.close()


@pytest.mark.parametrize(("typed", "meant", "other"), TYPED)
def test_the_text_that_is_meant_is_found_and_no_other(index, typed, meant, other):
    index.execute("INSERT INTO f (f) VALUES ('delete-all')")
    for number, text in enumerate((meant, other)):
        index.execute("INSERT INTO f (rowid, content) VALUES (?, ?)", (number, index_tokens(text)))
    terms = parse_search(typed)
    found = index.execute("SELECT rowid FROM f WHERE f MATCH ?", (terms.expression,)).fetchall()
    assert found == [(0,)]
    assert "<mark>" in excerpt_html(meant, terms.needles)


def test_each_token_is_one_of_the_index_itself(index):
    """Else what must be neighbours would not be, and a sign would be found without its word."""
    index.execute("INSERT INTO f (f) VALUES ('delete-all')")
    tokens = set(index_tokens(" ".join(meant for _, meant, _ in TYPED)).split())
    index.execute("INSERT INTO f (rowid, content) VALUES (1, ?)", (" ".join(sorted(tokens)),))
    index.execute("CREATE VIRTUAL TABLE v USING fts5vocab('f', 'row')")
    assert {row[0] for row in index.execute("SELECT term FROM v")} == tokens


NEVER_CHANGED = [
    "Use .NET and c# for foo_bar; see a-b, ./dev --json 🙂! https://example.org/a/b?x=1#frag",
    "只修改数据库的索引，然后重启。第3章 ＦＵＬＬ ｶﾞｲﾄﾞ 검색을 한다 ไทย",
    "un café, İstanbul, Łódź, đường; مُحَمَّد يک שָׁלוֹם हिन्दी। ёлка й 👩‍💻 ❤️",
    *("".join(map(chr, range(first, 0x2FA20, 97))) for first in range(32, 64)),
]
CUT_AS = {3: "b1211fffcd1cc102"}
"""The tokens of these texts, for each version of the rules."""


def test_other_tokens_are_another_version():
    """Raise `VERSION` when this fails, and add a line to CUT_AS: old indexes are then made anew."""
    if unicodedata.unidata_version != "14.0.0":
        pytest.skip("written down with the Unicode of Python 3.11")
    texts = [text.encode("utf-8", "ignore").decode() for text in NEVER_CHANGED]
    tokens = "\n".join(map(index_tokens, texts))
    assert hashlib.sha256(tokens.encode()).hexdigest()[:16] == CUT_AS[VERSION]
