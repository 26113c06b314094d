/** Sending a report that is recorded. The same bytes every time, so sending twice changes nothing. */

/**
 * @typedef {{ kind: "stored" } | { kind: "refused", code: string, detail: string }} Outcome
 */

const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 60;

/** These come and go; all other answers of a collector are final. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 507]);

/**
 * Waits, or until the browser says that it is online again, or until somebody asks for it.
 * @param {number} seconds
 * @param {EventTarget} hurry
 */
function pause(seconds, hurry) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      hurry.removeEventListener("hurry", done);
      resolve(undefined);
    };
    const timer = setTimeout(done, seconds * 1000);
    window.addEventListener("online", done);
    hurry.addEventListener("hurry", done);
  });
}

/**
 * One attempt.
 * @param {string} id the collection
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<Outcome | { kind: "away", seconds: number | undefined }>}
 */
async function attempt(id, bytes) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`/v1/collections/${id}/reports`, {
      method: "POST", body: bytes, headers: { "content-type": "application/octet-stream" },
      credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store",
    });
  } catch {
    return { kind: "away", seconds: undefined };
  }
  if (response.ok) return { kind: "stored" };
  const problem = await response.json().catch(() => ({}));
  if (PASSING.has(response.status)) {
    const wanted = Number(response.headers.get("retry-after") ?? "");
    return { kind: "away", seconds: wanted > 0 ? wanted : undefined };
  }
  const code = String(problem.type ?? "").replace("urn:privet:problem:", "") || `status-${response.status}`;
  return { kind: "refused", code, detail: String(problem.detail ?? "The collector did not take the report.") };
}

/**
 * Sends until the collector answers.
 * @param {string} id the collection
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {(seconds: number) => void} onWait told before each pause
 * @param {EventTarget} hurry its event `hurry` ends a pause
 * @returns {Promise<Outcome>}
 */
export async function deliver(id, bytes, onWait, hurry) {
  for (let next = FIRST_PAUSE; ; next = Math.min(LONGEST_PAUSE, 2 * next)) {
    const outcome = await attempt(id, bytes);
    if (outcome.kind !== "away") return outcome;
    // People who were sent away together must not come back together.
    const seconds = Math.max(outcome.seconds ?? 0, next * (0.75 + Math.random() / 2));
    onWait(Math.ceil(seconds));
    await pause(seconds, hurry);
  }
}
