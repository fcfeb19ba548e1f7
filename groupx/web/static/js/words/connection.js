// Words of the connection, and what could not be loaded.

export const en = {
  "connection.connecting": "Connecting…",
  "connection.live": "Live",
  "connection.retry": "Retry now",
  "connection.unauthorized": "This browser is no longer logged in. Run “groupx open” in a terminal.",
  "connection.waiting": "Not connected. GroupX may be stopped; next try in {n} s. What is queued survives.",
  "error.unreachable": "GroupX did not answer. Whether it took effect is not known; sending it again is safe, nothing happens twice.",
  "error.unreadable": "GroupX answered something unreadable. Look at the room before you repeat it.",
  "load.failed": "The room could not be loaded: {message}",
  "load.retry": "Try again",
  "loading": "Loading the room…",
};

export const zh = {
  "connection.connecting": "连接中…",
  "connection.live": "已连接",
  "connection.retry": "立即重试",
  "connection.unauthorized": "此浏览器已不再登录。请在终端运行 groupx open。",
  "connection.waiting": "未连接，GroupX 可能已停止；{n} 秒后重试。排队的工作不会丢失。",
  "error.unreachable": "GroupX 没有应答，是否已生效未知；再次发送是安全的，不会执行两次。",
  "error.unreadable": "GroupX 的应答无法读取。重复之前请先查看房间。",
  "load.failed": "无法加载房间：{message}",
  "load.retry": "重试",
  "loading": "正在加载房间…",
};
