// Loading what the address names: the active room, or an older one.

import { get } from "../transport/api.js";
import { parseRoute } from "./router.js";
import { t } from "../words/index.js";

const AGAIN_MS = 1500;

/** Calls `onLoading()`, then one of `onLoaded(bootstrap)`, `onSetup()` when there is no room yet, `onGone(roomId)` when
 * that room is not there, and `onFailed()`; the last two are said in the toast, with the way out. What is shown
 * meanwhile is left as it is. */
export class Loader {
  /** @param {{ toast: import("./toast.js").Toast, onLoading: () => void, onLoaded: (bootstrap: any) => void,
   * onSetup: () => void, onGone: (roomId: string) => void, onFailed: () => void }} parts */
  constructor({ toast, onLoading, onLoaded, onSetup, onGone, onFailed }) {
    this.toast = toast;
    this.onLoading = onLoading;
    this.onLoaded = onLoaded;
    this.onSetup = onSetup;
    this.onGone = onGone;
    this.onFailed = onFailed;
    this.attempt = 0;
    /** Whether what the address names is still to be loaded, since nobody answered. */
    this.hasFailed = false;
  }

  async load() {
    const roomId = parseRoute(location.hash)?.roomId ?? null;
    const attempt = ++this.attempt;
    this.onLoading();
    let bootstrap;
    try {
      bootstrap = await get("/api/bootstrap", { render: "html", roomId });
    } catch (error) {
      if (attempt === this.attempt) this.refused(error, roomId);
      return;
    }
    if (attempt !== this.attempt) return;
    if (this.hasFailed) this.toast.hide();
    this.hasFailed = false;
    this.onLoaded(bootstrap);
  }

  refused(error, roomId) {
    this.hasFailed = false;
    if (error.details?.status === "setup") this.onSetup();
    else if (error.code === "NOT_FOUND" && roomId) this.gone(roomId);
    else this.failed(error);
  }

  gone(roomId) {
    this.onGone(roomId);
    this.toast.showHere(t("rooms.gone"), t("rooms.back"), () => {
      history.replaceState(null, "", location.pathname);
      this.load();
    });
  }

  failed(error) {
    this.hasFailed = true;
    this.onFailed();
    const words = error.status === 401 ? t("connection.unauthorized") : t("load.failed", { message: error.message });
    this.toast.show(words, t("load.retry"), () => this.load());
    if (error.code === "RUNTIME_STARTING") setTimeout(() => location.reload(), AGAIN_MS);
  }
}
