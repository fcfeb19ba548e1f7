// The side conversation with the room's assistant. Address: `#/assistant`.

import { fill } from "../base/dom.js";
import { t } from "../words/index.js";
import { Talk } from "./assistant/talk.js";

export class AssistantPanel {
  constructor(state) {
    this.state = state;
    this.shown = null;
  }

  title() {
    return t("actor.assistant");
  }

  async draw(body) {
    this.shown = new Talk(this.state);
    fill(body, this.shown.root);
    await this.shown.open();
  }

  eventArrived(event) {
    this.shown?.eventArrived(event);
  }

  closed() {
    this.shown?.close();
    this.shown = null;
  }
}
