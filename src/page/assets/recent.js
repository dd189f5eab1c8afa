
// The pastes that this browser saved last, where the server has no list of them, and those that burn. Each is a setting of its own, so two
// tabs do not overwrite each other's. Any script of this origin can write them: an unexpected value is removed.

const recent = {
  most: 20,
  nameOf: (path) => `recent:${path.slice(home.length)}`,
  // A paste that burns is listed once it was read, because following a link is how it is lost. A token is never noted,
  // and of a paste that burns or has a password neither the title, the kind nor the text.
  note({ dataset, elements: { title, file, burn, password, content, lang } }, request) {
    const name = recent.nameOf(request.getResponseHeader("Location").split("?")[0]);
    const burns = Boolean(burn?.value);
    const isListed = "recent" in dataset && (burn || memory.get(name) !== null);
    if (!burns && !isListed) return;
    const locked = Boolean(password?.value);
    const expires = Number(request.getResponseHeader("X-Expires")) || null;
    const called = title.value || file.files[0]?.name || "";
    const named = lang.value ? lang.selectedOptions[0].text : recent.read(name)?.kind;
    const [kind, words] = content.disabled ? ["File"] : [named, content.value.slice(0, 1000).trim().replace(/\s+/g, " ").slice(0, 200)];
    memory.set(name, JSON.stringify({ ...(locked || burns ? { title: "" } : { title: called, kind, words }), locked, burns, saved: Date.now(), expires }));
    recent.list();
  },
  read(name) {
    try {
      const { title, kind, words, locked, burns, saved, expires } = JSON.parse(memory.get(name));
      const isTime = (time) => Number.isSafeInteger(time) && new Date(time).getTime() === time;
      const isLive = expires === null || (isTime(expires) && expires > Date.now());
      const id = name.slice("recent:".length);
      // Older entries have neither kind nor words.
      const areTexts = [title, kind ?? "", words ?? ""].every((text) => typeof text === "string");
      if (!areTexts || !isTime(saved) || !isLive || !/^[\w-]{3,64}$/.test(id)) return null;
      return { id, name, title: title.slice(0, 250), kind, words, locked, burns: Boolean(burns), saved, expires };
    } catch {
      return null;
    }
  },
  // The newest first. Expired ones and those beyond the limit are removed.
  list() {
    const names = memory.names().filter((name) => name.startsWith("recent:"));
    const pastes = names.map(recent.read).filter(Boolean).sort((a, b) => b.saved - a.saved).slice(0, recent.most);
    const kept = new Set(pastes.map(({ name }) => name));
    for (const name of names) if (!kept.has(name)) memory.forget(name);
    return pastes;
  },
};
whenRead(() => recent.list());

// For `mine.js`, `fields.js` and `secrets/warning.js`.
const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
