
// What a change of a paste needs: its editor, where `textIn` is that of `fields.js`, and the page after it.

// This tab alone can undo a change, because the server keeps nothing of the old text. It undoes that content, and no later
// one. A title may have changed the language.
export const keepForUndo = ({ elements: { content, ends, title, lang }, action, dataset }, tag) => {
  const name = `undo:${new URL(action).pathname}`;
  const old = textIn({ content: { value: content.defaultValue }, ends });
  const language = lang.value || title.value !== title.defaultValue ? dataset.language : undefined;
  try {
    sessionStorage.removeItem(name);
    const before = title.value === title.defaultValue ? undefined : title.defaultValue;
    if (old && tag) sessionStorage.setItem(name, JSON.stringify([old, tag, before, language]));
  } catch {}
};

// Offers the tab that changed a paste to undo that, on the page of the paste.
export const undoes = (button) => {
  const [address, name] = [`${location.pathname}/edit`, `undo:${location.pathname}/edit`];
  let old;
  try { old = JSON.parse(sessionStorage.getItem(name)); } catch {}
  if (!old) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const [text, tag, before, language] = old;
    const data = new FormData();
    data.set("content", new Blob([text]), "");
    if (before != null) data.set("title", before);
    if (language) data.set("lang", language);
    try {
      const response = await fetch(address, { method: "POST", body: data, headers: { Accept: "application/json", "If-Match": tag } });
      if (!response.ok) throw new Error(response.status === 412 ? "It was edited again since" : "Could not undo");
      sessionStorage.removeItem(name);
      location.assign(response.headers.get("Location"));
    } catch ({ message }) {
      button.textContent = message;
    }
  });
};

// Shows how the text differs from the stored one, before it is saved.
export const compare = async (form, { formAction }) => {
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
