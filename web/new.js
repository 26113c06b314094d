/**
 * Shows what a policy means while somebody writes it. Without it the button "Look at it first" does the same.
 */

const PAUSE_MS = 500;

const form = /** @type {HTMLFormElement} */ (document.getElementById("draft"));
const outcome = /** @type {HTMLElement} */ (document.getElementById("outcome"));
let timer = 0;
let newest = 0;

/** @param {string | null} wrong the id of the field that a mistake is in */
function mark(wrong) {
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  if (wrong) document.getElementById(wrong)?.setAttribute("aria-invalid", "true");
}

async function look() {
  const mine = ++newest;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  const answer = await fetch("/new/look", { method: "POST", body: fields });
  // A later question may have been answered first.
  if (!answer.ok || mine !== newest) return;
  /** @type {{ html: string, field: string | null }} */
  const looked = await answer.json();
  outcome.innerHTML = looked.html;
  mark(looked.field);
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = window.setTimeout(() => look().catch(() => undefined), PAUSE_MS);
});
