// Words of what the room remembers.

export const en = {
  "memory.allKinds": "all kinds",
  "memory.interactions": "Kept for one conversation",
  "memory.interactionsHint": "Told only in the turns that belong to it.",
  "memory.none": "Nothing is remembered yet. Add what every agent should know; or press “Remember” at a message.",
  "memory.noneHere": "Nothing.",
  "memory.remember": "Remember",
  "memory.room": "Kept for the room",
  "memory.roomHint": "Told to every agent in every turn.",
  "memory.search": "Find in memory",
  "memory.title": "Memory of the room",
};

export const zh = {
  "memory.allKinds": "所有类型",
  "memory.interactions": "为单次对话保存",
  "memory.interactionsHint": "只在属于该对话的回合中告知。",
  "memory.none": "尚无记忆。添加每个智能体都应知道的内容，或在消息处按“记住”。",
  "memory.noneHere": "无。",
  "memory.remember": "记住",
  "memory.room": "为房间保存",
  "memory.roomHint": "在每个回合告知每个智能体。",
  "memory.search": "在记忆中查找",
  "memory.title": "房间的记忆",
};
