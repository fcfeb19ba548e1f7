"""Lines and files that no import may take, and what its refusal says."""

import json

from groupx.store.exchange.lines import MAX_LINE_BYTES


def first(lines, line):
    return next(
        at for at, raw in enumerate(lines) if raw.startswith(b'{"line":"%b"' % line.encode())
    )


def change(line, /, **fields):
    """Set fields of the first line of a kind (None removes); `a__b` is inside `a`."""

    def on(lines):
        at = first(lines, line)
        parsed = json.loads(lines[at])
        for name, value in fields.items():
            group, _, key = name.rpartition("__")
            holder = parsed[group] if group else parsed
            if value is None:
                holder.pop(key, None)
            else:
                holder[key] = value
        text = json.dumps(parsed, separators=(",", ":"), ensure_ascii=False)
        lines[at] = text.encode("utf-8", "surrogatepass") + b"\n"
        return at + 1

    return on


def replace(line, /, old, new):
    """In the raw bytes of the first line of a kind."""

    def on(lines):
        at = first(lines, line)
        assert old in lines[at]
        lines[at] = lines[at].replace(old, new, 1)
        return at + 1

    return on


DEEP = b'{"a":' * 300 + b"1" + b"}" * 300
DEEPER = b"[" * 100_000 + b"]" * 100_000

HOSTILE = {
    "another schema": (change("header", schema="groupx.export/2"), "header"),
    "a newer format": (change("header", format=11), "another GroupX: found format 11"),
    "an id that is none": (change("header", databaseId=""), "'databaseId' must be 'database_'"),
    "a header with more": (change("header", extra=1), "not written as an export"),
    "a claim of 2 GiB of events": (change("header", asOfSeq=2**31), "events are missing"),
    "a seq beyond numbers": (change("header", asOfSeq=2**63), "'asOfSeq' must be a whole number"),
    "a room that is not there": (change("header", activeRoom="room:x"), "activeRoom"),
    "a wrong type": (change("event", seq="1"), "'seq' must be a whole number.*found \"1\""),
    "a seq that is true": (change("event", seq=True), "'seq' must be"),
    "a seq that is no whole number": (change("event", seq=1.5), "'seq' must be"),
    "a negative seq": (change("event", seq=-1), "'seq' must be"),
    "a seq above the header's": (change("event", seq=10**6), "at most"),
    "a forbidden event": (change("event", type="approval.requested"), "'type' must be a type"),
    "a transient event": (change("event", type="turn.content.delta"), "'type' must be a type"),
    "an unknown event": (change("event", type="x"), "'type' must be a type"),
    "an unknown room": (change("event", roomId="room:x"), 'no room "room:x"'),
    "an unknown actor": (change("event", actor__actorId="agent:x"), "refers to something"),
    "an unknown instance": (change("event", actor__instanceId="i"), "refers to something"),
    "an unknown message": (
        replace("event", b'"correlationId"', b'"replyToEventId":"evt_x","correlationId"'),
        "refers to something",
    ),
    "another event schema": (change("event", schema="x"), "'schema' must be one of groupx.event"),
    "an id of another form": (change("header", databaseId="database_1"), "'databaseId' must be"),
    "a turn that is no id": (change("event", body__turnId=[1]), "'body.turnId' must be an id"),
    "a turn that is not there": (
        change("event", body__turnId="turn_x"),
        "'body.turnId' refers to \"turn_x\", which is not in this file",
    ),
    "a retry of nothing": (change("event", body__retryOfTurnId="turn_x"), "retryOfTurnId' refers"),
    "a source that is no id": (
        change("event", provenance__sourceEventId=7),
        "'provenance.sourceEventId' must be an id",
    ),
    "a source that is not there": (
        change("event", provenance__sourceEventId="evt_x"),
        "'provenance.sourceEventId' refers to",
    ),
    "no actor object": (change("event", actor="agent:a"), "'actor' must be an object"),
    "an actor with more": (change("event", actor__from="x"), 'no field "actor.from"'),
    "a sender's field": (change("event", bindingId="b"), 'no field "bindingId"'),
    "a body that is no object": (change("event", body=[]), "'body' must be an object"),
    "a private body": (change("event", body__nativeTurnId="n"), "something private"),
    "a provenance with more": (change("event", provenance__pid="n"), "something private"),
    "a missing field": (change("event", correlationId=None), "'correlationId' is missing"),
    "a null": (replace("event", b'"body":{', b'"replyToEventId":null,"body":{'), "not written as"),
    "an id with a NUL": (change("event", eventId="a\0b"), "without control characters"),
    "an id that is too long": (change("event", eventId="x" * 1001), "1 to 1000 characters"),
    "a time that is none": (change("event", occurredAt="yesterday"), "'occurredAt' must be a time"),
    "targets that are none": (change("event", to=["agent:a", 7]), "'to' must be a list"),
    "a field twice": (replace("event", b'{"line"', b'{"seq":1,"line"'), "not written as|kind"),
    "a field twice at its end": (replace("event", b'"body"', b'"seq":1,"body"'), "not written as"),
    "spaces": (replace("event", b'","seq"', b'", "seq"'), "not written as"),
    "an escaped letter": (replace("event", b'"message', b'"\\u006dessage'), "not written as"),
    "half a surrogate, escaped": (
        replace("event", b'"content":"', b'"content":"\\ud800'),
        "not JSON",
    ),
    "half a surrogate, raw": (change("event", body__content="\ud800"), "not JSON in UTF-8"),
    "not UTF-8": (replace("event", b'"content":"', b'"content":"\xff'), "not JSON in UTF-8"),
    "a raw NUL": (replace("event", b'"content":"', b'"content":"\0'), "not JSON"),
    "not a number": (replace("event", b'"body":{', b'"body":{"x":NaN,'), "not JSON"),
    "an endless number": (replace("event", b'"body":{', b'"body":{"x":1e999,'), "not JSON|not wri"),
    "deep": (replace("event", b'"body":{', b'"body":{"x":' + DEEP + b","), "too deeply|not JSON"),
    "deeper": (replace("event", b'"body":{', b'"body":{"x":' + DEEPER + b","), "not JSON"),
    "a huge line": (
        replace("event", b'"content":"', b'"content":"' + b"x" * (MAX_LINE_BYTES + 1)),
        "longer than",
    ),
    "an ended turn without an end": (
        change("turn", terminalEventId=None),
        "needs a terminalEventId",
    ),
    "an open turn with an end": (change("turn", status="queued"), "cannot have a terminalEventId"),
    "an unknown status": (change("turn", status="done"), "'status' must be one of"),
    "an unknown event of a turn": (change("turn", queuedEventId="evt_x"), "refers to something"),
    "an unknown parent": (
        replace("turn", b'"rootCorrelationId"', b'"parentTurnId":"turn_x","rootCorrelationId"'),
        "refers to something",
    ),
    "an unknown turn": (change("attempt", turnId="turn_x"), "refers to something"),
    "a certainty that is none": (change("attempt", deliveryCertainty="sure"), "must be one of"),
    "a core memory of a room": (change("memory", scopeType="room"), "breaks a rule"),
    "a memory of a kind that is none": (change("memory", kind="gossip"), "breaks a rule"),
    "an unknown author": (change("memory", authorActorId="user:x"), "refers to something"),
    "a summary backwards": (change("summary", fromSeq=9), "breaks a rule"),
    "a revision of zero": (change("memoryPolicy", revision=0), "breaks a rule"),
    "a line of no kind": (change("room", line="secrets"), 'no line of the kind "secrets"'),
    "a kind that is no word": (change("room", line=["event"]), "no line of the kind"),
    "wrong counts": (change("end", lines={"event": 2**31}), "lines are missing"),
}


def whole(lines):
    return b"".join(lines)


USER_WEB = b'{"line":"actor","actorId":"user:web"'
SHAPES = {
    "empty": (lambda lines: b"", "Line 1 .*cut"),
    "no header": (lambda lines: whole(lines[1:]), "Line 1 .*header"),
    "not JSON": (lambda lines: b"PK\x03\x04\n" + whole(lines), "Line 1 .*not JSON"),
    "an array": (lambda lines: b"[]\n" + whole(lines), "Line 1 .*not an object but"),
    "no end": (lambda lines: whole(lines[:-1]), "cut"),
    "cut in a line": (lambda lines: whole(lines)[:-1], "the line feed at its end is missing"),
    "more after the end": (lambda lines: whole(lines) + lines[1], "has ended before"),
    "a blank line": (lambda lines: whole(lines) + b"\n", "has ended before|not JSON"),
    "two headers": (lambda lines: lines[0] + whole(lines), 'no line of the kind "header"'),
    "an event twice": (
        lambda lines: whole(lines).replace(event(lines), event(lines) * 2, 1), "must be over 1"
    ),
    "an event less": (lambda lines: whole(lines).replace(event(lines), b"", 1), "refers|missing"),
    "a room twice": (lambda lines: lines[0] + lines[1] + whole(lines[1:]), "is there twice"),
    "a section out of order": (
        lambda lines: whole(lines[:-1]) + lines[1] + lines[-1], "cannot come after"
    ),
    "nobody is the user": (
        lambda lines: whole(raw for raw in lines if not raw.startswith(USER_WEB)),
        "refers to|missing",
    ),
    "Windows line ends": (lambda lines: whole(lines).replace(b"\n", b"\r\n"), "not written as"),
    "no line ends for ever": (lambda lines: b"x" * (MAX_LINE_BYTES + 2), "Line 1 .*longer than"),
}  # fmt: skip


def event(lines):
    return lines[first(lines, "event")]
