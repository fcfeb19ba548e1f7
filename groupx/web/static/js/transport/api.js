// Commands and reads. Every refusal becomes an ApiError that can be shown as it is.

import { heardDate } from "../base/clock.js";
import { fullReason } from "../base/reasons.js";
import { t } from "../words/index.js";

const TIMEOUT_MS = 20_000;

export class ApiError extends Error {
  constructor(code, message, { status = 0, details = {} } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }

  /** Whether the command may have happened although we got no answer. */
  get uncertain() {
    return this.status === 0 || this.status >= 500;
  }
}

export function newCommandId() {
  return crypto.randomUUID();
}

/** `signal` gives up: then it rejects as when nobody answered.
 * @param {string} path @param {Record<string, any>} query @param {AbortSignal} [signal] */
export function get(path, query = {}, signal) {
  const present = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const suffix = present.length ? `?${new URLSearchParams(present)}` : "";
  return request("GET", path + suffix, undefined, signal);
}

/** A request that is no command of a room: it has no id. `ms`: how long an answer is waited for. */
export function postPlain(path, body, ms = TIMEOUT_MS) {
  return request("POST", path, body, undefined, ms);
}

/** One command; the same `commandId` again is the same command. */
export function post(path, body = {}, commandId = newCommandId()) {
  return request("POST", path, { clientCommandId: commandId, ...body });
}

export function put(path, body = {}, commandId = newCommandId()) {
  return request("PUT", path, { clientCommandId: commandId, ...body });
}

async function request(method, path, body, signal, ms = TIMEOUT_MS) {
  const bound = AbortSignal.timeout(ms);
  const options = { method, signal: signal ? AbortSignal.any([signal, bound]) : bound, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError("UNREACHABLE", t("error.unreachable"));
  }
  heardDate(response.headers.get("date"));
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const error = answer?.error ?? { code: "INTERNAL_ERROR", message: t("error.unreadable") };
  throw new ApiError(error.code, fullReason(error.code, error.message), { status: response.status, details: error.details });
}

const segment = encodeURIComponent;

export const commands = {
  /** `more`: `replyToEventId`, `supervision`. */
  send: (to, content, more, commandId) => post("/api/messages", { to, content, ...more }, commandId),
  replace: (eventId, content, commandId) =>
    post(`/api/messages/${segment(eventId)}/replace`, { content }, commandId),
  withdraw: (eventId) => post(`/api/messages/${segment(eventId)}/withdraw`),
  stop: (turnId, force) =>
    post(`/api/turns/${segment(turnId)}/cancel`, force ? { force: true } : {}),
  retry: (turnId) => post(`/api/turns/${segment(turnId)}/retry`),
  continue: (turnId) => post(`/api/turns/${segment(turnId)}/continue`),
  continueRoot: (rootId, stopEventId) =>
    post(`/api/roots/${segment(rootId)}/continue`, { stopEventId }),
  agent: (id, action) => post(`/api/agents/${segment(id)}/${action}`),
  lane: (actorId, action) => post(`/api/lanes/${segment(actorId)}/${action}`),
};
