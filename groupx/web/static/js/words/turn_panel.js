// Words of a turn in full, beside the room.

export const en = {
  "details": "Details",
  "details.attempt": "Attempt {n}",
  "details.certainty": "Delivery",
  "details.code": "Code",
  "details.hops": "Agent hops",
  "details.partial": "What it had written",
  "details.phase": "Phase",
  "details.queued": "Queued",
  "details.started": "Started",
  "details.ended": "Ended",
  "details.status": "State",
  "details.target": "Agent",
  "details.title": "Turn",
  "details.turn": "Turn id",
};

export const zh = {
  "details": "详情",
  "details.attempt": "第 {n} 次尝试",
  "details.certainty": "送达",
  "details.code": "代码",
  "details.hops": "智能体跳数",
  "details.partial": "已写出的内容",
  "details.phase": "阶段",
  "details.queued": "排队于",
  "details.started": "开始于",
  "details.ended": "结束于",
  "details.status": "状态",
  "details.target": "智能体",
  "details.title": "回合",
  "details.turn": "回合编号",
};
