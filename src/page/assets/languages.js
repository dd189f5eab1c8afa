
// The list of languages, on the page of a paste and in the editor.

// Shows only the languages whose name or ending contains the typed text. Enter takes the one with exactly
// this name or ending, or else the first one.
const narrows = (list) => {
  const [search, none] = [list.querySelector("#search"), list.querySelector(".none")];
  const choices = [...list.querySelectorAll("li > *")];
  const isShown = (choice) => !choice.parentElement.hidden;
  const typed = () => search.value.trim().toLowerCase();
  const isExact = (choice) => [choice.textContent.toLowerCase(), choice.dataset.ending ?? choice.href.split(".").pop()].includes(typed());
  search.addEventListener("input", () => {
    for (const choice of choices) {
      choice.parentElement.hidden = !choice.textContent.toLowerCase().includes(typed()) && !isExact(choice);
    }
    none.textContent = choices.some(isShown) ? "" : "No language has this name.";
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    (choices.find(isExact) ?? choices.find(isShown))?.click();
  });
};
