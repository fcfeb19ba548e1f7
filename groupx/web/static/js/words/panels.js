// Words that the views beside the room share.

export const en = {
  "actor.assistant": "Assistant",
  "cancel": "Cancel",
  "copy": "Copy",
  "keep": "No, keep it",
  "more": "Show more",
  "save": "Save",
};

export const zh = {
  "actor.assistant": "助理",
  "cancel": "取消",
  "copy": "复制",
  "keep": "不，保留",
  "more": "显示更多",
  "save": "保存",
};
