// Whether each program would start and is logged in: asked of the daemon, which starts and greets it.

import { fill, h } from "../base/dom.js";
import { checkProgram } from "../transport/setup.js";
import { t } from "../words/index.js";

const AT_ONCE = 2;

export class Checks {
  /** @param {(driver: string) => Promise<any>} ask */
  constructor(ask = checkProgram) {
    this.ask = ask;
    /** One line for each driver; it stays over what is drawn anew around it. @type {Map<string, HTMLElement>} */
    this.lines = new Map();
    this.round = 0;
  }

  /** The line of a program: until it is asked for, what to do once. */
  line(program) {
    if (!this.lines.has(program.driver)) {
      const line = h("div", { class: "program-check", role: "status" });
      this.lines.set(program.driver, line);
      fill(line, hint(program));
    }
    return this.lines.get(program.driver);
  }

  /** Ask for all of these, a few at once; those of an earlier call are no longer waited for. */
  async run(programs) {
    const round = ++this.round;
    const waiting = programs.filter((program) => program.found && program.loginHint && !program.problem);
    for (const program of waiting) fill(this.line(program), h("span", { class: "note" }, t("setup.check.running")));
    const one = async () => {
      for (let program = waiting.shift(); program && round === this.round; program = waiting.shift()) {
        const words = await this.ask(program.driver).then((found) => told(found, program), (error) => said("bad", error.message));
        if (round === this.round) fill(this.line(program), words);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }
}

function hint({ loginHint }) {
  return h("span", { class: "note" }, t("setup.login"), " ", h("code", null, loginHint));
}

/** What was found: how it stands, and on what that rests. */
function told({ starts, login, problems }, program) {
  if (login.known === "no") {
    return [said("bad", t("setup.check.no")), h("span", { class: "note" }, t("setup.check.once"), " ",
      h("code", null, program.loginHint))];
  }
  if (!starts) return [said("bad", t("setup.check.failed")), english(problems.join(" "))];
  return [said(login.known === "yes" ? "good" : "dim", t(`setup.check.${login.known}`)), english(`${login.how}.`)];
}

function said(tone, words) {
  return h("span", { class: "check-said" }, h("span", { class: `dot tone-${tone}`, "aria-hidden": "true" }), words);
}

/** The daemon's own words. */
function english(words) {
  return h("span", { class: "note", lang: "en" }, words);
}
