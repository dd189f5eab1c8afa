
// The fields of the editor that a script improves.

// The text with the line ends that it had. A browser shows all of them as line feeds.
const textIn = ({ content, ends }) => (ends ? content.value.replaceAll("\n", "\r\n") : content.value);

// The password can be seen while it is typed, and the sentence on who can read the paste knows of it.
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
  const readers = find("#readers");
  const open = readers?.textContent;
  const locked = `It opens with link${"private" in password.form.dataset ? ", key" : ""} and password.`;
  if (open) password.addEventListener("input", () => { readers.textContent = password.value ? locked : open; });
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
