
// The fields of the editor that a script improves.

// The text with the line ends that it had. A browser shows all of them as line feeds.
const textIn = ({ content, ends }) => (ends ? content.value.replaceAll("\n", "\r\n") : content.value);

// The password can be seen while it is typed.
const showsTyped = (password) => {
  const eye = make("button", { type: "button", className: "quiet peek", textContent: "Show", ariaLabel: "Show the password" });
  eye.addEventListener("click", () => {
    const isHidden = password.type === "password";
    password.type = isHidden ? "text" : "password";
    eye.textContent = isHidden ? "Hide" : "Show";
    eye.ariaLabel = `${eye.textContent} the password`;
    password.focus();
  });
  password.after(eye);
};

// The choice of who can read a paste, its views and its password follow each other. Returns how to show them after a
// script changed one.
const choosesReaders = ({ elements: { readers, burn, password } }) => {
  if (!readers) return () => {};
  const follow = () => {
    if (readers.value !== "encrypted" && burn.value) readers.value = "once";
    else if (readers.value === "once") readers.value = "link";
    if (readers.value === "link" && password.value) readers.value = "password";
    password.required = readers.value === "password";
    find("#views").textContent = Number(burn.value) > 1 ? `${burn.value} views` : "one view";
  };
  for (const choice of readers) {
    // Before the form shows how the fields follow each other.
    choice.addEventListener("input", () => {
      burn.value = choice.value === "once" ? "1" : "";
      if (choice.value !== "password") password.value = "";
      follow();
      if (choice.value === "password") password.focus();
    });
  }
  return follow;
};

// The list of languages can be searched. The select that it is made of keeps the choice. Returns how to show the choice
// after a script changed it.
const searchesLanguages = (lang) => {
  const [pick, languages, search] = ["#pick", "#languages", "#search"].map(find);
  const item = ({ value, text, dataset: { ending = value } }) => {
    const choice = make("button", { type: "button", value, textContent: text });
    choice.dataset.ending = ending;
    choice.addEventListener("click", () => {
      lang.value = value;
      languages.hidePopover();
      lang.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return make("li", {}, choice);
  };
  find("#language").htmlFor = "pick";
  languages.addEventListener("beforetoggle", () => {
    for (const group of lang.querySelectorAll("optgroup")) {
      languages.append(make("ul", { ariaLabel: group.label }, ...[...group.children].map(item)));
    }
    languages.querySelector("ul").prepend(item(lang.options[0]));
    narrows(languages);
  }, { once: true });
  languages.addEventListener("beforetoggle", () => {
    search.value = "";
    search.dispatchEvent(new Event("input"));
    for (const choice of languages.querySelectorAll("li > *")) choice.ariaCurrent = choice.value === lang.value ? "true" : null;
  });
  return () => { pick.textContent = lang.selectedOptions[0]?.text; };
};

// Any other lifetime is typed over the list, and is the value of its last option. Returns how to show the choice after a
// script changed it, and how to let the list have a lifetime.
const takesAnyLifetime = (expires) => {
  const other = make("option", { label: "other…", value: "" });
  const typed = make("input", { id: "lifetime", type: "text", autocomplete: "off", required: true, pattern: " *\\d+ *[A-Za-z]+ *", placeholder: "90s, 12h, 7d", title: "A number and a unit: 90s, 10m, 12h, 7d, 4w or 2y", ariaLabel: "Expires in" });
  const take = () => {
    other.value = typed.value.replaceAll(" ", "");
    other.text = `in ${other.value}`;
  };
  expires.append(other);
  expires.after(typed);
  expires.addEventListener("change", () => { if (other.selected) typed.focus(); });
  typed.addEventListener("input", take);
  return [
    () => { typed.hidden = typed.disabled = !other.selected; },
    (lifetime) => { typed.value = lifetime; take(); },
  ];
};

// This tab alone can undo a change, because the server keeps nothing of the old text. It undoes that content, and no later
// one. A title may have changed the language.
const keepForUndo = ({ elements: { content, ends, title, lang }, action, dataset }, tag) => {
  const name = `undo:${new URL(action).pathname}`;
  const old = textIn({ content: { value: content.defaultValue }, ends });
  const language = lang.value || title.value !== title.defaultValue ? dataset.language : undefined;
  try {
    sessionStorage.removeItem(name);
    if (old && tag) sessionStorage.setItem(name, JSON.stringify([old, title.defaultValue, tag, language]));
  } catch {}
};

// Shows how the text differs from the stored one, before it is saved.
const compare = async (form, { formAction }) => {
  const response = await fetch(formAction, { method: "POST", body: new FormData(form), headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const style of page.querySelectorAll("link[rel=stylesheet]")) {
    if (!find(`link[href="${style.getAttribute("href")}"]`)) find("link[rel=stylesheet]").before(style);
  }
  find("#difference")?.remove();
  const difference = page.querySelector("#difference");
  if (!difference) return find("#refusal").textContent = page.querySelector(".message p")?.textContent ?? "Not compared.";
  form.after(difference);
  find("#difference").scrollIntoView({ block: "nearest" });
};
