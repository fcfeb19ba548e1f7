"""What a program does, in words of no protocol; a dialect turns them into its frames.

A step is a mapping whose first key is its word. Besides the words below there are those that every
scripted agent knows by itself (agents/acp_scripted.py): raw, stderr, close, exit, hang, spawn.
"""

from typing import Any

Step = dict[str, Any]
Steps = tuple[Step, ...]

# --- of a turn ------------------------------------------------------------------------------

BEGINS: Step = {"begins": True}
"""The program takes the prompt up, in as many frames as its protocol has for that."""
CANCEL: Step = {"await": "cancel"}
"""Go on when it has been asked to stop."""
ANSWER: Step = {"await": "answer"}
"""Go on when its question has been answered."""
HANG: Step = {"hang": True}
"""Do nothing any more, not even at the end of input."""


def says(text: str, message: str = "m1") -> Step:
    """A piece of a message, as it is streamed."""
    return {"says": text, "message": message}


def tells(text: str, message: str = "m1") -> Step:
    """A whole message, streamed or not before."""
    return {"tells": text, "message": message}


def thinks(text: str) -> Step:
    return {"thinks": text}


def opens(call: str = "call-1", name: str = "Bash") -> Step:
    """A tool call begins."""
    return {"opens": call, "name": name}


def closes(call: str = "call-1", *, failed: bool = False, text: str = "done") -> Step:
    return {"closes": call, "failed": failed, "text": text}


def uses(context: int) -> Step:
    """So many tokens fill the context window."""
    return {"uses": context}


def notifies(name: str) -> Step:
    """Something of its vendor's own."""
    return {"notifies": name}


def elsewhere(text: str) -> Step:
    """What another session, thread or subagent of the same program says."""
    return {"elsewhere": text}


def asks(kind: str, about: str = "rm -rf /") -> Step:
    """A request of the program's: permission, elicitation, or one that nobody knows (unknown)."""
    return {"asks": kind, "about": about}


def ends(how: str = "completed") -> Step:
    """completed, cancelled, cut_short, refused; strangely: in a way that nobody knows; mutely:
    without saying how."""
    return {"ends": how}


def fails(kind: str = "error", words: str = "it broke") -> Step:
    """The turn ends with an error: error, login, quota or forgotten (the session)."""
    return {"fails": kind, "words": words}


def late(how: str = "failed") -> Step:
    """An end of something that is over already."""
    return {"late": how}


def byte_by_byte(step: Step) -> Step:
    """What the step sends, one write a byte."""
    return {"bytewise": step}


def turn(*steps: Step) -> Steps:
    """A turn that is begun properly."""
    return (BEGINS, *steps)


# --- of the handshake -----------------------------------------------------------------------

ANSWERS: Step = {"answers": True}
"""The ordinary answer."""


def refuses(words: str = "I will not", kind: str = "error") -> Step:
    """An error instead of the answer: error, login or unknown (the session to be resumed)."""
    return {"refuses": words, "kind": kind}


PHASES = ("start", "greeting", "session", "mode", "resume")
"""Where steps of a handshake belong: before the first request, or in answer to one."""
