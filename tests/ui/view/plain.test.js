// Excerpts are read as text: marks of Markdown go, what is meant stays.

import assert from "node:assert/strict";
import { test } from "node:test";

import { firstLine, plain } from "../../../groupx/web/static/js/view/plain.js";

test("marks go", () => {
  assert.equal(plain("# Day\n* did **two** things with `make`\n> so"), "Day\ndid two things with make\nso");
  assert.equal(plain("a *tool*, a *very long* answer"), "a tool, a very long answer");
  assert.equal(plain("**"), "");
  assert.equal(plain("say **"), "say ");
  assert.equal(plain("** then"), " then");
});

test("what only looks like one stays", () => {
  for (const text of ["2**3", "a * b", "a * b * c", "*.py and *.js", "f(*args, **kwargs)", "#tag", "a - b", "snake_case __init__"]) {
    assert.equal(plain(text), text);
  }
});

test("the first line that says something", () => {
  assert.equal(firstLine("```python\nprint(1)\n```", 80), "print(1)");
  assert.equal(firstLine("\n\n## Day of work", 6), "Day of");
  assert.equal(firstLine("", 6), "");
});
