
// What the editor needs to change a paste. `textIn` is that of `fields.js`.

// This tab alone can undo a change, because the server keeps nothing of the old text. It undoes that content, and no later
// one. A title may have changed the language.
export const keepForUndo = ({ elements: { content, ends, title, lang }, action, dataset }, tag) => {
  const name = `undo:${new URL(action).pathname}`;
  const old = textIn({ content: { value: content.defaultValue }, ends });
  const language = lang.value || title.value !== title.defaultValue ? dataset.language : undefined;
  try {
    sessionStorage.removeItem(name);
    if (old && tag) sessionStorage.setItem(name, JSON.stringify([old, title.defaultValue, tag, language]));
  } catch {}
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
