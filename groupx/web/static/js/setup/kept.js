// What was typed into the setup and not saved: for this tab, over a reload or another language.

const KEY = "groupx.setup";

export function keptDraft() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}

export function keepDraft(kept) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A full or forbidden storage only means that a reload forgets.
  }
}

export function forgetDraft() {
  sessionStorage.removeItem(KEY);
}
