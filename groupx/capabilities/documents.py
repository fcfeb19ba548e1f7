"""Reports as JSON, both ways."""

import json
from typing import Any, cast

import attrs
import cattrs
import orjson
from cattrs.gen import make_dict_structure_fn, override

from groupx.capabilities.evidence import Evidence, EvidenceRefused, Subject
from groupx.capabilities.labels import Label, Status
from groupx.capabilities.report import CaseReport, RunReport, check
from groupx.domain.wire import camel, to_wire

MAX_BYTES = 4 * 1024 * 1024


def write_report(report: RunReport) -> bytes:
    """The report as indented JSON. Raises EvidenceRefused when it claims too much."""
    check(report)
    return orjson.dumps(to_wire(report), option=orjson.OPT_INDENT_2) + b"\n"


def read_report(data: bytes) -> RunReport:
    """The report in `data`. Raises EvidenceRefused: it is no report, or it claims too much."""
    if len(data) > MAX_BYTES:
        raise EvidenceRefused(f"It is larger than {MAX_BYTES} bytes: no report of a run.")
    try:
        report = _CONVERTER.structure(json.loads(data, object_pairs_hook=_each_key_once), RunReport)
    except (ValueError, AttributeError, RecursionError, cattrs.BaseValidationError) as error:
        raise EvidenceRefused(
            "It is no report of `groupx conformance run --json`. Make one, then try again."
        ) from error
    check(report)
    return report


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    for kind in (str, int, bool):
        converter.register_structure_hook(kind, _only(kind))
    for names in (Label, Status):
        converter.register_structure_hook(names, _one_of(names))
    for cls in (Subject, Evidence, CaseReport, RunReport):
        fields = attrs.fields(cast("type[attrs.AttrsInstance]", cls))
        renames = {field.name: override(rename=camel(field.name)) for field in fields}
        hook = make_dict_structure_fn(cls, converter, **renames)  # pyright: ignore[reportArgumentType]
        converter.register_structure_hook(cls, hook)
    return converter


def _only(kind: type) -> Any:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"not {kind.__name__}")
        return value

    return structure


def _one_of(names: type[Label] | type[Status]) -> Any:
    def structure(value: Any, _: Any) -> Any:
        return names(value)

    return structure


_CONVERTER = _make_converter()
