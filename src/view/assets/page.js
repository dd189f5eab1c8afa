// Comfort only: every page is complete without this script.
"use strict";

const copy = document.getElementById("copy");
const listing = document.querySelector(".listing code");
if (copy && listing && navigator.clipboard) {
  const label = copy.textContent;
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    try {
      // Line numbers are drawn by the stylesheet, so they are no part of this text.
      await navigator.clipboard.writeText(listing.textContent);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Could not copy";
    }
    setTimeout(() => { copy.textContent = label; }, 2000);
  });
}

const link = document.getElementById("link");
if (link) link.addEventListener("focus", () => link.select());

const editor = document.querySelector("form.editor");
if (editor) {
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) editor.requestSubmit();
  });
}
