// What the daemon would have answered in the middle of a recording.

const STATUS = { "turn.queued": "queued", "turn.dispatched": "dispatching", "turn.started": "running" };

const sent = (recorded, until) => recorded.stream.slice(0, until);

/** Throughout the recording, up to its event number `until`. */
function openTurns(recorded, until) {
  const turns = new Map();
  for (const { type, body, occurredAt, seq } of sent(recorded, until)) {
    const turn = turns.get(body.turnId);
    if (type === "turn.queued") {
      turns.set(body.turnId, { turnId: body.turnId, status: "queued", sourceEventId: body.sourceEventId,
        targetActorId: body.targetActorId, queuedAt: occurredAt });
    } else if (type === "agent.changed") {
      const active = turns.get(body.agent.lane.activeTurnId);
      if (body.agent.state === "cancelling" && active) active.status = "cancelling";
    } else if (!turn) {
      continue;
    } else if (type in STATUS) {
      if (turn.status !== "cancelling") turn.status = STATUS[type];
      if (type === "turn.started") turn.startedAt = occurredAt;
    } else if (type === "turn.content.delta") {
      live(turn).text += body.text;
      turn.live.chunkIndex = body.chunkIndex + 1;
    } else if (type === "turn.reasoning.delta") {
      live(turn).reasoningCharacters += body.text.length;
    } else if (type === "tool.progress") {
      live(turn).tools.push(body);
    } else if (seq !== null && /^turn\.(completed|failed|cancelled|interrupted)$/.test(type)) {
      turns.delete(body.turnId);
    }
  }
  return [...turns.values()];
}

function live(turn) {
  return (turn.live ??= { text: "", chunkIndex: 0, reasoningCharacters: 0, tools: [] });
}

function agents(recorded, until) {
  const now = new Map(recorded.first.agents.map((agent) => [agent.actorId, agent]));
  for (const { type, body } of sent(recorded, until)) {
    if (type === "agent.changed") now.set(body.agent.actorId, body.agent);
  }
  return [...now.values()];
}

function throughSeq(recorded, until) {
  return sent(recorded, until).findLast((event) => event.seq !== null)?.seq ?? recorded.first.throughSeq;
}

export function bootstrapAt(recorded, until) {
  const durable = sent(recorded, until).filter((event) => event.seq !== null);
  return { ...recorded.first, events: [...recorded.first.events, ...durable], ...liveAt(recorded, until) };
}

/** The answer to a subscription. */
export function liveAt(recorded, until) {
  return { throughSeq: throughSeq(recorded, until), activeTurns: openTurns(recorded, until),
    agents: agents(recorded, until) };
}

/** What a subscription at `until` sends to one who has seen all up to `seq`. */
export function streamAfter(recorded, seq, until) {
  return recorded.stream.filter((event, index) => index >= until || (event.seq !== null && event.seq > seq));
}
