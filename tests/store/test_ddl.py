"""Spelling goes, meaning stays."""

import pytest

from groupx.store import ddl


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CHECK (a IN ('x','y'))", "check(\"A\"  in ('x', 'y'))"),
        ("CREATE TABLE IF NOT EXISTS [t] (a)", "create table `t`(\n a )"),
        ("a <> 1 /* why */ AND b = 2", "a!=1 and b==2 -- because"),
        ('"it""s"', '`it"s`'),
    ],
)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert ddl.normalise(one) == ddl.normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = 'x'", "a = 'X'"),
        ("a = 'x y'", "a = 'x  y'"),
        ("a = 'x'", 'a = "x"'),
        ("a >= 0", "a > 0"),
        ("'a -- b'", "'a'"),
    ],
)
def test_meaning_makes_one(one: str, other: str) -> None:
    assert ddl.normalise(one) != ddl.normalise(other)


def test_every_check_is_found_and_none_inside_a_literal() -> None:
    sql = "CREATE TABLE t (a CHECK (a IN (1, (2))), b DEFAULT 'check (no)', CHECK(a<b))"
    assert ddl.checks(sql) == ["a in ( 1 , ( 2 ) )", "a < b"]


def test_options_that_introspection_does_not_show() -> None:
    sql = "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b COLLATE NOCASE) WITHOUT ROWID"
    assert ddl.table_options(sql) == ["autoincrement", "collate nocase", "without rowid"]


def test_an_index_has_columns_and_perhaps_a_where() -> None:
    assert ddl.index_parts("CREATE INDEX i ON t(a, b DESC)") == ("a , b desc", "")
    partial = "CREATE UNIQUE INDEX i ON t(lower(a)) WHERE a IS NULL"
    assert ddl.index_parts(partial) == ("lower ( a )", "a is null")
