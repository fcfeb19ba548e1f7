"""The context packet: what an agent is told for one turn. Pure: same input, same text."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from groupx.domain.compaction import MAX_TAIL_SHARE, checkpoint_bound
from groupx.domain.config import AgentConfig
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import SOFT_CONTEXT_SHARE, Limits
from groupx.domain.packet_cuts import ever_shorter, with_chain_named
from groupx.domain.packet_entries import Section, unforgeable
from groupx.domain.packet_inputs import PacketInputs
from groupx.domain.packet_mandatory import mandatory_sections
from groupx.domain.packet_memories import Chosen, Kept, Sort, choose
from groupx.domain.packet_relevant import RELEVANT, choose_relevant
from groupx.domain.packet_said import as_said, everything_said
from groupx.domain.packet_unread import DELTA, covered_to, unread_needed, unread_section

_ANY_MARK = "0" * 16
"""As long as a mark is, where only sizes count."""
SECTIONS = (
    "groupx_protocol",
    "configured_agent_identity",
    "self_identity",
    "agent_core_memory",
    "agent_dated_memory",
    "pinned_group_memory",
    RELEVANT,
    "room_checkpoint_summary",
    DELTA,
    "observed_identity",
    "reply_chain",
    "supervision_watch",
    "current_message",
)
"""In the order of the packet; one without entries is left out."""


@attrs.frozen(kw_only=True)
class Packet:
    """The text for one turn, and what the claim must check it against."""

    text: str
    context_through_seq: int
    summary_through_seq: int | None = None
    reset_through_seq: int = 0
    record: Mapping[str, Any]
    """`{characters, sections[{name, characters, entries}], omitted[{section, count}],
    relevant?{ids[], candidates, failed?}}`."""


def build_packet(
    inputs: PacketInputs, *, agent: AgentConfig, limits: Limits, boundary: str
) -> Packet:
    """The packet of one turn, within `limits.context_characters`.

    `boundary` is random per packet; it is changed, the same way for the same input, if any
    content holds it. CONTEXT_BUDGET_EXCEEDED when what may not be left out is over the hard limit:
    the mandatory parts, and with them unread transcript that no summary covers, even when of each
    long entry only its beginning is shown.
    """
    mark = _unforgeable(boundary, inputs, agent)
    hard = limits.context_characters
    size = 0
    for shorter in ever_shorter(inputs):
        mandatory = mandatory_sections(shorter, agent, mark)
        size = sum(len(it.text) for it in mandatory)
        packet = _build(shorter, mandatory, size, hard, mark) if size <= hard else None
        if packet is not None:
            return packet
    raise _must_be_said_over_budget(size, hard) if size > hard else _unread_over_budget(hard)


def tail_beside_checkpoint(
    inputs: PacketInputs, *, agent: AgentConfig, limits: Limits
) -> int | None:
    """None while all that is unread stays under the soft limit; else how many characters of the
    newest messages may stay word for word when a checkpoint takes the place of those before."""
    hard = limits.context_characters
    soft = int(hard * SOFT_CONTEXT_SHARE)
    mandatory = sum(len(it.text) for it in mandatory_sections(inputs, agent, _ANY_MARK))
    if mandatory > hard:
        brief = mandatory_sections(with_chain_named(inputs), agent, _ANY_MARK)
        mandatory = sum(len(it.text) for it in brief)
    unread = unread_needed(inputs, _ANY_MARK)
    beyond_reading = inputs.complete_after_seq > max(inputs.lower_seq, covered_to(inputs))
    if not beyond_reading and (mandatory + unread <= soft or not unread):
        return None
    answered = sum(len(as_said(it, inputs).render(_ANY_MARK)) for it in inputs.later_answers)
    left = soft - mandatory - answered - checkpoint_bound(hard)
    return max(0, min(int(hard * MAX_TAIL_SHARE), left))


def _build(
    inputs: PacketInputs, mandatory: Sequence[Section], size: int, hard: int, mark: str
) -> Packet | None:
    """None when the unread transcript does not fit beside the `size` of what is mandatory."""
    optional = _optional(inputs, mark, size, hard)
    if optional is None:
        return None
    by_name = {it.name: it for it in (*mandatory, *(it.section for it in optional.sections))}
    sections = [by_name[name] for name in SECTIONS if by_name[name].entries]
    text = "".join(it.text for it in sections)
    return Packet(
        text=text,
        context_through_seq=inputs.context_through_seq,
        summary_through_seq=None if inputs.summary is None else inputs.summary.through_seq,
        reset_through_seq=inputs.reset_through_seq,
        record={
            "characters": len(text),
            "sections": [
                {"name": s.name, "characters": len(s.text), "entries": s.entries} for s in sections
            ],
            "omitted": [
                {"section": it.section.name, "count": it.omitted}
                for it in optional.sections
                if it.omitted
            ],
            **({} if optional.relevant is None else {"relevant": optional.relevant}),
        },
    )


@attrs.frozen
class _Optional:
    sections: list[Chosen]
    relevant: Mapping[str, Any] | None
    """What is recorded of the section of this name."""


def _optional(inputs: PacketInputs, mark: str, size: int, hard: int) -> _Optional | None:
    """What fits beside `size` characters, the more important first: unread transcript that must be
    there, then memories, then transcript that the checkpoint tells in short anyway. Only the first
    goes over the soft limit."""
    target, kept = inputs.target_actor_id, inputs.memories
    soft = int(hard * SOFT_CONTEXT_SHARE)

    def of(name: str, records: Sequence[Kept], sort: Sort | None, taken: int) -> Chosen:
        older = 0 if sort is None else kept.older.get(sort, 0)
        return choose(name, records, older, target=target, mark=mark, characters=soft - taken)

    needed = unread_needed(inputs, mark)
    size += needed
    core = of("agent_core_memory", kept.core, "core", size)
    size += len(core.section.text)
    dated = of("agent_dated_memory", kept.dated, "dated", size)
    size += len(dated.section.text)
    pinned = of("pinned_group_memory", kept.room, "room", size)
    size += len(pinned.section.text)
    told = {it.record_id for it in (*core.kept, *dated.kept, *pinned.kept, *kept.identity)}
    relevant, record = choose_relevant(
        inputs.relevant, told, target=target, mark=mark, characters=soft - size
    )
    size += len(relevant.section.text)
    is_said = of("self_identity", kept.is_said_to_be(target), None, size)
    size += len(is_said.section.text)
    observed = of("observed_identity", kept.said_of_it(target), "identity", size)
    size += len(observed.section.text)
    delta = unread_section(inputs, mark, size - needed, hard)
    if delta is None:
        return None
    return _Optional([core, dated, pinned, relevant, is_said, observed, delta], record)


def _unforgeable(boundary: str, inputs: PacketInputs, agent: AgentConfig) -> str:
    """A mark that no content of this packet holds."""
    texts = [agent.name, agent.identity, inputs.source.content]
    texts += [entry.content for entry in everything_said(inputs)]
    if inputs.summary is not None:
        texts.append(inputs.summary.content)
    texts += inputs.memories.contents()
    texts += [it.content for it in inputs.relevant.kept]
    return unforgeable(boundary, texts)


# --- refusals ---------------------------------------------------------------------------------


def _must_be_said_over_budget(size: int, hard: int) -> GroupXError:
    return _over_budget(
        f"What must be said in this turn is {size} characters, over the limit of {hard}",
        "Send a shorter message, reply to a shorter one, or raise limits.contextCharacters and "
        "restart GroupX.",
    )


def _unread_over_budget(hard: int) -> GroupXError:
    return _over_budget(
        "What this agent has not read yet does not fit into one packet of "
        f"{hard} characters, and no checkpoint covers it",
        "Raise limits.contextCharacters and restart GroupX, then retry; or begin anew: with "
        "`groupx context reset`, or with another room by `groupx session new`.",
        unread=True,
    )


def _over_budget(what: str, remedy: str, **details: Any) -> GroupXError:
    return GroupXError(
        ErrorCode.CONTEXT_BUDGET_EXCEEDED,
        f"{what}; nothing was sent to the agent. {remedy}",
        **details,
    )
