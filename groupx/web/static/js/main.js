// The page's parts, put together.

import { Keyboard } from "./frame/keyboard.js";
import { HelpDialog } from "./frame/help.js";
import { Mover } from "./room/mover.js";
import { Notifier } from "./attention/notifier.js";
import { Page } from "./frame/page.js";
import { Palette } from "./search/palette.js";
import { Unread } from "./attention/unread.js";
import { closeRoster } from "./sidebar/drawer.js";
import { keepTheme } from "./frame/theme.js";
import { routeHash } from "./frame/router.js";
import { startClock } from "./base/time.js";

keepTheme();
const unread = new Unread();
const notifier = new Notifier();
const help = new HelpDialog();
const page = new Page({
  unread,
  attention: notifier.element,
  onSearch: () => palette.open(),
  onHelp: () => help.open(),
  onEvent: (event) => notifier.heard(event, page.state),
});
const palette = new Palette(page.state);
const mover = new Mover(document.getElementById("timeline"), document.getElementById("scroller"));

new Keyboard({
  search: () => palette.open(),
  help: () => help.open(),
  next: () => mover.move(1),
  previous: () => mover.move(-1),
  first: () => mover.first(),
  last: () => page.scroller.toBottom(),
  reply: () => mover.press(".reply"),
  details: () => mover.press('a[href^="#/turn/"]'),
  write: () => page.composer?.text.focus(),
  close: () => closeRoster() || (page.panel.current && page.router.leave()),
  memory: () => (location.hash = routeHash("memory")),
  assistant: () => (location.hash = routeHash("assistant")),
  agent: (n) => page.sidebar.openAgent(n - 1),
}).listen();
startClock();
page.start();
