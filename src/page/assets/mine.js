
// The list of `recent.js` on the page Mine.
whenRead(() => {
  const section = find("#recent");
  if (!section) return;
  const time = (at, when) => {
    const element = make("time", { dateTime: new Date(at).toISOString() });
    element.dataset.when = when;
    return element;
  };
  const [heading, list, none, all] = ["h2", "ul", ".none", ".all"].map((selector) => section.querySelector(selector));
  const row = ({ id, name, title, locked, saved, expires }) => {
    const called = title || id;
    const facts = [
      make("span", {}, "Saved ", time(saved, "past")),
      expires ? make("span", {}, "Expires ", time(expires, "future")) : make("span", {}, "Never expires"),
    ];
    if (locked) facts.unshift(make("span", {}, "Password protected"));
    const forget = make("button", { type: "button", className: "quiet", ariaLabel: `Forget ${called}` }, "Forget");
    forget.addEventListener("click", () => {
      const next = forget.closest("li").nextElementSibling?.querySelector("button");
      memory.forget(name);
      forget.closest("li").remove();
      showNone();
      (next ?? (all.hidden ? heading : all)).focus();
    });
    const link = make("a", { href: home + id }, make("bdi", {}, called));
    return make("li", {}, make("div", {}, link, make("p", { className: "facts" }, ...facts)), forget);
  };
  const showNone = () => {
    const isEmpty = !list.childElementCount;
    none.textContent = isEmpty ? "None yet." : "";
    [list.hidden, all.hidden] = [isEmpty, isEmpty];
  };
  all.addEventListener("click", () => {
    for (const { name } of recent.list()) memory.forget(name);
    list.replaceChildren();
    showNone();
    heading.focus();
  });
  list.replaceChildren(...recent.list().map(row));
  localDates();
  showNone();
});
