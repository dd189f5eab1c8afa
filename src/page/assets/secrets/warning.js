
// Asks before a text with secrets is saved. The question names kinds and lines, and never shows a secret.
// `make` is that of `recent.js`, which the editor has too.

const MOST_SHOWN = 8;

// Who can read the paste, and until when.
const reach = ({ dataset, elements: { password, burn, expires } }) => {
  const needed = ["the link", "private" in dataset && "a key", password?.value && "the password"].filter(Boolean);
  const until = burn?.value ? ", until the paste burns" : expires.value && expires.value !== "never"
    ? `, until the paste expires ${expires.selectedOptions[0].text}` : "";
  return `Anyone with ${new Intl.ListFormat("en").format(needed)} can read it${until}.`;
};

// Selects the line of the find, and scrolls to it.
const goTo = ({ content, title }, { from, line }) => {
  if (!line) return title.select();
  const start = content.value.lastIndexOf("\n", from - 1) + 1;
  const end = content.value.indexOf("\n", from);
  content.setSelectionRange(start, start);
  content.scrollTop = content.scrollHeight * start / content.value.length - content.clientHeight / 2;
  // Chromium scrolls to the selection when the field gets the focus.
  content.blur();
  content.focus();
  content.setSelectionRange(start, end < 0 ? content.value.length : end);
};

const ask = (form, finds, name) => new Promise((resolve) => {
  const close = (action, isAgreed) => () => {
    dialog.close();
    resolve(isAgreed);
    action();
  };
  const nothing = () => {};
  const go = (find) => close(name && find.line ? nothing : () => goTo(form.elements, find), false);
  const button = (text, className, onclick) => make("button", { type: "button", className, onclick }, text);
  const row = (find) => {
    const line = find.line ? `Line ${find.line}` : "Title";
    return make("li", {}, name && find.line ? make("span", {}, line) : button(line, "quiet", go(find)), make("div", {}, find.kind));
  };
  const [h2, p] = [make("h2", { id: "secrets-title" }), make("p", { id: "secrets-reach" }, reach(form))];
  const place = finds.some((find) => find.line) ? name ?? "This text" : "The title";
  h2.textContent = `${place} may contain ${finds.length === 1 ? "a secret" : "secrets"}`;
  const list = make("ul", { id: "secrets-list", className: "mine" }, ...finds.slice(0, MOST_SHOWN).map(row));
  const back = button(place === "This text" ? "Back to the text" : "Back", "", go(finds[0]));
  const more = finds.length > MOST_SHOWN ? make("p", {}, "And more.") : "";
  const { readers, burn } = form.elements;
  const choose = (field, value) => close(() => {
    field.value = value;
    for (const type of ["input", "change"]) find(`[name=${readers === field ? "readers" : "burn"}]`).dispatchEvent(new Event(type, { bubbles: true }));
  }, true);
  const encrypt = find("#encrypt");
  const remedies = [
    encrypt && !encrypt.disabled && !encrypt.checked && !name ? button("Encrypt", "quiet", choose(readers, "encrypted")) : "",
    readers && !burn.value ? button("Burn after one view", "quiet", choose(burn, "1")) : "",
  ];
  const save = Object.assign(button("Save as it is", "quiet", close(nothing, true)), { id: "save-anyway" });
  const actions = make("div", { className: "actions" }, back, ...remedies, save);
  const dialog = make("dialog", { id: "secrets" }, h2, list, more, p, actions);
  dialog.setAttribute("aria-labelledby", h2.id);
  dialog.setAttribute("aria-describedby", `${list.id} ${p.id}`);
  back.autofocus = true;
  dialog.addEventListener("close", () => { dialog.remove(); resolve(false); });
  document.body.append(dialog);
  dialog.showModal();
});

// A file with a zero byte early on is not a text, as in Git, unless it starts as UTF-16, which PowerShell writes. Reading a
// large picture as text would take long.
const textOf = async (file) => {
  const head = new Uint8Array(await file.slice(0, 8000).arrayBuffer());
  const encoding = { 0xfffe: "utf-16le", 0xfeff: "utf-16be" }[(head[0] << 8) | head[1]];
  if (head.includes(0) && !encoding) return "";
  return new TextDecoder(encoding).decode(await file.arrayBuffer());
};

// The text that was agreed to. It is not asked for again if its save failed.
let agreed;

// Resolves to whether to save.
export const review = async (form, onAsk) => {
  const { content, file, title } = form.elements;
  const files = () => (content.disabled ? [...file.files] : []);
  const choice = () => files().at(-1);
  const chosen = choice();
  const text = chosen ? (await Promise.all(files().map(textOf))).join("\n") : content.value;
  // Without a title, the name of the file becomes the title.
  const nameOf = () => title.value || files().map((one) => one.name).join(", ");
  const name = nameOf();
  if (`${name}\n${text}` === agreed) return true;
  const inTitle = (await scan(name)).map((find) => ({ ...find, line: 0 }));
  const finds = [...inTitle, ...await scan(text)];
  // The user may have typed on meanwhile.
  if (choice() !== chosen || nameOf() !== name || (!chosen && content.value !== text)) return review(form, onAsk);
  if (finds.length) {
    onAsk();
    if (!await ask(form, finds, chosen && files().map((one) => one.name).join(", "))) return false;
    agreed = `${name}\n${text}`;
  }
  return true;
};
