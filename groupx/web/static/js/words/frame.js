// Words of the frame, times and names.

export const en = {
  "panel": "Beside the room",
  "panel.loading": "Loading…",
  "actor.you": "You",
  "close": "Close",
  "day.today": "Today",
  "day.yesterday": "Yesterday",
  "language": "中文",
  "menu": "Menu",
  "time.minutes": "{n} min ago",
  "time.now": "just now",
};

export const zh = {
  "panel": "房间旁的面板",
  "panel.loading": "加载中…",
  "actor.you": "你",
  "close": "关闭",
  "day.today": "今天",
  "day.yesterday": "昨天",
  "language": "English",
  "menu": "菜单",
  "time.minutes": "{n} 分钟前",
  "time.now": "刚刚",
};
