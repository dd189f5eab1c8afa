// Sorts a table by the column whose header is clicked: ascending, descending, and back to the order of the file. Rows
// that are equal in one column keep the order that an earlier click gave them.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector(".table table");
  const [body] = table.tBodies;
  const headers = [...table.tHead.querySelectorAll("th")];
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

  // Commas that group thousands, in all cells of the column that have one.
  const GROUPED = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/;

  // A table that is not wider than the page scrolls with it, and its header stays at the top of the window.
  const box = table.parentElement;
  const fit = () => {
    box.classList.remove("fits");
    box.classList.toggle("fits", box.scrollWidth <= box.clientWidth);
  };
  addEventListener("resize", fit);
  addEventListener("load", fit);
  fit();

  // Numbers come before texts. Empty cells come last in either direction. Hashes such as `1e5` and `0x10` are texts, if
  // the others of their column are. Long digits are compared as text, in which their last ones count, too.
  const DECIMAL = /^\s*[-+]?(\d+(\.\d*)?|\.\d+)\s*$/;
  const valueOf = (text, isNumeric, isGrouped) => {
    const number = Number(isGrouped ? text.replaceAll(",", "") : isNumeric ? text.replace(",", ".") : DECIMAL.test(text) ? text : NaN);
    if (!text.trim()) return { rank: 2, text: "" };
    return Number.isNaN(number) ? { rank: 1, text } : { rank: 0, text, number };
  };
  const order = (a, b) => {
    if (a.rank) return compare(a.text, b.text);
    const isLong = [a, b].every(({ number }) => number > Number.MAX_SAFE_INTEGER);
    return a.number - b.number || (isLong ? compare(a.text, b.text) : 0);
  };
  const sort = (column, isNumeric, sign) => {
    const cells = [...body.rows].map((row) => [row, row.cells[column]?.textContent ?? ""]);
    const withCommas = cells.filter(([, text]) => text.includes(","));
    const isGrouped = withCommas.length > 0 && withCommas.every(([, text]) => GROUPED.test(text));
    const rows = cells.map(([row, text]) => ({ row, ...valueOf(text, isNumeric, isGrouped) }));
    rows.sort((a, b) => {
      if (a.rank !== b.rank) return (a.rank - b.rank) * (a.rank + b.rank === 1 ? sign : 1);
      return sign * order(a, b);
    });
    // Out of the page, 10,000 rows move sixty times as fast.
    body.remove();
    body.append(...rows.map(({ row }) => row));
    table.append(body);
  };

  for (const header of headers) {
    const button = document.createElement("button");
    button.type = "button";
    button.ariaLabel = `Sort by ${header.textContent.trim() || `column ${header.cellIndex}`}`;
    // The name stays outside: Firefox does not copy the text of a button.
    header.append(button);
    header.ariaSort = "none";
    header.addEventListener("click", ({ target }) => {
      // Its name was selected.
      const selection = getSelection();
      if (target !== button && selection.type === "Range" && header.contains(selection.anchorNode)) return;
      const direction = NEXT[header.ariaSort];
      for (const other of headers) other.ariaSort = "none";
      header.ariaSort = direction;
      // The first column has the numbers of the rows.
      if (direction === "none") sort(0, true, 1);
      else sort(header.cellIndex, header.className === "n", direction === "ascending" ? 1 : -1);
    });
  }
});
