// Words that the views beside the room share.

export const en = {
  "actor.assistant": "Assistant",
  "cancel": "Cancel",
  "copy": "Copy",
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
  "keep": "不，保留",
  "more": "显示更多",
  "places": "房间旁",
  "places.assistant": "助理",
  "places.memory": "房间的记忆",
  "save": "保存",
};
