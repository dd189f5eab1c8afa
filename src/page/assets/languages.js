
// The list of languages, on the page of a paste and in the editor.

// Shows only the languages whose name or ending contains the typed text. Enter takes the first one.
const narrows = (list) => {
  const [search, none] = [list.querySelector("#search"), list.querySelector(".none")];
  const choices = [...list.querySelectorAll("li > *")];
  const isShown = (choice) => !choice.parentElement.hidden;
  search.addEventListener("input", () => {
    const typed = search.value.trim().toLowerCase();
    const ending = (choice) => choice.dataset.ending ?? choice.href.split(".").pop();
    for (const choice of choices) {
      choice.parentElement.hidden = !choice.textContent.toLowerCase().includes(typed) && ending(choice) !== typed;
    }
    none.textContent = choices.some(isShown) ? "" : "No language has this name.";
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    choices.find(isShown)?.click();
  });
};
