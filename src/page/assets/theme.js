// Every page works without this script. It is not deferred, so that nothing moves or changes after it was shown.
"use strict";

const root = document.documentElement;
const find = (selector) => document.querySelector(selector);
const whenRead = (work) => document.addEventListener("DOMContentLoaded", work);

// The path of the start page, which the path of this script begins with.
const home = new URL("..", document.currentScript.src).pathname;

// Settings that this browser stores, if it stores any. Below a path, their names begin with it, because other programs
// store theirs for the same origin.
const owned = home === "/" ? "" : home;
const memory = {
  get(name) {
    try { return localStorage.getItem(owned + name); } catch { return null; }
  },
  // Returns whether it was stored.
  set(name, value) {
    try { localStorage.setItem(owned + name, value); return true; } catch { return false; }
  },
  forget(name) {
    try { localStorage.removeItem(owned + name); } catch { /* There is nothing. */ }
  },
  names() {
    try { return Object.keys(localStorage).filter((name) => name.startsWith(owned)).map((name) => name.slice(owned.length)); } catch { return []; }
  },
};

const THEMES = { auto: "system", light: "light", dark: "dark" };
root.dataset.script = "";
if (navigator.share && matchMedia("(pointer: coarse)").matches) root.dataset.share = "";
root.dataset.theme = Object.hasOwn(THEMES, memory.get("theme")) ? memory.get("theme") : "auto";
root.dataset.wrap = memory.get("wrap") ?? "on";

whenRead(() => {
  // A copy of a decrypted paste that another page than the editor got.
  if (history.state?.copy && !find(".editor")) history.replaceState(null, "");
  const button = find("#theme");
  const name = () => { button.firstChild.textContent = `Theme: ${THEMES[root.dataset.theme]}`; };
  button.addEventListener("click", () => {
    const names = Object.keys(THEMES);
    root.dataset.theme = names[(names.indexOf(root.dataset.theme) + 1) % names.length];
    memory.set("theme", root.dataset.theme);
    name();
  });
  name();
});
