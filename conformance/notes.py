"""Why some cells of the matrix are not what one would wish for: what was found out by hand."""

from collections.abc import Iterable

from groupx.capabilities.labels import Status
from groupx.capabilities.report import CaseReport, RunReport

NOTES: dict[str, dict[tuple[str, ...], str]] = {
    "grok": {
        ("mode", "mode-again"): "Grok has no modes to set: `--always-approve` in its arguments is "
        "what opens it, in every new process. That it asks for no leave is verified by the case "
        "of a tool.",
    },
    "Kimi Code CLI": {
        ("mode",): "Kimi Code answers a new mode with an empty object, and tells of it in a "
        "notification that GroupX does not read. That it asks for no leave, in a new session and "
        "in a resumed one, is verified by the cases of a tool.",
    },
    "hermes-agent": {
        ("mode",): "Hermes answers a new mode with an empty object and says no more of it. That "
        "it asks for no leave, in a new session and in a resumed one, is verified by the cases of "
        "a tool.",
    },
    "gemini-cli": {
        ("mode",): "Gemini CLI answers a new mode with an empty object, and tells of it only in "
        "words. That it asks for no leave in a new session is verified by the case of a tool.",
        (
            "resume",
            "mode-again",
        ): "Gemini CLI loses a session that is loaded in the clock minute in "
        "which it was opened: it begins the session's file, whose name has that minute, anew. The "
        "cases are that quick. A session of an earlier minute was resumed, with its mode set "
        "again, in 5 of 5 tries by hand; one of the same minute in 0 of 5. When it was lost, "
        "GroupX says `rebuilt`, and tells a new session what the room said.",
    },
}
"""Program, as it calls itself → cases → the note."""


def notes_on(reports: Iterable[RunReport]) -> tuple[str, list[str]]:
    """The notes on these reports as Markdown, and every open cell that has none."""
    lines = ["", "## Notes", ""]
    unexplained: list[str] = []
    for report in reports:
        program = report.subject.program
        left = {case.case for case in report.cases if _is_open(case)}
        for cases, note in NOTES.get(program, {}).items():
            if left.intersection(cases):
                lines.append(f"* **{program}**: {note}")
            left.difference_update(cases)
        unexplained += [f"{program}: {case}" for case in sorted(left)]
    return "\n".join([*lines, ""]) if len(lines) > 3 else "", unexplained


def _is_open(case: CaseReport) -> bool:
    return case.status is not Status.PASSED
