
// The page of a paste.

const copyText = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // The clipboard API needs TLS; this works without.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("refused");
};

// The lines that a filter shows, while there is one.
let narrowed;
if (/[?&]filter=/.test(location.search)) root.dataset.narrowed = "";

// `text` returns the text and whether it is the exact one, or what the button tells. A text that a page cannot show exactly comes from the
// server.
const copiesOnClick = (button, text) => button?.addEventListener("click", async () => {
  const label = button.dataset.label ??= button.textContent;
  button.ariaLive = "polite";
  try {
    const [copied, isExact] = await text();
    await copyText(copied);
    button.textContent = isExact.length ? isExact : isExact ? "Copied" : "Copied, not exactly";
  } catch {
    button.textContent = "Could not copy";
  }
  setTimeout(() => { button.textContent = label; }, 2000);
});

// Each code block of a document has its own button. Without the last line feed, a terminal does not run a pasted command.
const copiesCode = (pre) => {
  const [code, button] = ["div", "button"].map((name) => document.createElement(name));
  code.className = "code";
  button.type = "button";
  button.className = "quiet copy";
  button.textContent = pre.className ? "Copy as shown" : "Copy";
  pre.replaceWith(code);
  code.append(pre, button);
  copiesOnClick(button, () => [pre.textContent.replace(/\n$/, ""), true]);
};

const textOfPaste = async ({ raw, inexact }, shown) => {
  if (!raw) return [shown(), inexact === undefined];
  const response = await fetch(raw);
  if (!response.ok) throw new Error("refused");
  const [, charset] = response.headers.get("Content-Type").split("charset=");
  const text = new TextDecoder(charset, { ignoreBOM: true }).decode(await response.arrayBuffer());
  // Clipboards end a text there.
  return [text, !text.includes("\0")];
};

// The list of `recent.js` learns the language that the server found.
const noteKind = (kind) => {
  const name = `recent:${location.pathname.slice(home.length)}`;
  try {
    const noted = JSON.parse(memory.get(name));
    if (noted) memory.set(name, JSON.stringify({ ...noted, kind: kind.lastChild.textContent.trim() }));
  } catch {
    memory.forget(name);
  }
};

// The list of languages is a page of its own; here it opens above the paste.
const picksLanguage = (kind) => {
  const load = async () => {
    const response = await fetch(kind.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const list = page.querySelector("#languages");
    list.popover = "auto";
    list.role = "dialog";
    list.ariaLabel = "Language";
    const choices = [...list.querySelectorAll("li > *")];
    for (const choice of choices) choice.ariaCurrent = null;
    const current = choices.find((choice) => choice.textContent === kind.lastChild.textContent.trim());
    if (current) current.ariaCurrent = "true";
    find("main").append(list);
    await import(page.querySelector("script[type=module]").src);
    return list;
  };
  let list;
  kind.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      (await (list ??= load())).togglePopover({ source: kind });
    } catch {
      location.assign(kind.href);
    }
  });
};

// A second press would use another view, and its response would replace the first one, whose content is then lost.
// A page does not learn when a response was downloaded, failed or is slow. So only the first press is sent, until the
// page is opened again, which uses no view; the note links to it.
const readsOnce = (form, note) => {
  form.addEventListener("submit", (event) => {
    if (!note.hidden) event.preventDefault();
    note.hidden = false;
  });
  addEventListener("pageshow", ({ persisted }) => { if (persisted) note.hidden = true; });
};


const bar = () => find("#selection:not([hidden])");

// The text of an element. Beside each other, unchanged lines are there twice. What is folded in a line is no part of it.
const textOf = (shown) => {
  const copy = shown.cloneNode(true);
  copy.querySelectorAll("[inert], details").forEach((twin) => twin.remove());
  return copy.textContent;
};

// The line whose number an event is for. The style sheet draws the numbers; one of them is a link, for the keyboard.
const lineOf = ({ target, offsetX, shiftKey }) => {
  if (target.matches(".number")) return target.parentElement;
  const { paddingLeft, textIndent } = getComputedStyle(target);
  const isNumber = target.matches(":is(.listing, .patch) [id]") && offsetX < parseFloat(paddingLeft) + parseFloat(textIndent);
  return isNumber && (shiftKey || getSelection().isCollapsed) ? target : undefined;
};
// The fragment of an encrypted paste starts with its key.
const keyBefore = (line) => (line.closest("[data-key]") ? `${location.hash.slice(1).split("&")[0]}&` : "");
const reach = (line, number = Object.assign(document.createElement("a"), { className: "number" })) => {
  if (number.parentElement !== line) line.prepend(number);
  [number.href, number.ariaLabel] = [`#${keyBefore(line)}${line.id}`, `Line ${line.id.match(/\d+$/)}`];
  return number;
};

// The module that marks lines is loaded once a number is used or the address names lines.
const loadsLines = ({ dataset: { module } }) => {
  let [loading, isLoaded] = [];
  const load = () => loading ??= import(module).then(() => { isLoaded = true; });
  const again = async (event) => {
    if (isLoaded || event.ctrlKey || event.metaKey || !(event.type === "click" || event.key?.startsWith("Arrow")) || !lineOf(event)) return;
    event.preventDefault();
    await load();
    event.target.dispatchEvent(new event.constructor(event.type, event));
  };
  for (const type of ["click", "keydown"]) find("main").addEventListener(type, again);
  const look = () => {
    // One number is reached by Tab.
    const line = find(":is(.listing, .patch) [id]:not([hidden])");
    if (line && !find(".number")) reach(line);
    if (find(".marked") || /L\d/.test(location.hash)) load();
  };
  addEventListener("hashchange", look);
  look();
};

// Single keys trigger the element that names them, except while the user types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || memory.get("keys") === "off") return;
  if (event.target.closest?.("input:not([type=checkbox]), textarea, select")) return;
  // The buttons for marked lines come after those for the whole text.
  const named = [...document.querySelectorAll("[aria-keyshortcuts]")]
    .findLast((element) => element.getAttribute("aria-keyshortcuts") === event.key && !element.closest("[hidden]"));
  if (!named) return;
  event.preventDefault();
  named.click();
});

// A time as "2 minutes ago" or "in 7 days", in the largest unit that is an eighth off at most: "in 90 minutes". A clock
// that differs from the server's makes no past time a future one.
const UNITS = [["day", 86400, 1800], ["hour", 3600, 30], ["minute", 60, 0], ["second", 1, 0]];
const relativeTime = (date, isPast) => {
  const seconds = Math.max(0, Math.round((isPast ? Date.now() - date : date - Date.now()) / 1000));
  if (isPast && seconds < 1) return "just now";
  const isNear = (count) => Math.abs(count - Math.round(count)) <= count / 8;
  const [unit, size] = UNITS.find(([, size, early]) => seconds >= size - early && isNear(seconds / size)) ?? UNITS[3];
  const count = Math.max(1, Math.round(seconds / size));
  return new Intl.RelativeTimeFormat("en").format(isPast ? -count : count, unit);
};

// The server writes dates in UTC. They become relative, with the date in the reader's own time zone and language. A line
// that the browser has read in part waits for its end.
const localDates = (isRead) => {
  for (const time of document.querySelectorAll("time:not([data-local])")) {
    const line = time.closest(".facts") ?? time.parentNode;
    if (!isRead && !(line.nextSibling ?? line.parentNode.nextSibling)) continue;
    time.dataset.local = "";
    const date = new Date(time.dateTime);
    if (!+date) continue;
    if (time.dataset.when) time.textContent = relativeTime(date, time.dataset.when === "past");
    time.title = date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
  }
};

// The rest of a long line is below its first word. A style sheet does not know where that is.
const COLUMNS = Math.min(innerWidth, innerHeight) / 10;
const hang = (lines) => lines.forEach((line) => {
  const text = line.textContent;
  if (text.length < COLUMNS || line.matches(":dir(rtl)")) return;
  const { length } = text.match(/^[+-]?\s*/)[0].replaceAll("\t", "    ");
  if (length) line.style.setProperty("--rest", `${Math.min(length, COLUMNS / 2) + 2}ch`);
});
const hangAll = () => hang(document.querySelectorAll(".listing [id]"));

// A page is shown before all of it is read, so the dates change as soon as their line is read. It is hidden until then.
new MutationObserver((_, dates) => {
  localDates(false);
  if (!find(".facts + *")) return;
  dates.disconnect();
  hangAll();
}).observe(document, { childList: true, subtree: true });

whenRead(() => {
  localDates(true);
  hangAll();
  find("#reload")?.addEventListener("click", () => location.reload());
  find("#back")?.addEventListener("click", () => history.back());
  const [link, wrap, keys, asked, copy, kind] = ["#copy-link", "#wrap", "#single-keys", "#asked", "#copy", "#kind"].map(find);
  find("#link")?.addEventListener("focus", ({ target }) => target.select());
  const address = () => [bar() || /[?&](level|filter)=/.test(location.search) ? location.href : link.dataset.link, true];
  copiesOnClick(link, address);
  find("#share")?.addEventListener("click", () => navigator.share({ url: address()[0] }).catch(() => {}));
  copiesOnClick(find("#selection [aria-keyshortcuts=y]"), address);
  const undo = find("#undo");
  if (undo) import(undo.dataset.module).then(({ undoes }) => undoes(undo)).catch(() => {});
  // The token of a new paste is shown once, and the address bar has the address to share.
  if (/^\?(saved$|changed=)/.test(location.search)) history.replaceState(history.state, "", location.pathname + location.hash);
  if (asked) readsOnce(find(".gate form"), asked);
  // The address after a login inherits the fragment, which may be a key.
  const login = find("form[action$='/login']");
  if (login) login.action += location.hash;
  // A paste that no longer exists leaves the list of `recent.js`.
  if (["Deleted", "No longer available", "Not found"].includes(find(".message h1")?.textContent)) {
    memory.forget(`recent:${location.pathname.slice(home.length)}`);
  }
  // Line numbers are drawn by the style sheet, so they are not part of this text.
  const codes = [...document.querySelectorAll(".listing code, #source code")];
  for (const button of document.querySelectorAll(".file .copy")) {
    const code = button.closest(".file").querySelector(".listing code");
    copiesOnClick(button, () => textOfPaste(button.dataset, () => textOf(code)));
  }
  const shown = () => (codes.length ? codes : [find(".document")]).map(textOf).join("");
  copiesOnClick(copy, () => narrowed?.() ?? textOfPaste(copy.dataset, shown));
  const download = find("#download");
  download?.addEventListener("click", () => { download.href = find("#image")?.src ?? URL.createObjectURL(new Blob([shown()])); });
  document.querySelectorAll(".document pre").forEach(copiesCode);
  if (kind) {
    picksLanguage(kind);
    noteKind(kind);
  }
  if (find("#selection")) loadsLines(find("#selection"));
  // A table, a document and a tree of JSON have no numbered lines; their source has.
  if (/^#L\d/.test(location.hash) && !find("#L1") && find("[href='?view=source']")) {
    location.replace(`?view=source${location.hash}`);
  }
  if (wrap) {
    wrap.checked = root.dataset.wrap !== "off";
    wrap.addEventListener("change", () => {
      root.dataset.wrap = wrap.checked ? "on" : "off";
      memory.set("wrap", root.dataset.wrap);
    });
  }
  if (keys) {
    keys.checked = memory.get("keys") !== "off";
    keys.addEventListener("change", () => memory.set("keys", keys.checked ? "on" : "off"));
  }
});
