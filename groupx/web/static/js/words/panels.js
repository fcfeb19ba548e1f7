// Words that the views beside the room share.

export const en = {
  "actor.assistant": "Assistant",
  "cancel": "Cancel",
  "copy": "Copy",
  "elsewhere.agent": "You are reading “{title}”, an older room. What the agent does is shown as it is now, in the current room.",
  "elsewhere.agentMemory": "You are reading “{title}”, an older room. An agent takes its memory and its days along from room to room: they are shown as they are now. The policy is the one it had in that room.",
  "elsewhere.assistant": "You are reading “{title}”, an older room. The assistant works in the current room.",
  "elsewhere.identity": "You are reading “{title}”, an older room. Who an agent is does not depend on the room: this is how it stands now.",
  "elsewhere.memory": "Of “{title}”, an older room: it is only read.",
  "keep": "No, keep it",
  "more": "Show more",
  "places": "Beside the room",
  "places.assistant": "Assistant",
  "places.memory": "Memory of the room",
  "save": "Save",
};

export const zh = {
  "actor.assistant": "助理",
  "cancel": "取消",
  "copy": "复制",
  "elsewhere.agent": "你正在阅读旧房间“{title}”。这里显示的是该智能体目前在当前房间里的状态。",
  "elsewhere.agentMemory": "你正在阅读旧房间“{title}”。智能体的记忆和日记会随它进入每个房间，这里显示的是现在的内容；记忆策略则是它在那个房间里的。",
  "elsewhere.assistant": "你正在阅读旧房间“{title}”。助理在当前房间里工作。",
  "elsewhere.identity": "你正在阅读旧房间“{title}”。智能体的身份与房间无关，这里显示的是现在的内容。",
  "elsewhere.memory": "属于旧房间“{title}”，只读。",
  "keep": "不，保留",
  "more": "显示更多",
  "places": "房间旁",
  "places.assistant": "助理",
  "places.memory": "房间的记忆",
  "save": "保存",
};
