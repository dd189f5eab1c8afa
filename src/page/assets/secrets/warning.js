
// What asks before a text with secrets is saved. It names kinds and lines, and never shows a secret.
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
const goTo = (content, { from }) => {
  const start = content.value.lastIndexOf("\n", from - 1) + 1;
  const end = content.value.indexOf("\n", from);
  content.setSelectionRange(start, start);
  content.scrollTop = content.scrollHeight * start / content.value.length - content.clientHeight / 2;
  // Chromium scrolls to what is selected when the field gets the focus.
  content.blur();
  content.focus();
  content.setSelectionRange(start, end < 0 ? content.value.length : end);
};

const ask = (form, finds, name) => new Promise((resolve) => {
  const { content } = form.elements;
  const close = (action, isAgreed) => () => {
    dialog.close();
    resolve(isAgreed);
    action();
  };
  const nothing = () => {};
  const go = (find) => close(name ? nothing : () => goTo(content, find), false);
  const button = (text, className, onclick) => make("button", { type: "button", className, onclick }, text);
  const row = (find) => {
    const line = `Line ${find.line}`;
    return make("li", {}, name ? make("span", {}, line) : button(line, "quiet", go(find)), make("div", {}, find.kind));
  };
  const [h2, p] = [make("h2", { id: "secrets-title" }), make("p", { id: "secrets-reach" }, reach(form))];
  h2.textContent = `${name ?? "This text"} may contain ${finds.length === 1 ? "a secret" : "secrets"}`;
  const list = make("ul", { id: "secrets-list", className: "mine" }, ...finds.slice(0, MOST_SHOWN).map(row));
  const back = button(name ? "Back" : "Back to the text", "", go(finds[0]));
  const more = finds.length > MOST_SHOWN ? make("p", {}, "And more.") : "";
  const actions = make("div", { className: "actions" }, back, button("Save anyway", "quiet", close(nothing, true)));
  const dialog = make("dialog", { id: "secrets" }, h2, list, more, p, actions);
  dialog.setAttribute("aria-labelledby", h2.id);
  dialog.setAttribute("aria-describedby", `${list.id} ${p.id}`);
  back.autofocus = true;
  dialog.addEventListener("close", () => { dialog.remove(); resolve(false); });
  document.body.append(dialog);
  dialog.showModal();
});

// The text that was agreed to. It is not asked for again if its save failed.
let agreed;

// Resolves to whether to save.
export const review = async (form, onAsk) => {
  const { content, file } = form.elements;
  const chosen = content.disabled ? file.files[0] : undefined;
  // What has a zero byte early on is no text, as Git sees it. To read a large picture as text would take long.
  if (chosen && new Uint8Array(await chosen.slice(0, 8000).arrayBuffer()).includes(0)) return true;
  const text = chosen ? await chosen.text() : content.value;
  if (text === agreed) return true;
  const finds = await scan(text);
  if (finds.length) {
    onAsk();
    if (!await ask(form, finds, chosen?.name)) return false;
    agreed = text;
  }
  return true;
};
