// The page Mine: the filter of its list, and the list of `recent.js`. And the page of a link that deletes.
whenRead(() => {
  const [list, filter, shown, remove, section, all] =
    ["form:has(.mine), ul.mine", "#filter", "#shown", "button[value=delete]", "#recent", ".all"].map(find);
  if (!list) return;
  const inWords = (count) => `${count} ${count === 1 ? "paste" : "pastes"}`;
  const countSelected = () => {
    const count = list.querySelectorAll("input:checked:enabled").length;
    remove.textContent = `Delete ${inWords(count)} for good`;
    remove.disabled = !count;
  };
  // The filter shows the pastes whose name, first line and kind contain all typed words. A hidden one is not selected:
  // no one would see that it is deleted.
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...document.querySelectorAll(".mine:not(.gone) > li")];
    for (const row of rows) {
      const text = [...row.querySelectorAll("bdi, .kind")].map((part) => part.textContent.toLowerCase()).join(" ");
      row.hidden = !words.every((word) => text.includes(word));
      const box = row.querySelector("input");
      if (box) box.disabled = row.hidden;
      if (box) row.closest("section").hidden = !row.parentElement.querySelector("li:not([hidden])");
    }
    shown.textContent = `${rows.filter((row) => !row.hidden).length} of ${inWords(rows.length)}`;
    if (all) all.textContent = rows.some((row) => row.hidden) ? "Forget these" : "Forget all";
    if (remove) countSelected();
  };
  filter.addEventListener("input", apply);
  filter.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    filter.value = "";
    apply();
  });
  // The key that names the field clicks it.
  filter.addEventListener("click", () => filter.focus());
  list.addEventListener("change", countSelected);
  for (const button of list.querySelectorAll("[data-url]")) copiesOnClick(button, () => [button.dataset.url, true]);
  if (section) listRecent(section, list, apply);
  apply();
});

const beginningOf = (text) => /^.{0,100}/u.exec(text ?? "")[0].trim();

const forgets = "li:not([hidden]) button:last-child";

const timeOf = (at, when) => {
  const element = make("time", { dateTime: new Date(at).toISOString() });
  element.dataset.when = when;
  return element;
};

const listRecent = (section, list, apply) => {
  const [heading, none, all, search] = ["h2", ".none", ".all", ".search"].map((selector) => section.querySelector(selector));
  const row = ({ id, name, title, locked, saved, expires, ...more }) => {
    const [kind, words] = [more.kind, more.words].map(beginningOf);
    const called = title || words || id;
    const facts = [
      make("span", {}, "Saved ", timeOf(saved, "past")),
      expires ? make("span", {}, "Expires ", timeOf(expires, "future")) : make("span", {}, "Never expires"),
    ];
    if (locked || kind) facts.unshift(make("span", { className: "kind" }, locked ? "Password protected" : kind));
    const forget = make("button", { type: "button", className: "quiet", ariaLabel: `Forget ${called}` }, "Forget");
    forget.addEventListener("click", () => {
      const buttons = [...list.querySelectorAll(forgets)];
      memory.forget(name);
      forget.closest("li").remove();
      showNone();
      (buttons[buttons.indexOf(forget) + 1] ?? (all.hidden ? heading : all)).focus();
    });
    const link = make("a", { href: home + id, id: `at-${id}`, className: title ? "" : "first-line" }, make("bdi", {}, called));
    const copy = make("button", { type: "button", className: "quiet" }, "Copy link");
    copy.setAttribute("aria-describedby", link.id);
    copiesOnClick(copy, () => [link.href, true]);
    const begin = title && words ? make("code", {}, make("bdi", {}, words)) : "";
    return make("li", {}, make("div", {}, link, begin, make("p", { className: "facts" }, ...facts)), make("p", {}, copy, forget));
  };
  const showNone = () => {
    const isEmpty = !list.childElementCount;
    none.textContent = isEmpty ? "None yet." : "";
    for (const part of [list, all, search]) part.hidden = isEmpty;
    apply();
  };
  // Those that the filter hides stay.
  all.addEventListener("click", () => {
    for (const forget of list.querySelectorAll(forgets)) forget.click();
  });
  list.replaceChildren(...recent.list().filter(({ burns }) => !burns).map(row));
  localDates(true);
  showNone();
};

// Those among them that burned, as the server tells their owner.
const listGone = async (section) => {
  const list = make("ul", { className: "mine gone" });
  for (const { id, name } of recent.list().filter(({ burns }) => burns)) {
    const answer = await fetch(`${home}${id}/stats`, { headers: { Accept: "application/json" } }).catch(() => null);
    const { detail } = answer?.status === 410 ? await answer.json() : {};
    const [, day, minute] = /fetched.* on (\S+) (\S+) UTC/.exec(detail) ?? [];
    if (!day) continue;
    const facts = make("p", { className: "facts" }, make("span", {}, "Read ", timeOf(`${day}T${minute}Z`, "past"), ", gone"));
    const forget = make("button", { type: "button", className: "quiet", ariaLabel: `Forget ${id}` }, "Forget");
    const row = make("li", {}, make("div", {}, make("bdi", {}, id), facts), make("p", {}, forget));
    forget.addEventListener("click", () => {
      memory.forget(name);
      row.remove();
    });
    list.append(row);
  }
  if (list.childElementCount) section.append(make("h2", {}, "Read"), list);
  localDates(true);
};
whenRead(() => {
  if (location.pathname !== `${home}mine`) return;
  const section = make("section");
  find(".column").append(section);
  listGone(section);
});

// A link that deletes has the token as its fragment, which no server gets.
whenRead(() => {
  const token = find(".message #token");
  if (token) token.value = location.hash.slice(1);
});
