
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

// The options that are chosen are told beside their name, and open if a save needs one to be changed.
const showsOptions = ({ elements: { lang, expires } }) => {
  find("#options").addEventListener("invalid", ({ currentTarget }) => { currentTarget.open = true; }, true);
  return () => {
    const told = [lang.value && lang.selectedOptions[0].text, expires.value && `Expires ${expires.selectedOptions[0].text}`];
    find("#chosen").textContent = told.filter(Boolean).join(". ");
  };
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
