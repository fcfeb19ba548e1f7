"""What a demo agent keeps, in which layer, and what it says that it was told of it."""

import pytest

from groupx.demo_agent.casting import scene_for
from groupx.demo_agent.keeping import KEEPING
from groupx.demo_agent.packet import REMEMBERED, Told, remembered
from groupx.domain.packet import SECTIONS
from tests.domain.test_packet import build
from tests.domain.test_packet_golden import full


class Heard:
    """A turn that writes down what is done with it."""

    def __init__(self, message, packet=""):
        self.message, self.packet = message, packet
        self.used, self.said = [], ""

    def use(self, tool, **arguments):
        self.used.append((tool, arguments))
        return {}

    def say(self, text):
        self.said += text


def played(message, packet=""):
    turn = Heard(message, packet)
    scene_for(message)(turn)
    return turn


@pytest.mark.parametrize(
    ("message", "tool", "arguments"),
    [
        ("Remember that we publish on Fridays.", "memory_remember",
         {"content": "we publish on Fridays."}),
        ("please remember that", "memory_remember", {"content": "Nothing yet."}),
        ("Remember for yourself that I like tables", "core_memory_remember",
         {"content": "I like tables"}),
        ("remember for yourself: think first", "core_memory_remember", {"content": "think first"}),
        ("Remember of @Builder that it likes short functions", "identity_remember",
         {"subject": "builder", "content": "Builder: it likes short functions"}),
        ("remember of builder: is quick", "identity_remember",
         {"subject": "builder", "content": "builder: is quick"}),
    ],
)  # fmt: skip
def test_what_is_kept_and_for_whom(message, tool, arguments):
    assert played(message).used == [(tool, arguments)]


@pytest.mark.parametrize("message", ["I remember that day", "ask builder to remember that"])
def test_what_is_no_order_to_remember(message):
    assert scene_for(message) is not KEEPING[0][1]


def test_all_that_is_remembered_of_a_packet_is_told_with_its_author():
    told = remembered(build(full()).text)
    assert list(dict.fromkeys(it.section for it in told)) == list(REMEMBERED)
    assert Told("relevant_memory", "agent:codex-about-agent:grok", "Ships on time.") in told
    said = played("What do you know about Grok?", build(full()).text).said
    assert "| relevant_memory | agent:grok | Friday's release is cut by hand. |" in said
    assert said.count("\n| ") == len(told) + 1


def test_without_any_it_says_so():
    assert "nothing that is remembered" in played("what do you remember", "no packet").said


def test_the_sections_of_what_is_remembered_are_those_of_a_packet():
    assert set(REMEMBERED) <= set(SECTIONS)
