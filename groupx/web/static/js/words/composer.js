// Words of where the user writes.

export const en = {
  "composer.add": "Add recipient",
  "composer.all": "Everyone",
  "composer.allHint": "every agent that is not stopped",
  "composer.cancelEdit": "Cancel edit",
  "composer.editing": "Editing a message that is still queued",
  "composer.noTarget": "Nobody would get this: type @ and pick who should.",
  "composer.placeholder": "Message. @ picks who gets it.",
  "composer.remove": "Remove {name}",
  "composer.send": "Send",
  "composer.sending": "sending…",
  "composer.suggestions": "Who should get it",
  "composer.to": "To",
  "composer.tooLong": "{n} characters over the limit of {max}",
};

export const zh = {
  "composer.add": "添加接收者",
  "composer.all": "所有人",
  "composer.allHint": "所有未停止的智能体",
  "composer.cancelEdit": "取消编辑",
  "composer.editing": "正在编辑一条仍在排队的消息",
  "composer.noTarget": "没有接收者：输入 @ 选择由谁处理。",
  "composer.placeholder": "写消息，用 @ 选择接收者",
  "composer.remove": "移除 {name}",
  "composer.send": "发送",
  "composer.sending": "发送中…",
  "composer.suggestions": "由谁处理",
  "composer.to": "发给",
  "composer.tooLong": "超出上限 {max} 字，多 {n} 字",
};
