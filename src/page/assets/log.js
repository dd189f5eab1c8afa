"use strict";

// The bar of a log: words narrow it to the events that contain all of them, and a level to the events of that level or a
// worse one. An event is a line and those that continue it. The address has both.
{
  const LEVELS = { error: "e", warning: "ew", info: "ewi", debug: "ewid" };
  // More ranges make a browser slow.
  const MOST_MATCHES = 5000;
  const [filter, shown, around, log] = ["#filter", "#shown", "#around", ".log"].map(find);
  const [chips, lines] = [document.querySelectorAll(".levels a"), [...log.querySelectorAll("[id]")]];
  const levelOf = (address) => {
    const level = new URL(address).searchParams.get("level");
    return Object.hasOwn(LEVELS, level) ? level : "";
  };
  let [level, events, timer, left] = [levelOf(location)];
  const read = () => {
    const events = [];
    for (const line of lines) {
      const level = line.dataset.l ?? "";
      if (!level.endsWith("+") || !events.length) events.push({ level, lines: [], text: "" });
      const event = events.at(-1);
      event.lines.push(line);
      event.text += line.textContent.toLowerCase();
    }
    return events;
  };
  const number = (count) => count.toLocaleString("en");
  const copies = (parts) => () => {
    const exactly = "raw" in find("#copy").dataset ? ", not exactly" : "";
    return [parts.map(textOf).join(""), `Copied ${number(parts.length)} line${parts.length === 1 ? "" : "s"}${exactly}`];
  };
  // A match may begin in one part of a line and end in another.
  const matches = function* (words, parts) {
    for (const line of words.length ? parts : []) {
      const [texts, whole] = [[], line.textContent.toLowerCase()];
      for (let length = 0, walker = document.createTreeWalker(line, 4); walker.nextNode(); length += walker.currentNode.length) {
        texts.push([walker.currentNode, length]);
      }
      for (const word of words) {
        for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + word.length)) {
          const [start, end] = [at, at + word.length - 1].map((place) => texts.findLast(([, begin]) => begin <= place));
          yield new StaticRange({ startContainer: start[0], startOffset: at - start[1], endContainer: end[0], endOffset: at + word.length - end[1] });
        }
      }
    }
  };
  const marks = (words, parts) => {
    if (!globalThis.Highlight) return;
    const highlight = new Highlight();
    for (const range of matches(words, parts)) {
      if (highlight.add(range).size >= MOST_MATCHES) break;
    }
    CSS.highlights.set("match", highlight);
  };
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isNarrow = words.length > 0 || level !== "";
    const address = new URL(location);
    for (const [name, value] of Object.entries({ filter: words.join(" "), level })) {
      address.searchParams.delete(name);
      if (value) address.searchParams.append(name, value);
    }
    if (address.href !== location.href) history.replaceState(history.state, "", address);
    log.classList.remove(...Object.keys(LEVELS));
    if (level) log.classList.add(level);
    for (const chip of chips) chip.ariaCurrent = levelOf(chip.href) === level ? "true" : null;
    around.hidden = !isNarrow && !left;
    around.textContent = left ? "Back" : "Show around";
    if (!events && !isNarrow) return;
    const parts = [];
    for (const event of events ??= read()) {
      const hidden = !words.every((word) => event.text.includes(word));
      const isOfLevel = !level || (event.level && LEVELS[level].includes(event.level));
      for (const line of event.lines) {
        if (line.hidden !== hidden) line.hidden = hidden;
        if (!hidden && isOfLevel) parts.push(line);
      }
    }
    // How high a block is, while it is not laid out.
    const seen = new Set(parts);
    for (const block of log.querySelectorAll(".block")) {
      block.style.setProperty("--lines", [...block.children].filter((line) => seen.has(line)).length);
    }
    narrowed = isNarrow ? copies(parts) : undefined;
    marks(words, parts);
    delete root.dataset.narrowed;
    shown.textContent = isNarrow ? `${number(parts.length)} of ${number(lines.length)} lines` : "";
  };
  const narrow = (words, least) => {
    [filter.value, level, left] = [words, least];
    apply();
  };
  // From a marked line of the narrowed log to its place in the whole one, and back.
  around.addEventListener("click", () => {
    const [line, [words, least]] = [find(".marked"), left ?? ["", ""]];
    left = left ? undefined : [filter.value, level];
    [filter.value, level] = [words, least];
    apply();
    line.scrollIntoView({ block: "center" });
  });
  // While someone types fast, only the last text is applied.
  filter.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => narrow(filter.value, level), 100);
  });
  filter.addEventListener("keydown", ({ key }) => { if (key === "Escape") narrow("", ""); });
  // The key that names the field clicks it.
  filter.addEventListener("click", () => filter.focus());
  for (const chip of chips) {
    chip.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      narrow(filter.value, levelOf(chip.href));
    });
  }
  for (const [name, step] of [["#next", 1], ["#previous", -1]]) {
    find(name)?.addEventListener("click", () => {
      const errors = lines.filter((line) => line.dataset.l === "e" && !line.hidden);
      if (step < 0) errors.reverse();
      const [, here] = /^#L(\d+)/.exec(location.hash) ?? [0, 0];
      const next = errors.find((line) => (line.dataset.n - here) * step > 0) ?? errors[0];
      if (next) location.replace(`#${next.id}`);
    });
  }
  addEventListener("hashchange", () => {
    const [, id] = /^#(L\d+)/.exec(location.hash) ?? [];
    const line = document.getElementById(id);
    if (!line || line.checkVisibility()) return;
    narrow("", "");
    line.scrollIntoView();
  });
  filter.value = new URLSearchParams(location.search).get("filter") ?? "";
  apply();
}
