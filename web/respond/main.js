/**
 * The respondent's page: questions, channels, one draw, and the same bytes until the collector has them.
 *
 * There is no form that a browser could send by itself: answers stay in this module, and only the report leaves.
 */

import { browserStore, load, localDay, Policy, PolicyError, RefusedError, StorageError } from "../client/index.js";
import { html } from "./dom.js";
import { makeQuestion, sentence } from "./question.js";
import { deliver } from "./send.js";
import { showSent } from "./sent.js";

/** @typedef {import("../client/index.d.ts").Store} Store */

const root = /** @type {HTMLElement} */ (document.getElementById("respond"));
const id = root.dataset.collection ?? "";

/**
 * Says what happened and what to do, instead of everything else.
 * @param {string} title
 * @param {string[]} texts
 * @param {...HTMLElement} more
 */
function tell(title, texts, ...more) {
  const heading = html("h2", { tabindex: -1 }, title);
  const paragraphs = texts.map((text) => html("p", {}, text));
  root.replaceChildren(html("section", { class: "panel", role: "status" }, heading, ...paragraphs, ...more));
  heading.focus();
}

const NOTHING_SENT = "Nothing was sent.";

/**
 * @param {string} text
 * @param {() => void} onClick
 */
function button(text, onClick) {
  const made = html("button", { type: "button", class: "button" }, text);
  made.addEventListener("click", onClick);
  return made;
}

const again = () => button("Try again", () => location.reload());

/**
 * What people are told about an error. Errors hold no answers.
 * @param {unknown} error
 */
function tellError(error) {
  if (error instanceof StorageError && error.code === "ledger-damaged") {
    tell("This browser’s record is damaged", [
      "This page keeps a record of what you have answered, and the record can no longer be read. It is not known what was spent, so this page does not answer.",
      "If you clear this site’s data in your browser, a new record begins, and what was spent before is forgotten.", NOTHING_SENT,
    ]);
  } else if (error instanceof StorageError) {
    tell("This browser keeps nothing", [
      sentence(error.message), "Without a record this page cannot make sure that you answer once, so it does not answer.",
      "Allow this site to store data, open the page over https, and try again.", NOTHING_SENT,
    ], again());
  } else if (error instanceof PolicyError) {
    tell("This page does not understand the policy", [
      sentence(error.message), "What would happen to your answer is not known here, so this page does not ask. Reload the page later, or tell whoever runs the collection.",
      NOTHING_SENT,
    ], again());
  } else if (error instanceof RefusedError && error.code === "answer-not-open") {
    tellDay();
  } else if (error instanceof RefusedError) {
    tell("Your device does not answer", [sentence(error.message), NOTHING_SENT]);
  } else {
    tell("Something went wrong", ["This page made a mistake.", NOTHING_SENT], again());
  }
}

/** @type {Policy} */
let policy;
/** @type {Store} */
let store;

function tellDay() {
  tell("The collection is not open today", [
    `It is open from ${policy.opens} to ${policy.closes}. Your device says that today is ${localDay()}.`,
    "If that is wrong, set the date of your device and reload this page.", NOTHING_SENT,
  ], again());
}

async function begin() {
  if (root.dataset.tokens === "true") {
    tell("This collection needs a token", [
      "Reports are taken with one-time tokens only, and this page has none. Whoever asks you can tell you how to answer.", NOTHING_SENT,
    ]);
    return;
  }
  try {
    await load();
  } catch {
    tell("This browser cannot randomise your answer", [
      "Answers are randomised here, by a small program in WebAssembly, and this browser does not run it. Use another browser, or allow WebAssembly.",
      NOTHING_SENT,
    ], again());
    return;
  }
  store = browserStore();
  const text = await fetchPolicy();
  if (text === undefined) return;
  policy = new Policy(text, id);
  if (policy.questions.some((question) => question.kind === "unknown")) {
    throw new PolicyError("policy-unknown-kind", "it asks for a kind of value that this page does not know");
  }
  await resume();
}

async function fetchPolicy() {
  try {
    const response = await fetch(`/v1/collections/${id}/policy`, { credentials: "omit" });
    if (response.ok) return await response.text();
  } catch {
    // Told in the same words below.
  }
  tell("The collector is away", ["The questions could not be loaded. Try again in a while.", NOTHING_SENT], again());
  return undefined;
}

/** Goes on where this browser stopped: sends what is recorded, shows what was sent, or asks. */
async function resume() {
  const recorded = await policy.recorded(store);
  if (recorded.some((report) => !report.acknowledged)) {
    await finish("Your report was recorded before, and is sent now: the same bytes.");
    return;
  }
  const today = policy.epochOf(localDay());
  const last = recorded.find((report) => policy.answers === "once" || report.epoch === today);
  if (last !== undefined) {
    const often = policy.answers === "once" ? "It is answered once." : `It is answered once in each ${policy.epoch}.`;
    root.replaceChildren(showSent(policy, last, `You have answered this collection. ${often}`));
  } else if (root.dataset.stage === "closed") {
    tell("This collection is closed", ["It takes no more answers.", NOTHING_SENT]);
  } else if (today === undefined) {
    tellDay();
  } else {
    ask();
  }
}

function ask() {
  const questions = policy.questions.map((question, index) =>
    makeQuestion(question, index, (value) => policy.channel(question.name, value)),
  );
  const fields = policy.publicFields.map((field, index) => {
    const options = field.values.map((value) => html("option", { value }, value));
    const list = html("select", { id: `public-${index}` }, html("option", { value: "" }, "Choose …"), ...options);
    const label = html("label", { for: `public-${index}` }, field.name);
    return { name: field.name, list, element: html("div", {}, label, list) };
  });
  const problem = html("p", { class: "notice error", role: "alert", hidden: true });
  const send = button("Send", async () => {
    const missing = questions.filter((question) => question.value() === undefined);
    missing.forEach((question) => question.complain("Please answer this question first."));
    const unchosen = fields.find((field) => field.list.value === "");
    problem.hidden = unchosen === undefined;
    problem.textContent = unchosen === undefined ? "" : `Please choose: ${unchosen.name}.`;
    if (missing.length > 0) return missing[0]?.focus();
    if (unchosen !== undefined) return unchosen.list.focus();
    send.disabled = true;
    const values = Object.fromEntries(questions.map((question) => [question.name, question.value() ?? ""]));
    const shown = Object.fromEntries(fields.map((field) => [field.name, field.list.value]));
    return answer(values, shown).catch(tellError);
  });
  const sampled = policy.contribution === "sample" && questions.length > 1
    ? [html("p", { class: "notice" }, "All questions are asked, but your report answers only one of them, drawn by lot when you send.")]
    : [];
  const open = fields.length === 0 ? [] : [html(
    "fieldset", { class: "panel" }, html("legend", {}, "Sent as it is"),
    html("p", { class: "hint" }, "These are not randomised: the collector sees what you choose."), ...fields.map((field) => field.element),
  )];
  root.replaceChildren(
    ...sampled, ...questions.map((question) => question.element), ...open, problem,
    html(
      "section", { class: "panel" },
      html("p", {}, "When you press Send, your answer is randomised once, and only the random report leaves this device. There is no second draw: going back or reloading does not draw again."),
      html("div", { class: "buttons" }, send),
    ),
  );
}

/**
 * Draws and records in one step, then sends.
 * @param {Record<string, string>} values
 * @param {Record<string, string>} shown
 */
async function answer(values, shown) {
  const made = await policy.answer({ values, public: shown }, store);
  await finish(made.repeated ? "You had answered before. Nothing was drawn again: your first report stands." : "");
}

/**
 * Sends everything that is recorded and waits, and shows the last of it.
 * @param {string} note
 */
async function finish(note) {
  tell("Sending …", ["Your report is recorded in this browser, and on its way."]);
  const hurry = new EventTarget();
  const waiting = (/** @type {number} */ seconds) =>
    tell(
      "Not sent yet",
      [
        `The collector cannot be reached. Your report is recorded in this browser, and is sent again in ${seconds} ${seconds === 1 ? "second" : "seconds"}: the same bytes, without a new draw.`,
        "You may close this page: when you open it again, it goes on.",
      ],
      button("Send now", () => hurry.dispatchEvent(new Event("hurry"))),
    );
  for (const report of await policy.pending(store)) {
    const outcome = await deliver(id, report.bytes, waiting, hurry);
    if (outcome.kind === "refused") return tellRefused(outcome);
    await store.exclusively(() => store.acknowledge(report.id));
  }
  const recorded = await policy.recorded(store);
  const last = recorded.at(-1);
  if (last === undefined) return;
  const sent = showSent(policy, last, note);
  root.replaceChildren(sent);
  sent.querySelector("h2")?.focus();
}

/** @param {{ code: string, detail: string }} outcome */
function tellRefused({ code, detail }) {
  const left = "The report that was sent is random. Your answer itself has not left this device.";
  if (code === "collection-closed") {
    tell("The collection was closed", ["It was closed before your report arrived, so your report does not count.", left]);
  } else if (code === "report-early" || code === "collection-not-open") {
    tell("The collector’s calendar is another one", [
      sentence(detail), `Your device says that today is ${localDay()}. If that is wrong, set its date and reload this page: the same report is sent again.`, left,
    ], again());
  } else {
    tell("The collector did not take your report", [sentence(detail), left], again());
  }
}

begin().catch(tellError);
