// On a small window the sidebar lies over the room while it is asked for.

/** Whether it was open. */
export function closeRoster() {
  const wasOpen = document.body.classList.contains("roster-open");
  document.body.classList.remove("roster-open");
  return wasOpen;
}
