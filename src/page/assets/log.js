"use strict";

// The filter of a log shows the events that contain all typed words and have at least the chosen level. An event is a
// line and those that continue it. The address has the filter.
{
  const LEVELS = { error: "e", warning: "we", info: "iwe", debug: "diwe" };
  const [filter, least, shown, log] = ["#filter", "#least", "#shown", ".log"].map(find);
  const lines = [...log.querySelectorAll("[id]")];
  const number = (count) => count.toLocaleString("en");
  let [events, timer, left] = [null, 0];
  // From a marked line of the filtered log to its place in the whole one, and back.
  const around = Object.assign(document.createElement("button"), { type: "button", className: "quiet" });
  find("#selection strong").after(around);
  around.addEventListener("click", () => {
    const line = find(".marked");
    const [words, levels] = left ?? ["", ""];
    left = left ? undefined : [filter.value, least?.value];
    filter.value = words;
    if (least) least.value = levels;
    apply();
    line.scrollIntoView({ block: "center" });
  });
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
  const apply = () => {
    events ??= read();
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const levels = least?.value ?? "";
    const isNarrow = words.length > 0 || levels !== "";
    const address = new URL(location);
    for (const [name, value] of [["filter", words.join(" ")], ["level", Object.keys(LEVELS).find((name) => LEVELS[name] === levels)]]) {
      address.searchParams.delete(name);
      if (value) address.searchParams.append(name, value);
    }
    if (address.href !== location.href) history.replaceState(history.state, "", address);
    narrowed = isNarrow ? () => {
      const parts = lines.filter((line) => !line.hidden);
      const exactly = "raw" in find("#copy").dataset ? ", not exactly" : "";
      return [parts.map(textOf).join(""), `Copied ${number(parts.length)} line${parts.length === 1 ? "" : "s"}${exactly}`];
    } : undefined;
    around.hidden = !isNarrow && !left;
    around.textContent = left ? "Back" : "Show around";
    const isShown = ({ level, text }) =>
      (!levels || (level && levels.includes(level))) && words.every((word) => text.includes(word));
    let count = 0;
    for (const event of events) {
      const hidden = !isShown(event);
      for (const line of event.lines) {
        if (line.hidden !== hidden) line.hidden = hidden;
        count += !hidden;
      }
    }
    // How high a block is, while it is not laid out.
    for (const block of log.querySelectorAll(".block")) {
      block.style.setProperty("--lines", [...block.children].filter(({ hidden }) => !hidden).length);
    }
    delete root.dataset.narrowed;
    shown.textContent = isNarrow ? `${number(count)} of ${number(lines.length)} lines` : "";
  };
  const applyTyped = () => {
    left = undefined;
    apply();
  };
  const showAll = () => {
    filter.value = "";
    if (least) least.value = "";
    applyTyped();
  };
  // While someone types fast, only the last text is applied.
  filter.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(applyTyped, 100);
  });
  least?.addEventListener("change", applyTyped);
  for (const field of [filter, least]) {
    field?.addEventListener("keydown", ({ key }) => { if (key === "Escape") showAll(); });
  }
  // The key that names the field clicks it.
  filter.addEventListener("click", () => filter.focus());
  addEventListener("hashchange", () => {
    const [, id] = /^#(L\d+)/.exec(location.hash) ?? [];
    const line = document.getElementById(id);
    if (!line?.hidden) return;
    showAll();
    line.scrollIntoView();
  });
  const asked = new URLSearchParams(location.search);
  filter.value = asked.get("filter") ?? "";
  if (least) least.value = LEVELS[asked.get("level")] ?? "";
  apply();
}
