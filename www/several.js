// Asks how several files are opened: compared, or each in a tab. Loaded with the first such question.

import { open_waiting } from "./page.js";

/** The number of names that the question lists. */
const MOST_NAMES = 6;

const dialog = document.getElementById("several");
dialog.addEventListener("close", () => open_waiting(dialog.returnValue));

/** Opens the dialog; the files wait in the page's program. */
export function ask(names) {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  document.getElementById("title-several").textContent = `${names.length} files`;
  document.getElementById("several-names").textContent = names.slice(0, MOST_NAMES).join(", ") + more;
  dialog.returnValue = "";
  if (!dialog.open) dialog.showModal();
}
