
// The files of a paste that has several: a tab for each, with its name and its text. The form sends those of its input for
// files, which always are those of the tabs. `make` is that of `recent.js`, which the editor has too.

// A file of a stored paste. The page has its bytes.
const stored = ({ dataset: { name }, textContent }) =>
  new File([Uint8Array.from(atob(textContent), (byte) => byte.charCodeAt())], name);

// A name with its characters that are invisible or turn its parts around, as on the page of the paste.
const shown = (name) => name.replace(/(?![\u061c\u200c-\u200f])[\p{Cc}\p{Cf}]/gu, (char) => {
  const code = char.codePointAt(0);
  return code < 32 ? String.fromCodePoint(0x2400 + code) : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
});

const newName = (files) => {
  let number = files.length + 1;
  while (files.some(({ name }) => name === `file${number}.txt`)) number += 1;
  return `file${number}.txt`;
};

// Opens the files that the form has, and more: those that were chosen, a new one, or for `null` those of a stored paste.
export const open = (form, more, { held, added, put, textOf, say, leaveFile }) => {
  const { content, title } = form.elements;
  const files = [...held];
  // The text of a file that was added before is a file again, and so is any text beside a new file.
  if (!held.length && more !== null && (content.value && added || !more)) {
    files.push(new File([content.value], added || title.value || newName(files)));
    title.value = title.value === files[0].name ? "" : title.value;
    content.value = "";
  }
  // The later one of two names counts.
  for (const one of more ?? (more === null ? [...find("template").content.children].map(stored) : [new File([], newName(files))])) {
    const same = files.findIndex(({ name }) => name === one.name);
    files.splice(same < 0 ? files.length : same, 1, one);
  }
  leaveFile();

  const tabs = make("div", { className: "tabs actions", role: "group", ariaLabel: "Files" });
  const name = make("input", { id: "file-name", type: "text", maxLength: 100, required: true, autocomplete: "off", spellcheck: false, dir: "auto" });
  const remove = make("button", { type: "button", className: "quiet", textContent: "Remove" });
  const text = make("textarea", { className: "tabs", rows: 12, spellcheck: false, autocapitalize: "off", ariaLabel: "Text of the file" });
  const label = make("label", { htmlFor: "file-name", textContent: "Name" });
  form.prepend(tabs, make("div", { className: "tabs file field" }, label, name, remove));
  content.after(text);
  tabs.style.margin = 0;
  Object.assign(name.style, { flex: "1 1 6rem", minWidth: 0 });
  [content.hidden, content.disabled, content.required] = [true, true, false];

  let [at, isTyped] = [0, false];
  const change = (parts, called) => {
    files[at] = new File(parts, called);
    put(files);
    isTyped = true;
  };
  const nameTabs = () => {
    tabs.replaceChildren(...files.map((one, number) => make("button", {
      type: "button", className: number === at ? "" : "quiet", textContent: shown(one.name), ariaPressed: `${number === at}`, onclick: () => show(number),
    })));
  };
  const show = async (number) => {
    at = number;
    const file = files[at];
    nameTabs();
    name.value = file.name;
    name.setCustomValidity("");
    // What is typed before the text is there would be lost.
    text.disabled = true;
    const read = await textOf(file);
    if (file !== files[at]) return;
    [text.value, text.disabled] = [read ?? "", read === null];
    say(`${files.length} files will be saved as one paste. There is no draft of them.${read === null ? ` ${file.name} will be uploaded unchanged.` : ""}`);
  };
  name.addEventListener("input", () => {
    const isTaken = files.some((one, number) => number !== at && one.name === name.value);
    name.setCustomValidity(isTaken ? "Another file has this name." : "");
    if (isTaken || !name.value) return;
    change([files[at]], name.value);
    nameTabs();
  });
  text.addEventListener("input", () => change([text.value], files[at].name));
  remove.addEventListener("click", () => {
    files.splice(at, 1);
    if (!files.length) return leaveFile();
    put(files);
    show(Math.min(at, files.length - 1));
  });
  addEventListener("beforeunload", (event) => { if (isTyped && text.isConnected && !find(".submit button:disabled")) event.preventDefault(); });
  put(files);
  show(more === null ? 0 : files.length - 1);
  if (more === undefined) name.select();
};
