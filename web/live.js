/**
 * Keeps the numbers of reports on a page up to date. The page is complete without it.
 */

const PAUSE_MS = 4000;

/** @type {HTMLElement[]} */
const places = Array.from(document.querySelectorAll("[data-live]"));

/** @param {HTMLElement} place */
const idOf = (place) => place.dataset.live ?? "";

async function refresh() {
  const ids = [...new Set(places.map(idOf))];
  const query = new URLSearchParams(ids.map((id) => ["id", id]));
  const answer = await fetch(`/live.json?${query}`, { headers: { accept: "application/json" } });
  if (!answer.ok) return;
  /** @type {Record<string, string>} */
  const counts = await answer.json();
  for (const place of places) {
    const text = counts[idOf(place)];
    if (text !== undefined && place.textContent !== text) {
      place.textContent = text;
      document.querySelectorAll("[data-when-newer]").forEach((hint) => hint.removeAttribute("hidden"));
    }
  }
}

async function keepUp() {
  if (document.visibilityState === "visible") {
    // A collector that is away comes back; the page stays as it is until then.
    await refresh().catch(() => undefined);
  }
  setTimeout(keepUp, PAUSE_MS);
}

if (places.length > 0) {
  setTimeout(keepUp, PAUSE_MS);
}
