// Who an agent is: as configured, and as the user, itself and others have said.

import { fill, h } from "../../base/dom.js";
import { routeHash } from "../../frame/router.js";
import { get } from "../../transport/api.js";
import { foldedText } from "../../view/text.js";
import { t } from "../../words/index.js";
import { section } from "../parts.js";
import { byGroup, identityGroup } from "../records/kinds.js";
import { RecordList } from "../records/list.js";

export class Identity {
  constructor(state, actorId) {
    this.actorId = actorId;
    this.id = actorId.replace(/^agent:/, "");
    this.configured = h("div", null, h("p", { class: "note" }, t("panel.loading")));
    this.list = new RecordList(state, {
      family: "identity", readOnly: !state.room.active, title: t("agent.said"), hint: t("agent.saidHint"),
      none: t("agent.saidNone"), blank: { subjectActorId: actorId },
      query: () => ({ subject: actorId }), order: byGroup,
      headingOf: (record) => t(`agent.said.${identityGroup(record)}`),
    });
    this.root = h("div", { class: "panel-content" },
      section(t("agent.configured"), h("a", { class: "link", href: routeHash("setup") }, t("agent.settings")),
        this.configured),
      this.list.element);
  }

  async refresh() {
    await Promise.all([this.list.refresh(), this.loadConfigured()]);
  }

  async loadConfigured() {
    const setup = await get("/api/setup").catch(() => null);
    const text = setup?.config?.agents?.[this.id]?.identity;
    if (text) fill(this.configured, foldedText(text));
    else fill(this.configured, h("p", { class: "note" }, t(setup ? "agent.configuredNone" : "agent.configuredUnread")));
  }

  eventArrived({ type, body }) {
    if (type.startsWith("identity.") && body.record?.subjectActorId === this.actorId) this.list.refresh();
  }
}
