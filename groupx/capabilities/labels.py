"""How well a capability is known, from what was read to what was seen."""

from enum import StrEnum


class Label(StrEnum):
    """What is claimed of one capability of one program."""

    DOCUMENTED = "documented"
    """Its protocol or its makers say so."""
    ADVERTISED = "advertised"
    """The program itself said so when it was greeted."""
    PROBED = "probed"
    """It was used, without a model's turn."""
    VERIFIED = "verified"
    """It was used in a model's turn, from end to end."""
    NOT_OBSERVED = "not_observed"
    """It was looked for, or nobody claims it."""
    UNSUPPORTED = "unsupported"
    """The program says that it has it not, or refused it."""


class Status(StrEnum):
    """How one case of a run went."""

    PASSED = "passed"
    FAILED = "failed"
    """The program broke what GroupX relies on."""
    NOT_OBSERVED = "not_observed"
    """The program did nothing wrong, and did not show it."""
    UNSUPPORTED = "unsupported"
    SKIPPED = "skipped"
    """It was not run."""


PROVEN = frozenset({Label.PROBED, Label.VERIFIED})
"""What only evidence of the same run may claim."""


def label_of(status: Status, *, needs_model: bool, claimed: Label) -> Label:
    """What a case's outcome proves; `claimed` is what is known without running it."""
    match status:
        case Status.PASSED:
            return Label.VERIFIED if needs_model else Label.PROBED
        case Status.FAILED | Status.NOT_OBSERVED:
            return Label.NOT_OBSERVED
        case Status.UNSUPPORTED:
            return Label.UNSUPPORTED
        case Status.SKIPPED:
            return claimed
