
// The lines that a reader marks, and the buttons for them.

// A click on a number marks its line, with Shift, or by a second tap, all lines from the last one to it. The arrow keys
// go from number to number. The URL names the lines.
let [markedText, unmark] = [];
const marksLines = (listing) => {
  // On a page of several files, the ids begin with the file's.
  const [, file] = /^(.*)L\d+$/.exec(listing.querySelector("[id]")?.id) ?? [, ""];
  const key = keyBefore(listing);
  const source = (listing.closest(".file")?.querySelector(".copy") ?? find("#copy"))?.dataset ?? {};
  const lineAt = (n) => document.getElementById(`${file}L${n}`);
  const numberOf = (line) => Number(line.id.slice(file.length + 1));
  let number = listing.querySelector(".number") ?? undefined;
  const marked = () => listing.querySelectorAll(".marked");
  let anchor = 0;
  const mark = (from, to) => {
    for (const line of document.querySelectorAll(".marked")) line.classList.remove("marked");
    const last = Math.min(Math.max(from, to), listing.querySelectorAll("[id]").length);
    const first = Math.min(from, to, last);
    const lines = [];
    for (let n = first; n && n <= last; n += 1) lines.push(lineAt(n) ?? []);
    for (const line of lines.flat()) line.classList.add("marked");
    const range = first === last ? `${first}` : `${first}-${last}`;
    markedText = async () => {
      const text = () => lines.flat().map(textOf).join("");
      const exact = source.raw && { raw: `${source.raw}?lines=${range}` };
      const [copied, isExact] = await textOfPaste(exact ?? source, text);
      return [copied.replace(/\r?\n$/, ""), isExact];
    };
    unmark = () => choose(0);
    if (lineAt(first || 1)) number = reach(lineAt(first || 1), number);
    find("#selection").hidden = !first;
    find("#selection strong").textContent = first === last ? `Line ${range}` : `Lines ${range.replace("-", "–")}`;
  };
  const choose = (here, isRange) => {
    if (!isRange || !marked().length) anchor = here;
    getSelection().removeAllRanges();
    mark(anchor, here);
    const address = new URL(location);
    address.searchParams.delete("lines");
    const [first, last] = [anchor, here].sort((a, b) => a - b);
    address.hash = here ? `${key}${file}L${first}${first === last ? "" : `-L${last}`}` : key.slice(0, -1);
    history.replaceState(history.state, "", address);
  };
  const markAddressed = () => {
    const [, one, other] = /^L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(location.hash.split(`#${key}${file}`)[1]) ?? [];
    const named = one ? [] : [...marked()];
    if (!one && !named.length) return;
    anchor = Number(one ?? numberOf(named[0]));
    mark(anchor, Number(other ?? one ?? numberOf(named.at(-1))));
    if (other || key) find(".marked")?.scrollIntoView();
  };
  listing.addEventListener("click", (event) => {
    const line = lineOf(event);
    if (!line || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(numberOf(line), event.shiftKey || (marked().length === 1 && matchMedia("(pointer: coarse)").matches));
  });
  listing.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") unmark?.();
    if (event.target !== number || !step) return;
    event.preventDefault();
    const here = numberOf(number.parentElement);
    let next = here + step;
    while (lineAt(next)?.hidden) next += step;
    if (!lineAt(next)) return;
    if (event.shiftKey && !marked().length) choose(here);
    if (event.shiftKey) choose(next, true);
    reach(lineAt(next), number).focus();
  });
  addEventListener("hashchange", markAddressed);
  markAddressed();
};

for (const listing of document.querySelectorAll(".patch, .listing")) marksLines(listing);
copiesOnClick(find("#selection [aria-keyshortcuts=c]"), () => markedText());
find("#selection button:last-child").addEventListener("click", () => unmark());
