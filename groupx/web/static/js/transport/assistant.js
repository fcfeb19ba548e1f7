// The side conversation with the room's assistant.

import { get, post } from "./api.js";

export const assistant = {
  standing: async () => (await get("/api/assistant")).assistant,
  messages: (beforeId) => get("/api/assistant/messages", { beforeId, limit: 40, render: "html" }),
  say: (content, commandId) => post("/api/assistant/messages", { content }, commandId),
  cancel: () => post("/api/assistant/cancel"),
};
