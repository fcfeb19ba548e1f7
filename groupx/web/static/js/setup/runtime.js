// Waiting for a room that is about to be opened, or opened anew.

import { get, postPlain } from "../transport/api.js";
import { t } from "../words/index.js";

const EVERY_MS = 300;
const SECONDS = 90;
const GONE_SECONDS = 20;

const pause = () => new Promise((resolve) => setTimeout(resolve, EVERY_MS));

async function until(done) {
  const start = Date.now();
  let heard = start;
  while (Date.now() - start < SECONDS * 1000 && Date.now() - heard < GONE_SECONDS * 1000) {
    try {
      if (await done()) return;
      heard = Date.now();
    } catch (error) {
      if (error.status) heard = Date.now(); // it answers, but not yet this
    }
    await pause();
  }
  throw new Error(t("setup.notReady"));
}

/** Resolves once the room answers; refuses after a while, in words. */
export function whenReady() {
  return until(async () => (await get("/api/health")).status === "ready");
}

/** Stop the room in order, start it with what was saved, and load the page anew. */
export async function restart() {
  const { runtimeScopeKey } = await get("/api/health");
  const { startedAt } = (await get("/api/bootstrap")).runtime;
  await postPlain("/api/runtime/restart", { runtimeScopeKey });
  await until(async () => (await get("/api/bootstrap")).runtime.startedAt !== startedAt);
  location.replace("/");
}
