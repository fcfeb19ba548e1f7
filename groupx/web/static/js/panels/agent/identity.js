// Who an agent is: as configured, and as the user, itself and others have said.

import { fill, h } from "../../base/dom.js";
import { routeHash } from "../../frame/router.js";
import { finished } from "../../view/rendered.js";
import { BRIEF } from "../../view/text.js";
import { t } from "../../words/index.js";
import { records } from "../../transport/remembered.js";
import { ofOlderRoom } from "../older_room.js";
import { section } from "../parts.js";
import { byGroup, identityGroup } from "../records/kinds.js";
import { RecordList } from "../records/list.js";

export class Identity {
  constructor(state, actorId) {
    this.actorId = actorId;
    this.configured = h("div", null, h("p", { class: "note" }, t("panel.loading")));
    this.list = new RecordList(state, {
      family: "identity", readOnly: !state.room.active || !state.agents.has(actorId), title: t("agent.said"), hint: t("agent.saidHint"),
      none: t("agent.saidNone"), blank: { subjectActorId: actorId },
      query: () => ({ subject: actorId }), order: byGroup, onPage: (page) => this.showConfigured(page),
      headingOf: (record) => t(`agent.said.${identityGroup(record)}`),
    });
    this.root = h("div", { class: "panel-content" }, ofOlderRoom(state, "identity"),
      section(t("agent.configured"), h("a", { class: "link", href: routeHash("setup") }, t("agent.settings")),
        this.configured),
      this.list.element);
  }

  async refresh() {
    await this.list.refresh();
  }

  async goTo(identityId) {
    await this.list.seek((await records.read("identity", identityId)).record);
  }

  /** `answer`: a page of its records, and what the config says. */
  showConfigured({ configured, configuredView }) {
    fill(this.configured, configured ? finished(configured, configuredView?.html, { fold: BRIEF })
      : h("p", { class: "note" }, t("agent.configuredNone")));
  }

  eventArrived({ type, body }) {
    if (type.startsWith("identity.") && body.record?.subjectActorId === this.actorId) this.list.refresh();
  }
}
